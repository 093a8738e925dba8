"""Django's admin for operators: one module a subject. A module adds its pages and inlines to an order by `base`."""

from orders.admin import (
    books,
    fulfilment,
    invoices,
    payments,
    refunds,
    settings,
    withdrawals,
)
from orders.admin import order as order

__all__ = [
    "books",
    "fulfilment",
    "invoices",
    "order",
    "payments",
    "refunds",
    "settings",
    "withdrawals",
]
