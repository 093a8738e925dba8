"""Rows of orders, payments and delivery."""

from orders.models.books import Finding, FindingKind, VatRate
from orders.models.card import StoredCard
from orders.models.invoice import Invoice, InvoiceDocument, InvoiceDraft, InvoiceKind, InvoiceSeries
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
    Dispute,
    DisputeState,
    LedgerEntry,
    LedgerKind,
    Payment,
    PaymentState,
    Refund,
    RefundReason,
    RefundState,
    StripeEvent,
)
from orders.models.returns import (
    RefundLine,
    RefundRequest,
    Withdrawal,
    WithdrawalCase,
    WithdrawalLine,
    WithdrawalState,
)
from orders.models.zone import ShippingZone

__all__ = [
    "Attempt",
    "AttemptKind",
    "AttemptState",
    "Dispute",
    "DisputeState",
    "Finding",
    "FindingKind",
    "Invoice",
    "InvoiceDocument",
    "InvoiceDraft",
    "InvoiceKind",
    "InvoiceSeries",
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
    "RefundLine",
    "RefundReason",
    "RefundRequest",
    "RefundState",
    "ShippingZone",
    "StockHold",
    "StockHoldState",
    "StoredCard",
    "StripeEvent",
    "VatRate",
    "Withdrawal",
    "WithdrawalCase",
    "WithdrawalLine",
    "WithdrawalState",
]
