"""A declaration is filed once, however often it is confirmed at one instant, and never beside a dispatch."""

from __future__ import annotations

from functools import partial

import pytest
from django.test import Client

from orders.access import access_token
from orders.models import Order, OrderEvent, Withdrawal, WithdrawalCase
from orders.services.fulfilment.status_changes import update_status
from orders.services.withdrawals import declarations
from orders.tests.factories import make_order, make_product, make_seller, pay_order
from orders.tests.installments import offer_installments
from orders.tests.withdrawal_pages.steps import signed_in
from shop.core.models import OutgoingMail
from shop.core.problems import Problem
from tests.races.concurrency import Meeting, run_concurrently, values

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

CLICKS = 12


@pytest.fixture
def order(_zones) -> Order:
    make_seller()
    offer_installments()
    return pay_order(make_order((make_product(price="300.00"), 1), payment_mode="installments"))


def confirm(number, signed):
    client = Client(raise_request_exception=False, REMOTE_ADDR=f"10.1.0.{number}")
    return client.post("/retractation/confirmation", {"declaration": signed}).status_code


def step(body):
    return signed_in(Client().post("/retractation", body))


@pytest.mark.parametrize("known", [True, False], ids=["its-order", "no-order"])
def test_twelve_confirmations_at_once_file_one_declaration(order, known, figures, monkeypatch):
    text = order.reference if known else "ABCDEF12"
    signed = step({"name": "Léa", "order": text, "email": "lea@example.com", "scope": "all"})
    # All of them have looked for an earlier declaration before one of them files it.
    meeting = Meeting(CLICKS)
    look = declarations.find_withdrawal

    def look_together(key):
        found = look(key)
        meeting.wait()
        return found

    monkeypatch.setattr(declarations, "find_withdrawal", look_together)
    monkeypatch.setattr(declarations.limits, "enforce", lambda limit, subject: None)

    codes = values(run_concurrently([partial(confirm, number + 1, signed) for number in range(CLICKS)]))

    figures(confirmations=CLICKS, filed=Withdrawal.objects.count(), answers=sorted(set(codes)))
    assert codes == [303] * CLICKS
    assert Withdrawal.objects.count() == WithdrawalCase.objects.count() == 1
    assert OutgoingMail.objects.filter(kind="withdrawal_received").count() == 1
    assert OutgoingMail.objects.filter(kind="withdrawal_workshop").count() == 1
    assert OrderEvent.objects.filter(name="installments.voided").count() == (1 if known else 0)


def test_a_parcel_and_a_declaration_at_one_instant_follow_one_another(order):
    signed = step(
        {"commande": str(order.pk), "acces": access_token(order), "name": "Léa", "email": "lea@example.com",
         f"units_{order.items.get().pk}": "1"}
    )  # fmt: skip

    def ship():
        try:
            update_status(order_id=order.pk, status="shipped", actor=None)
        except Problem as problem:
            return problem.code
        return "shipped"

    shipped, code = values(run_concurrently([ship, partial(confirm, 1, signed)]))

    case = WithdrawalCase.objects.get()
    order.refresh_from_db()
    assert code == 303
    # Either it had left, and is asked back; or it stays.
    if shipped == "shipped":
        assert (order.status, case.state) == ("shipped", "goods_awaited")
    else:
        assert (shipped, order.status, case.state) == ("withdrawal_open", "confirmed", "declared")
