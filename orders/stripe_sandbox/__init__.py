"""A local stand-in for Stripe, for machines without keys: a process and a Django project of its own.

The shop talks to it by HTTP with the real `stripe` library, given another base address, and imports
nothing from here. No money moves. Start it with ``python -m orders.stripe_sandbox``.
"""
