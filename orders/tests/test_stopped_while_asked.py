"""An installment that was stopped while Stripe was asked for its charge: the answer does not bring it back."""

from __future__ import annotations

import pytest
from django.db import transaction
from django.utils import timezone

from orders.models import Attempt, Order, Payment, StoredCard
from orders.services.installments.scheduled_payments import void_scheduled, write_off
from orders.services.payments import settlement
from orders.services.payments.off_session import claim_charge, prepare_charge
from orders.stripe import gateway
from orders.tests.installments import mails
from orders.tests.refunding import charged_today

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("provider")]


@pytest.fixture
def order() -> Order:
    """180.00 in installments: the first is paid, the second is charged now."""
    return charged_today()


def void(order: Order, _payment: Payment) -> None:
    void_scheduled(order=order, reason="withdrawal.taken_up")


def give_up(order: Order, payment: Payment) -> None:
    write_off(order=order, payment=payment, actor=None, reason="Litige perdu.")


def not_accepted(_charge: Attempt) -> None:
    raise gateway.GatewayRefused("no such parameter", "parameter_unknown")


def test_a_call_that_is_not_accepted_leaves_what_is_owed_to_staff(order, monkeypatch):
    """Announced late, it had a day of its own."""
    order.payments.filter(position=2).update(next_try_on=timezone.localdate())
    charge = prepare_charge(order.payments.get(position=2))
    assert claim_charge(charge)
    monkeypatch.setattr(settlement, "execute_charge", not_accepted)
    settlement.settle(charge.pk)
    payment = order.payments.get(position=2)
    assert (payment.state, payment.stopped_code, payment.next_try_on) == ("due", "not_accepted", None)


@pytest.mark.parametrize(("stop", "state"), [(void, "void"), (give_up, "written_off")])
def test_a_call_that_is_not_accepted_does_not_bring_back_what_was_stopped(order, monkeypatch, stop, state):
    payment = order.payments.get(position=2)
    charge = prepare_charge(payment)
    assert claim_charge(charge)

    def refuse(_charge: Attempt) -> None:
        with transaction.atomic():
            stop(Order.objects.select_for_update().get(pk=order.pk), Payment.objects.get(pk=payment.pk))
        not_accepted(charge)

    monkeypatch.setattr(settlement, "execute_charge", refuse)
    settlement.settle(charge.pk)

    payment.refresh_from_db()
    assert (payment.state, payment.stopped_code) == (state, "")
    # Whether anything was charged, staff find out all the same.
    charge.refresh_from_db()
    assert (charge.state, mails("payment_review_alert")) == ("review", 1)


@pytest.mark.parametrize(("stop", "left"), [(void, 0), (give_up, 1)])
def test_what_is_not_collected_any_more_has_no_next_try(order, stop, left):
    order.payments.filter(position__gt=1).update(next_try_on=timezone.localdate())
    with transaction.atomic():
        stop(Order.objects.select_for_update().get(pk=order.pk), order.payments.get(position=2))
    assert order.payments.exclude(next_try_on=None).count() == left


@pytest.mark.parametrize("answer", ["", "resource_missing", "parameter_unknown"])
def test_what_somebody_else_has_settled_meanwhile_stays_settled(order, monkeypatch, answer):
    """The webhook was quicker; this process found nothing, or was refused."""
    charge = prepare_charge(order.payments.get(position=2))
    assert claim_charge(charge)

    def late(_charge: Attempt) -> None:
        Attempt.objects.filter(pk=charge.pk).update(state="succeeded")
        if answer:
            raise gateway.GatewayRefused("refused", answer)

    monkeypatch.setattr(settlement, "execute_charge", late)
    before = list(order.payments.values())
    settlement.settle(charge.pk)

    charge.refresh_from_db()
    assert (charge.state, charge.error_code, list(order.payments.values())) == ("succeeded", "", before)
    assert StoredCard.objects.get(order=order).refused_code == ""
    assert mails("payment_review_alert") == 0
    assert not order.events.filter(name="payment.never_charged").exists()
