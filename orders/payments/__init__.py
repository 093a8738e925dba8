"""Collecting money: the gateway to Stripe, the one door by which a payment changes an order, reconciliation."""
