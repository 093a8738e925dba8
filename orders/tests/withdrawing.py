"""Declarations that tests start from, on a Monday at noon, and what became of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.urls import translate_url

from orders.models import (
    Order,
    OrderEvent,
    Payment,
    Refund,
    RefundRequest,
    WithdrawalCase,
)
from orders.services.fulfilment.status_changes import update_status
from orders.services.refunds.sending import send_refund
from orders.services.withdrawals import cases
from orders.services.withdrawals.declarations import Declaration, declare_withdrawal
from orders.tests.factories import make_order, pay_order
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

NOON = datetime(2026, 11, 23, 11, 0, tzinfo=UTC)
LANGUAGES = ("fr", "en", "es", "de")
LINK = {
    "fr": "renoncer au contrat ici",
    "en": "withdraw from contract here",
    "es": "desistir del contrato aquí",
    "de": "Vertrag widerrufen",
}
"""The words of the link that leads to the function, as the law gives them."""


@pytest.fixture
def monday_noon() -> Iterator[None]:
    with time_machine.travel(NOON, tick=False):
        yield


def paid_order(*lines, **fields):
    return pay_order(make_order(*lines, **fields))


def declare(placed, *, shipped=False, late=False, **changes):
    if shipped:
        update_status(order_id=placed.pk, status="shipped", actor=None)
    if late:
        days = timedelta(days=20)
        Order.objects.filter(pk=placed.pk).update(shipped_at=NOON - days, delivered_at=NOON - days)
    values = {
        "name": "Léa Martin", "email": "lea@example.com", "order_text": placed.reference, "language": "fr", **changes,
    }  # fmt: skip
    declaration = Declaration(**values)
    key = declaration.submission_key(date(2026, 11, 23))
    return declare_withdrawal(declaration=declaration, key=key, caller="192.0.2.1").case


def rows():
    return [
        sorted(model.objects.values_list(), key=repr)
        for model in (Order, Payment, Refund, RefundRequest, WithdrawalCase, OrderEvent, OutgoingMail)
    ]


def refused(code, call, **values):
    before = rows()
    with pytest.raises(Problem) as caught:
        call(actor=None, **values)
    assert caught.value.code == code
    assert rows() == before


def refund(case, **changes):
    demand = {"lines": None, "amount": None, "reason": "", "actor": None, **changes}
    request = cases.refund_case(case_id=case.pk, **demand)
    for waiting in Refund.objects.filter(state__in=("requested", "sent")):
        send_refund(waiting.pk)
    case.refresh_from_db()
    request.refresh_from_db()
    return request


def kinds():
    return list(
        OutgoingMail.objects.filter(kind__startswith="withdrawal")
        .order_by("pk")
        .values_list("kind", flat=True)
    )


def address_in(language: str, path: str) -> str:
    """A page of the shop, named in French, in a language."""
    return translate_url(path or "/", language)
