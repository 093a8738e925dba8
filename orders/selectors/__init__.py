"""Reads of orders: pricing rules, quotes, orders for their pages."""
