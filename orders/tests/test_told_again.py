"""Installments whose customer was not told a day, or is told one once more: after a doubt, after a clock ahead."""

from __future__ import annotations

from datetime import timedelta
from html import unescape
from typing import Any

import pytest
import time_machine
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from orders.access import order_url
from orders.models import Attempt, Dispute, InstallmentPause, Order, PausedBy, PauseEnd, Payment, StoredCard
from orders.services.installments.dates import pause_installments, resume_installments
from orders.services.installments.mails import mail_calendar, mail_card_stored
from orders.services.installments.scheduled_payments import record_refusal
from orders.services.payments import due_installments
from orders.services.payments.reviews import settle_order
from orders.services.payments.stored_cards import store_card
from orders.stripe import gateway
from orders.stripe.facts import CardFacts
from orders.tests.installments import mails
from orders.tests.refunding import in_installments_with_card, rows
from shop.core.dates import day_in_words
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail
from shop.core.problems import Problem
from shop.core.tests.reading import text

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("provider")]


@pytest.fixture
def order() -> Order:
    """180.00 in installments, the first paid by a card that was kept."""
    return in_installments_with_card()


def second_of(order: Order, **changes: Any) -> Payment:
    Payment.objects.filter(order=order, position=2).update(position=2, **changes)
    return order.payments.get(position=2)


def tried(order: Order, state: str) -> None:
    Attempt.objects.create(
        payment=second_of(order), kind="off_session", state=state, amount_cents=6000,
        error_code="insufficient_funds", expires_at=timezone.now(),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("stopped", "ahead", "told", "next_try"),
    [("", 400, 1, 3), ("stolen_card", 400, 1, 3), ("", 0, 0, 403), ("stolen_card", 0, 0, 403)],
)
def test_a_refusal_that_a_clock_ahead_wrote_is_refusals(order, stopped, ahead, told, next_try):
    today = timezone.localdate()
    tried(order, "failed")
    second_of(
        order, state="due", due_on=today, announced_at=timezone.now(), stopped_code=stopped,
        next_try_on=today + timedelta(days=403), link_sent_at=timezone.now() + timedelta(days=ahead),
    )  # fmt: skip
    for _night in range(2):
        due_installments.run_round(timezone.now())
    refusals = OutgoingMail.objects.filter(kind="installment_refused")
    day = (today + timedelta(days=3)).isoformat()
    assert [mail.context["retry_on"] for mail in refusals] == ["" if stopped else day] * told
    assert [mail.context["no_funds"] for mail in refusals] == [not stopped] * told
    second = second_of(order)
    assert (second.state, second.next_try_on) == ("due", today + timedelta(days=next_try))
    assert second.link_sent_at <= timezone.now()


@pytest.mark.parametrize(("kept", "told"), [("review", 1), ("failed", 0)])
def test_what_fell_due_while_a_payment_was_kept_for_review_is_announced_again(order, monkeypatch, kept, told):
    monkeypatch.setattr(gateway, "find_intent", lambda **_asked: None)
    today = timezone.localdate()
    second_of(order, due_on=today - timedelta(days=10), announced_at=timezone.now() - timedelta(days=13))
    tried(order, kept)
    due_installments.run_round(timezone.now())
    assert mails("installment_reminder") == 0

    settle_order(order_id=order.pk, actor=None)
    due_installments.run_round(timezone.now())

    assert mails("installment_reminder") == told
    assert second_of(order).next_try_on == (today + timedelta(days=3) if told else None)


def test_staff_do_not_charge_on_its_day_what_nobody_announced(order, staff_client):
    second = second_of(order, due_on=timezone.localdate(), announced_at=None)
    panel = reverse("staff-order-installments", args=[order.pk])
    step = reverse("staff-order-installment", args=[order.pk, second.pk, "debiter"])
    assert step not in staff_client.get(panel).content.decode()
    before = rows()
    with pytest.raises(Problem) as refused:
        due_installments.charge_now(payment_id=second.pk, actor=None)
    assert refused.value.detail == due_installments.charge_obstacle_text("too_early")
    assert rows() == before
    second_of(order, announced_at=timezone.now())
    assert step in staff_client.get(panel).content.decode()


