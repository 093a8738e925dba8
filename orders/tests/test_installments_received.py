"""Money for a later installment, however it comes: what it pays, what it ends, and when it must go back."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from orders.models import (
    Attempt,
    DiscardedCard,
    InstallmentPause,
    Order,
    PausedBy,
    Payment,
    Refund,
    StoredCard,
)
from orders.selectors.refunds import refunds_for_page
from orders.services.installments.scheduled_payments import record_refusal, send_link, write_off_payment
from orders.services.payments import settlement
from orders.services.payments.payment_links import pay_by_link
from orders.stripe.facts import CardFacts, ChargeFacts, CheckoutSessionFacts
from orders.tests.card_changes import address
from orders.tests.disputes import dispute
from orders.tests.installments import mails
from orders.tests.refunding import EUROS, in_installments, refund, rows, send_all, states
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail
from shop.core.problems import Problem
from shop.core.tests.reading import text, words

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("provider")]

KEPT = CardFacts("cus_1", "pm_new", "visa", "4242", 12, 2031)


@pytest.fixture
def order() -> Order:
    """180.00 in installments: the first is paid, 120.00 are due, the second today."""
    order = in_installments()
    order.payments.filter(position=2).update(due_on=timezone.localdate())
    return order


def page(order: Order, cents: int, *, pays_off: bool = False) -> Attempt:
    """A hosted page for a later installment, open."""
    return Attempt.objects.create(
        payment=order.payments.get(position=2), number=7, kind="link", state="sent", pays_off=pays_off,
        amount_cents=cents,
        checkout_session_id="cs_link", checkout_session_url="https://pay.example", expires_at=timezone.now(),
    )  # fmt: skip


def money_comes(attempt: Attempt, card: CardFacts | None = None, **changes: Any) -> None:
    """The provider says that the page was paid; the shop hears it by its one way in, without HTTP."""
    order = attempt.payment.order
    facts = CheckoutSessionFacts(
        checkout_session_id="cs_link", url="", status="complete", payment_status="paid", mode="payment", livemode=False,
        currency="eur", amount_cents=attempt.amount_cents, client_reference_id=str(order.pk),
        metadata={"attempt": str(attempt.pk)}, intent_id="pi_link", intent_status="succeeded", error_code="",
        charge=ChargeFacts("ch_link", attempt.amount_cents, "eur", 0, False, timezone.now()), card=card,
    )  # fmt: skip
    with transaction.atomic():
        locked = Order.objects.select_for_update().get(pk=order.pk)
        payment = Payment.objects.select_for_update().get(pk=attempt.payment_id)
        current = Attempt.objects.get(pk=attempt.pk)
        settlement._apply_complete(locked, payment, current, replace(facts, **changes))


def returned() -> list[tuple[Decimal, str]]:
    return list(Refund.objects.values_list("amount", "reason"))


def test_one_installment_is_paid_and_the_next_stays_due(order):
    money_comes(page(order, 6000))
    assert states(order) == [("paid", 60), ("paid", 60), ("scheduled", 60)]
    assert (returned(), mails("installment_received")) == ([], 1)


@pytest.mark.parametrize(("code", "is_named"), [("", True), ("expired_card", False)])
def test_who_paid_one_reads_when_the_next_is_due_unless_no_card_pays_it(order, code, is_named):
    order.payments.filter(position=3).update(due_on=date(2027, 1, 29), stopped_code=code)
    money_comes(page(order, 6000))
    said = render(OutgoingMail.objects.get(kind="installment_received"))
    named = "60,00\u00a0€ restent à payer. Prochaine échéance\u00a0: 60,00\u00a0€ le 29 janvier 2027."
    for text_of in (said.text, said.html):
        assert "60,00\u00a0€ restent à payer." in text_of
        assert (named in text_of) is is_named


def test_no_day_is_named_to_who_pays_one_while_another_payment_is_disputed(order, provider):
    dispute(provider)
    money_comes(page(order, 6000))
    said = render(OutgoingMail.objects.get(kind="installment_received"))
    assert "60,00\u00a0€ restent à payer." in said.text
    assert "Prochaine échéance" not in said.text + said.html


@pytest.mark.parametrize(
    ("kind", "state", "bank", "after"),
    [
        ("link", "sent", "processing", "processing"),
        ("link", "sent", "requires_payment_method", "failed"),
        ("link", "processing", "requires_payment_method", "failed"),
        ("link", "processing", "canceled", "failed"),
        ("link", "processing", "processing", "processing"),
        ("link", "expired", "requires_payment_method", "expired"),
        # It ends with its order.
        ("checkout", "processing", "requires_payment_method", "processing"),
    ],
)
def test_a_bank_debit_is_over_once_its_bank_has_said_no(order, kind, state, bank, after):
    attempt = page(order, 6000)
    Attempt.objects.filter(pk=attempt.pk).update(kind=kind, state=state)
    money_comes(attempt, payment_status="unpaid", intent_status=bank, charge=None)
    attempt.refresh_from_db()
    assert attempt.state == after
    assert states(order) == [("paid", 60), ("scheduled", 60), ("scheduled", 60)]


def test_everything_left_is_one_payment(order):
    order.payments.filter(position__gt=1).update(
        state="due", next_try_on=timezone.localdate(), stopped_code="stolen_card"
    )
    money_comes(page(order, 12000, pays_off=True))
    assert states(order) == [("paid", 60), ("paid", 120), ("void", 60)]
    assert order.payments.get(position=3).merged_into == order.payments.get(position=2)
    # Nothing of the card's refusal is left.
    assert list(order.payments.order_by("position").values_list("next_try_on", flat=True)) == [None] * 3
    assert order.payments.get(position=2).stopped_code == ""
    assert returned() == []


def test_what_is_credited_while_everything_left_is_being_paid_comes_off_what_was_charged(order):
    attempt = page(order, 12000, pays_off=True)
    refund(order, amount=EUROS("25.00"))
    assert states(order) == [("paid", 60), ("scheduled", 60), ("scheduled", 60)]
    money_comes(attempt)
    assert states(order) == [("paid", 60), ("paid", 120), ("void", 60)]
    assert returned() == [(EUROS("25.00"), "requested")]


def test_a_page_that_asked_for_more_than_is_owed_by_now_goes_back_whole(order):
    attempt = page(order, 12000, pays_off=True)
    order.payments.filter(position=3).update(amount=EUROS("35.00"))
    before = states(order)
    money_comes(attempt)
    assert states(order) == before
    assert returned() == [(EUROS("120.00"), "unavailable")]
    assert mails("installment_received") == 0
    # It is owed as before once the money has gone back.
    send_all()
    assert (states(order), attempt.refunds.get().state) == (before, "succeeded")


@pytest.mark.parametrize("state", ["void", "refunded", "partly_refunded"])
def test_money_for_what_is_not_owed_any_more_goes_back(order, client, staff_client, state):
    attempt = page(order, 6000)
    order.payments.filter(position=2).update(state=state)
    money_comes(attempt)
    assert order.payments.get(position=2).state == state
    assert returned() == [(EUROS("60.00"), "unavailable")]
    # Its order stands, and no piece is missing.
    mail = render(OutgoingMail.objects.get(kind="payment_refunded_automatically")).text
    assert "il n'était plus à faire. Nous vous remboursons la somme entière" in mail
    assert "Motif\u00a0: Cette échéance n'est plus à payer." in mail
    assert "honorer" not in mail
    assert [shown.reason for shown in refunds_for_page(order)] == ["Cette échéance n'est plus à payer."]
    assert "Échéance qui n'était plus à payer" in text(
        staff_client.get(reverse("staff-refunds"), {"liste": "tous"})
    )
    page_back = words(client.get(address(order), {"session_id": "cs_link"}))
    assert "Votre paiement vous est remboursé Cette échéance n'est plus à payer." in page_back
    assert "Rien n'a été débité" not in page_back


def test_who_comes_back_after_the_order_was_closed_is_not_told_that_nothing_was_charged(order, client):
    money_comes(page(order, 12000, pays_off=True))
    refund(order)
    send_all()
    assert Order.objects.get().status == "refunded"
    page_back = words(client.get(address(order), {"session_id": "cs_link"}))
    assert "Cette commande n'a plus rien à payer." in page_back
    assert "Rien n'a été débité" not in page_back


def test_a_bank_that_says_no_after_the_page_was_finished_leaves_the_way_free_for_another(order):
    attempt = page(order, 6000)
    money_comes(attempt, payment_status="unpaid", intent_status="processing", charge=None)
    attempt.refresh_from_db()
    assert attempt.state == "processing"
    money_comes(attempt, payment_status="unpaid", intent_status="requires_payment_method", charge=None)
    attempt.refresh_from_db()
    assert (attempt.state, attempt.settled_at is None) == ("failed", False)
    assert states(order) == [("paid", 60), ("scheduled", 60), ("scheduled", 60)]


@pytest.mark.parametrize("state", ["scheduled", "due", "overdue", "written_off"])
def test_what_was_given_up_is_welcome_all_the_same(order, state):
    attempt = page(order, 6000)
    order.payments.filter(position=2).update(state=state, stopped_code="stolen_card")
    money_comes(attempt)
    second = order.payments.get(position=2)
    assert (second.state, second.stopped_code, second.next_try_on, returned()) == ("paid", "", None, [])


@pytest.mark.parametrize(
    ("third", "mail", "page_back"),
    [
        (
            "paid",
            "Votre commande est entièrement payée\u00a0: plus rien",
            "Votre commande est entièrement payée.",
        ),
        ("written_off", "Plus rien ne sera débité et votre carte", "merci ! Plus rien ne sera débité."),
        ("void", "Plus rien ne sera débité et votre carte", "merci ! Plus rien ne sera débité."),
    ],
)
def test_an_order_is_said_to_be_paid_where_no_part_was_given_up(order, client, third, mail, page_back):
    order.payments.filter(position=3).update(state=third)
    money_comes(page(order, 6000))
    said = render(OutgoingMail.objects.get(kind="installment_received"))
    seen = words(client.get(address(order), {"session_id": "cs_link"}))
    for text_of, sentence in ((said.text, mail), (said.html, mail), (seen.replace("\u00a0", " "), page_back)):
        assert sentence in text_of
        assert ("entièrement payée" in text_of) is (third == "paid")


def test_a_card_is_kept_for_what_is_left_and_its_refusal_forgotten(order):
    StoredCard.objects.create(
        order=order, customer_id="cus_1", payment_method_id="pm_old", refused_code="stolen_card"
    )
    money_comes(page(order, 6000), KEPT)
    card = StoredCard.objects.get(order=order)
    assert (card.payment_method_id, card.refused_code, card.forgotten_at) == ("pm_new", "", None)


def test_no_card_is_kept_when_nothing_is_left(order):
    """The last installment was credited while the page for the one before it was open."""
    attempt = page(order, 6000)
    refund(order, amount=EUROS("60.00"))
    money_comes(attempt, KEPT)
    assert states(order) == [("paid", 60), ("paid", 60), ("void", 60)]
    assert not StoredCard.objects.filter(order=order).exists()
    assert DiscardedCard.objects.get().payment_method_id == "pm_new"


def refused(order: Order, code: str = "insufficient_funds") -> Attempt:
    return Attempt.objects.create(
        payment=order.payments.get(position=2), number=9, kind="off_session", state="failed", error_code=code,
        amount_cents=6000, expires_at=timezone.now(),
    )  # fmt: skip


def test_only_refused_charges_count_as_tries(order):
    """Charges that were never made and pages that ran out are no refusals of the bank."""
    second = order.payments.get(position=2)
    for number, (kind, state) in enumerate(
        [("off_session", "canceled")] * 3 + [("link", "expired"), ("link", "failed")], start=1
    ):
        Attempt.objects.create(
            payment=second, number=number, kind=kind, state=state, amount_cents=6000,
            expires_at=timezone.now(),
        )  # fmt: skip
    record_refusal(order=order, payment=second, attempt=refused(order))
    second.refresh_from_db()
    assert (second.state, second.next_try_on is None) == ("due", False)
    assert mails("installment_overdue") == 0
    # Four refusals are the end, on whatever days: staff may have tried in between.
    second.attempts.filter(kind="off_session").update(state="failed")
    record_refusal(order=order, payment=second, attempt=second.attempts.get(number=9))
    second.refresh_from_db()
    assert (second.state, second.next_try_on) == ("overdue", None)
    assert mails("installment_overdue") == 1


def test_what_the_bank_says_otherwise_on_the_same_day_is_told_too(order):
    """Staff have the card charged again after the morning's round: the link must not wait for the reminder."""
    second = order.payments.get(position=2)
    attempt = refused(order)
    for code, told in (
        ("insufficient_funds", 1),
        ("authentication_required", 2),
        ("authentication_required", 2),
    ):
        attempt.error_code = code
        record_refusal(order=order, payment=second, attempt=attempt)
        assert mails("installment_refused") == told
    assert OutgoingMail.objects.filter(kind="installment_refused").latest("pk").context["asks_bank"] is True


