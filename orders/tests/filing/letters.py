"""Letters of withdrawal, and what filing one wrote."""

from __future__ import annotations

from datetime import UTC, date, datetime

from orders.models import (
    Order,
    OrderEvent,
    Payment,
    Withdrawal,
    WithdrawalCase,
    WithdrawalChannel,
    WithdrawalLine,
)
from orders.services.withdrawals.declarations import Declaration, Receipt
from orders.tests.factories import make_order, pay_order
from shop.core.models import OutgoingMail

# A Monday. What was delivered on Friday the 6th may be withdrawn until Friday the 20th.
NOON = datetime(2026, 11, 23, 11, 0, tzinfo=UTC)
DELIVERED = datetime(2026, 11, 6, 9, 0, tzinfo=UTC)
ORDERED = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)


def paid_order(*lines, delivered=False, **fields):
    order = pay_order(make_order(*lines, **fields))
    Order.objects.filter(pk=order.pk).update(
        created_at=ORDERED, **({"shipped_at": ORDERED, "delivered_at": DELIVERED} if delivered else {})
    )
    order.refresh_from_db()
    return order


def letter(
    order, operator, *, lines=(), email="", sent=date(2026, 11, 20), received=date(2026, 11, 23), **receipt
):
    return Declaration(
        name="Léa Martin", email=email, order_text=order.reference, language=order.language, order=order, lines=lines,
        receipt=Receipt(WithdrawalChannel.LETTER, sent, received, operator, **receipt),
    )  # fmt: skip


def filed():
    models = (Withdrawal, WithdrawalCase, WithdrawalLine, OutgoingMail, OrderEvent, Payment)
    return [sorted(model.objects.values_list(), key=repr) for model in models]


def kinds():
    mails = OutgoingMail.objects.filter(kind__startswith="withdrawal").order_by("pk")
    return list(mails.values_list("kind", "to"))
