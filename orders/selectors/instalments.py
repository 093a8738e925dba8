"""What an order still owes, and the calendar that its customer and the shop see."""

from decimal import Decimal

from django.db.models import Sum

from orders.models import Order, Payment, PaymentState
from shop.core.money import ZERO, quantize

OPEN_PAYMENTS = (PaymentState.SCHEDULED, PaymentState.DUE, PaymentState.OVERDUE)
"""States in which a payment is still to be collected."""


def outstanding(order: Order) -> Decimal:
    """What is still to be collected for the order, in euros. One query."""
    owed = Payment.objects.filter(order=order, state__in=OPEN_PAYMENTS).aggregate(owed=Sum("amount"))["owed"]
    return quantize(owed) if owed is not None else ZERO