@pytest.mark.parametrize("state", ["paid", "void", "written_off"])
def test_a_refusal_for_what_is_not_owed_asks_nobody(order, state):
    second = order.payments.get(position=2)
    second.state = state
    second.save()
    attempt = refused(order, "stolen_card")
    before = rows()
    record_refusal(order=order, payment=second, attempt=attempt)
    assert rows() == before


@pytest.mark.parametrize("why", ["suspended", "disputed"])
def test_a_refusal_while_nothing_is_collected_asks_nobody(order, provider, why):
    if why == "suspended":
        InstallmentPause.objects.create(order=order, started_by=PausedBy.STAFF, reason="Atelier fermé.")
    else:
        dispute(provider)
    second, attempt = order.payments.get(position=2), refused(order)
    before, written = Payment.objects.filter(pk=second.pk).values().get(), OutgoingMail.objects.count()
    record_refusal(order=order, payment=second, attempt=attempt)
    assert Payment.objects.filter(pk=second.pk).values().get() == before
    assert OutgoingMail.objects.count() == written
    assert order.events.get(name="installment.refused").data["code"] == "insufficient_funds"


@pytest.mark.parametrize("act", [send_link, partial(write_off_payment, reason="Geste.")])
@pytest.mark.parametrize(("position", "state"), [(1, "due"), (2, "paid"), (2, "void"), (2, "written_off")])
def test_staff_ask_for_and_give_up_only_what_is_still_owed_later(order, act, position, state):
    order.payments.filter(position=position).update(state=state)
    before = rows()
    with pytest.raises(Problem, match="n'est plus à payer"):
        act(payment_id=order.payments.get(position=position).pk, actor=None)
    assert rows() == before


@pytest.mark.parametrize("state", ["prepared", "sent", "processing"])
def test_no_page_beside_a_charge_or_beside_money_that_is_on_its_way(order, state):
    Attempt.objects.create(
        payment=order.payments.get(position=3), number=1, kind="off_session", state=state,
        amount_cents=6000, expires_at=timezone.now(),
    )  # fmt: skip
    refuse_page(order)


def test_no_page_beside_one_whose_money_is_on_its_way(order):
    page(order, 6000)
    Attempt.objects.filter(checkout_session_id="cs_link").update(state="processing")
    refuse_page(order)


def refuse_page(order: Order) -> None:
    before = rows()
    with pytest.raises(Problem) as problem:
        pay_by_link(order_id=order.pk, everything=False)
    assert (problem.value.code, problem.value.status) == ("payment_in_progress", 409)
    assert rows() == before
    assert Attempt.objects.filter(kind="link").count() <= 1
