"""Scheduled jobs of orders beside those in `tasks`."""

from orders.books import jobs as books

__all__ = ["books"]
