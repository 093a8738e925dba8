"""Rows of orders, payments and delivery."""

from orders.models.order import (
    Order,
    OrderEvent,
    OrderItem,
    OrderStatus,
    OrderTracking,
    PaymentMode,
    StockHold,
    StockHoldState,
)
from orders.models.payment import (
    Attempt,
    AttemptKind,
    AttemptState,
    LedgerEntry,
    LedgerKind,
    Payment,
    PaymentState,
    Refund,
    RefundReason,
    RefundState,
    StripeEvent,
)
from orders.models.zone import ShippingZone

__all__ = [
    "Attempt",
    "AttemptKind",
    "AttemptState",
    "LedgerEntry",
    "LedgerKind",
    "Order",
    "OrderEvent",
    "OrderItem",
    "OrderStatus",
    "OrderTracking",
    "Payment",
    "PaymentMode",
    "PaymentState",
    "Refund",
    "RefundReason",
    "RefundState",
    "ShippingZone",
    "StockHold",
    "StockHoldState",
    "StripeEvent",
]