def test_what_is_asked_for_by_the_link_before_its_day_is_to_be_paid_on_it(order, client):
    """Due two days from now, the fiftieth after dispatch: a notice of three days is too late."""
    day = timezone.localdate() + timedelta(days=2)
    # By the local clock: 48 times 24 hours over a change of the hour may be another day.
    Order.objects.filter(pk=order.pk).update(first_sent_at=timezone.localtime() - timedelta(days=48))
    second_of(order, due_on=day)
    due_installments.run_round(timezone.now())
    assert (second_of(order).state, second_of(order).stopped_code) == ("due", "resumed")
    shown = text(client.get(order_url(Order.objects.get(pk=order.pk))))
    assert f"À payer le {day_in_words(day)}" in shown
    assert "À payer depuis le" not in shown
    assert "Refusée" not in shown
    mail_calendar(order, why="dispatch_undone", once="told")
    mail_card_stored(order, StoredCard.objects.get())
    dates = render(OutgoingMail.objects.get(kind="installment_calendar"))
    kept = render(OutgoingMail.objects.get(kind="installment_card_kept"))
    for part in (dates.text, unescape(dates.html)):
        assert f"Échéance 2/3, 60,00\u00a0€\u00a0: à payer le {day_in_words(day)}." in part
    for part in (kept.text, unescape(kept.html)):
        assert "Échéance 2/3\u00a0: 60,00\u00a0€, à régler sur votre page de paiement" in part


@pytest.mark.parametrize("meanwhile", ["paused", "void", "written_off", "paid"])
def test_a_refusal_asks_for_nothing_that_is_suspended_or_not_owed_any_more(order, meanwhile):
    second_of(order, due_on=timezone.localdate(), announced_at=timezone.now())
    tried(order, "failed")
    if meanwhile == "paused":
        InstallmentPause.objects.create(order=order, started_by="staff")
    else:
        second_of(order, state=meanwhile)
    before = rows()
    record_refusal(order=order, payment=second_of(order), attempt=Attempt.objects.get(kind="off_session"))
    second = second_of(order)
    kept = "scheduled" if meanwhile == "paused" else meanwhile
    assert (second.state, second.next_try_on, second.link_sent_at, second.stopped_code) == (
        kept,
        None,
        None,
        "",
    )
    assert rows() == before
    assert not OutgoingMail.objects.filter(kind__startswith="installment").exists()


def leave_card(order: Order) -> None:
    with transaction.atomic():
        left = CardFacts("cus_1", "pm_2", "visa", "4242", 12, 2030)
        store_card(order=Order.objects.select_for_update().get(pk=order.pk), card=left)


def test_a_card_that_is_left_in_a_dispute_is_charged_on_the_day_that_is_told_after_it(order):
    today = timezone.localdate()
    second_of(
        order, state="due", stopped_code="stolen_card", next_try_on=today, due_on=today - timedelta(days=1)
    )
    order.payments.filter(position=3).update(due_on=today + timedelta(days=2), announced_at=timezone.now())
    StoredCard.objects.update(refused_code="stolen_card")
    first = Attempt.objects.get()
    contested = Dispute.objects.create(
        order=order, attempt=first, provider_id="du_1", amount="60.00", state="needs_response"
    )
    leave_card(order)
    later = order.payments.filter(position__gt=1).order_by("position")
    fields = ("state", "stopped_code", "announced_at", "next_try_on")
    assert list(later.values_list(*fields)) == [("scheduled", "", None, None)] * 2
    assert mails("installment_card_kept") == 0
    Dispute.objects.filter(pk=contested.pk).update(state="won")
    with time_machine.travel(timezone.localtime() + timedelta(days=1)):
        due_installments.run_round(timezone.now())
    told = OutgoingMail.objects.filter(kind="installment_reminder").order_by("pk")
    day = today + timedelta(days=4)
    assert [mail.context["day"] for mail in told] == [day.isoformat()] * 2
    assert list(later.values_list("state", "next_try_on")) == [("scheduled", day)] * 2


def test_a_card_that_is_left_for_what_is_asked_for_before_its_day_charges_it_on_that_day(order):
    """While payments are suspended that day moves with the others."""
    today = timezone.localdate()
    agreed = today + timedelta(days=10)
    second_of(order, state="due", stopped_code="resumed", next_try_on=today, due_on=agreed)
    pause_installments(order_id=order.pk, by=PausedBy.STAFF, reason="Résine en retard.")
    leave_card(order)
    assert (second_of(order).state, second_of(order).next_try_on) == ("scheduled", None)
    with time_machine.travel(timezone.localtime() + timedelta(days=20)):
        resume_installments(order_id=order.pk, by=PauseEnd.STAFF)
    assert second_of(order).due_on == agreed + timedelta(days=20)
