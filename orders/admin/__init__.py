"""Django's admin for operators: one module a subject."""

from orders.admin import (
    books,
    invoices,
    payments,
    pieces,
    records,
    refunds,
    settings,
    withdrawals,
)
from orders.admin import order as order

__all__ = [
    "books",
    "invoices",
    "order",
    "payments",
    "pieces",
    "records",
    "refunds",
    "settings",
    "withdrawals",
]
