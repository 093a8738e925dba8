"""Django's admin for operators: one room a file. A room adds its pages and inlines to an order by `parts`."""

from orders.admin import books, instalments, invoices, money, statuses, zones
from orders.admin import order as order

__all__ = ["books", "instalments", "invoices", "money", "order", "statuses", "zones"]
