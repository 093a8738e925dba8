"""Django's admin for operators: one room a file. A room adds its pages and inlines to an order by `parts`."""

from orders.admin import (
    books,
    delivery,
    installments,
    invoices,
    money,
    refunds,
    statuses,
    transfer_returns,
    transfers,
    withdrawals,
    zones,
)
from orders.admin import order as order

__all__ = [
    "books",
    "delivery",
    "installments",
    "invoices",
    "money",
    "order",
    "refunds",
    "statuses",
    "transfer_returns",
    "transfers",
    "withdrawals",
    "zones",
]
