"""Installments that are suspended: by a customer whose order is late (L216-6), by staff; and their end."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.urls import reverse

from orders.access import order_url, payment_page_url
from orders.models import Attempt, InstallmentPause, Order, PausedBy, PauseEnd, StoredCard
from orders.selectors.installments import calendar
from orders.services.fulfilment.delivery_promises import report_overdue_orders
from orders.services.fulfilment.status_changes import change_status
from orders.services.installments.dates import pause_installments, resume_installments
from orders.services.installments.mails import mail_card_stored
from orders.services.installments.scheduled_payments import send_link
from orders.services.payments import due_installments, off_session
from orders.services.payments.due_installments import charge_now
from orders.services.refunds.disputes import sync_disputes
from orders.tests.disputes import dispute
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.installments import days, offer_installments
from orders.tests.refunding import in_installments, mails, rows
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("provider")]

ORDERED = datetime(2026, 6, 1, 10, tzinfo=UTC)
LATE = 20
"""Days after the order: its promised date, the 15th of June, has passed."""


def at(days: int) -> time_machine.travel:
    return time_machine.travel(ORDERED + timedelta(days=days), tick=False)


@pytest.fixture
def order() -> Order:
    with at(0):
        order = in_installments()
    StoredCard.objects.create(
        order=order, customer_id="cus_1", payment_method_id="pm_1", brand="visa", last4="4242", expiry_month=12,
        expiry_year=2030,
    )  # fmt: skip
    Order.objects.filter(pk=order.pk).update(promised_by=date(2026, 6, 15))
    return order


def pause(order: Order, by: PausedBy = PausedBy.STAFF, reason: str = "Résine en retard.") -> InstallmentPause:
    return pause_installments(order_id=order.pk, by=by, reason=reason)


def charge_days(order: Order) -> list[date]:
    plan = calendar(Order.objects.get(pk=order.pk))
    assert plan is not None
    return [row.day for row in plan.rows if row.is_open]


def run_rounds(first: int, last: int) -> None:
    for day in range(first, last + 1):
        with at(day):
            due_installments.run_round(datetime.now(UTC))


def test_l216_6_who_still_owes_reads_of_a_late_order_where_payment_is_suspended(order):
    paid, suspended = pay_order(make_order()), in_installments()
    pause(suspended)
    Order.objects.update(promised_by=date(2026, 6, 15))
    with at(LATE):
        report_overdue_orders(datetime.now(UTC))
    texts = {
        mail.reference: render(mail).text for mail in OutgoingMail.objects.filter(kind="delivery_overdue")
    }
    assert "Vous pouvez suspendre le paiement de ce qui reste à payer" in texts[order.reference]
    assert f"Ouvrir ma page de paiement\n{payment_page_url(order)}\n" in texts[order.reference]
    for reference in (paid.reference, suspended.reference):
        assert "suspendre le paiement" not in texts[reference]
        assert "Vous pouvez aussi nous fixer un délai supplémentaire raisonnable" in texts[reference]
        assert "Ouvrir ma page de paiement" not in texts[reference]


def test_while_they_are_suspended_nothing_is_announced_charged_or_reminded(order, monkeypatch):
    asked: list[Any] = []
    monkeypatch.setattr(off_session.gateway, "is_configured", lambda: True)
    monkeypatch.setattr(off_session.gateway, "charge_stored_card", lambda **call: asked.append(call))
    order.payments.filter(position=3).update(
        state="due", stopped_code="stolen_card", next_try_on=date(2026, 6, 25)
    )
    with at(LATE):
        pause(order)
    before = mails(order)
    run_rounds(LATE, 75)
    assert (asked, Attempt.objects.filter(kind="off_session").count()) == ([], 0)
    assert mails(order) == before == ["installment_calendar"]


def test_staff_neither_charge_nor_ask_meanwhile(order):
    with at(40):
        pause(order)
        second = order.payments.get(position=2)
        for act in (charge_now, send_link):
            with pytest.raises(Problem) as refused:
                act(payment_id=second.pk, actor=None)
            assert refused.value.detail == "Les échéances sont suspendues\xa0: reprenez-les d'abord."
    assert not Attempt.objects.filter(kind="off_session").exists()


def test_a_charge_that_was_prepared_before_is_dropped(order):
    with at(30):
        order.payments.filter(position=2).update(announced_at=ORDERED)
        attempt = off_session.prepare_charge(order.payments.get(position=2))
        pause(order)
        assert off_session.claim_charge(attempt) is False
    attempt.refresh_from_db()
    assert attempt.state == "canceled"


def test_the_end_moves_what_fell_due_after_its_beginning_by_as_many_days(order):
    assert days(order) == [date(2026, 6, 1), date(2026, 7, 1), date(2026, 7, 31)]
    with at(LATE):
        pause(order)
    with at(LATE + 12):
        resume_installments(order_id=order.pk, by=PauseEnd.STAFF)
    assert days(order) == [date(2026, 6, 1), date(2026, 7, 13), date(2026, 8, 12)]
    ended = InstallmentPause.objects.get()
    assert (ended.ended_by, ended.ended_at) == ("staff", ORDERED + timedelta(days=LATE + 12))
    mail = OutgoingMail.objects.filter(kind="installment_calendar").latest("pk")
    assert mail.context["why"] == "resumed"
    assert [third["day"] for third in mail.context["installments"]] == ["2026-07-13", "2026-08-12"]


@pytest.mark.parametrize(
    ("expires", "refused", "told"), [((7, 2026), "", 1), ((8, 2026), "", 0), ((7, 2026), "lost_card", 0)]
)
def test_who_is_given_days_after_the_end_of_the_card_is_told_so(order, expires, refused, told):
    month, year = expires
    StoredCard.objects.update(expiry_month=month, expiry_year=year, refused_code=refused)
    with at(LATE):
        pause(order)
    with at(LATE + 12):
        resume_installments(order_id=order.pk, by=PauseEnd.STAFF)
    mail = OutgoingMail.objects.filter(kind="installment_card_expires")
    assert [sent.context["last"] for sent in mail] == ["2026-08-12"] * told


@pytest.mark.parametrize("by", [PauseEnd.CUSTOMER, PauseEnd.STAFF])
def test_it_goes_on_while_a_bank_disputes_a_payment(order, provider, by):
    """Nothing is charged on any day then, so that none is named."""
    with at(LATE):
        pause(order)
    with at(LATE + 2):
        contested = dispute(provider)
    before = days(order), mails(order)
    with at(LATE + 12):
        with pytest.raises(Problem) as refused:
            resume_installments(order_id=order.pk, by=by)
        assert (refused.value.code, refused.value.status) == ("not_resumable", 409)
        assert refused.value.detail == (
            "Un litige, une annulation ou un remboursement empêche de reprendre les échéances."
        )
        assert ((days(order), mails(order)), InstallmentPause.objects.get().ended_at) == (before, None)
    with at(LATE + 13):
        provider.move_dispute(contested, "won")
        sync_disputes(Attempt.objects.get().intent_id)
        resume_installments(order_id=order.pk, by=by)
    assert days(order) == [date(2026, 6, 1), date(2026, 7, 14), date(2026, 8, 13)]
    assert InstallmentPause.objects.get().ended_by == by


def test_a_day_that_had_passed_before_it_is_not_moved(order):
    with at(35):
        pause(order)
    with at(40):
        resume_installments(order_id=order.pk, by=PauseEnd.STAFF)
    second = order.payments.get(position=2)
    assert (second.due_on, second.state, second.stopped_code) == (date(2026, 7, 1), "due", "resumed")
    assert days(order)[2] == date(2026, 8, 5)


@pytest.mark.parametrize(
    ("start", "end", "charged"),
    [
        (30, 50, [date(2026, 7, 24), date(2026, 8, 20)]),
        # Due in three days: this mail is the notice.
        (27, 47, [date(2026, 7, 21), date(2026, 8, 20)]),
    ],
)
def test_what_falls_due_at_the_end_is_announced_three_days_before(order, start, end, charged):
    with at(start):
        pause(order)
        assert days(order)[1] == date(2026, 7, 1)
    with at(end):
        resume_installments(order_id=order.pk, by=PauseEnd.CUSTOMER)
    assert charge_days(order) == charged
    assert order.payments.get(position=2).announced_at == ORDERED + timedelta(days=end)


def test_l312_4_dispatch_ends_it_and_nothing_falls_later_than_fifty_days_after(order):
    with at(LATE):
        pause(order)
    with at(LATE + 25):
        change_status(order_id=order.pk, status="shipped", actor=None, dispatched_on=date(2026, 6, 22))
    # 22 June and fifty days; the second installment: 1 July and twenty-five days, the parcel being there long since.
    assert days(order) == [date(2026, 6, 1), date(2026, 7, 26), date(2026, 8, 11)]
    assert InstallmentPause.objects.get().ended_by == "dispatch"
    assert mails(order).count("installment_calendar") == 2
    assert mails(order).count("installment_moved") == 0


@pytest.mark.parametrize("by", [PausedBy.CUSTOMER, PausedBy.STAFF])
def test_l216_6_dispatch_ends_it_and_nothing_is_charged_before_the_parcel_should_be_there(order, by):
    order.payments.filter(position=3).update(
        state="due", stopped_code="stolen_card", next_try_on=date(2026, 7, 2)
    )
    with at(26):
        pause(order, by)
    with at(29):
        change_status(order_id=order.pk, status="shipped", actor=None)
    # Sent on Tuesday 30 June, the carrier's five days end on Monday 6 July, nine days after the pause began.
    second, third = order.payments.filter(position__gt=1).order_by("position")
    assert second.due_on == date(2026, 7, 10)
    assert third.next_try_on == date(2026, 7, 6)
    assert order.events.get(name="installments.unpaused").data["days"] == 9
    change_status(order_id=order.pk, status="processing", actor=None, reason="Erreur.")
    assert days(order)[1] == date(2026, 7, 1)
    # The pause goes on: no day is promised.
    told = render(OutgoingMail.objects.filter(kind="installment_calendar").latest("pk"))
    assert told.subject.startswith("Vos échéances sont suspendues")
    assert "Votre colis n'était pas encore parti" in told.text
    assert "Rien n'est débité ni réclamé jusqu'à la reprise." in told.text
    assert "sera débitée" not in told.text


def test_another_card_that_is_kept_meanwhile_is_said_not_to_be_charged(order):
    with at(LATE):
        mail_card_stored(order, StoredCard.objects.get())
        pause(order)
    StoredCard.objects.update(kept_at=ORDERED + timedelta(days=LATE + 1))
    mail_card_stored(order, StoredCard.objects.get())
    before, meanwhile = (
        render(mail).text for mail in OutgoingMail.objects.filter(kind="installment_card_kept").order_by("pk")
    )
    assert "Échéance 2/3\u00a0: 60,00\u00a0€, débit le 1er juillet 2026" in before
    assert "Rien n'est débité ni réclamé jusqu'à la reprise." in meanwhile
    assert "débit le" not in meanwhile


@pytest.mark.parametrize(
    ("handed_over", "due"),
    [
        (29, [date(2026, 6, 1), date(2026, 7, 4), date(2026, 8, 3)]),
        (26, [date(2026, 6, 1), date(2026, 7, 1), date(2026, 7, 31)]),
    ],
)
def test_what_is_handed_over_has_arrived(order, handed_over, due):
    agreed = days(order)
    with at(26):
        pause(order)
    with at(handed_over):
        change_status(order_id=order.pk, status="delivered", actor=None)
    assert days(order) == due
    moved = [None if day == before else before for day, before in zip(due, agreed, strict=True)]
    assert list(order.payments.order_by("position").values_list("moved_from", flat=True)) == moved


def test_its_end_is_not_told_where_all_is_paid(order):
    with at(LATE):
        pause(order)
        order.payments.update(state="paid")
        change_status(order_id=order.pk, status="shipped", actor=None)
    assert InstallmentPause.objects.get().ended_by == "dispatch"
    assert mails(order).count("installment_calendar") == 1


@pytest.mark.parametrize(("next_try", "later"), [(40, 40), (34, 36)])
def test_a_late_payment_keeps_its_next_try_or_has_three_days(order, next_try, later):
    second = order.payments.filter(position=2)
    second.update(state="due", next_try_on=(ORDERED + timedelta(days=next_try)).date())
    with at(32):
        pause(order)
    with at(33):
        resume_installments(order_id=order.pk, by=PauseEnd.STAFF)
    assert second.get().next_try_on == (ORDERED + timedelta(days=later)).date()


def test_past_the_fifty_days_no_new_day_is_granted(order):
    with at(3):
        change_status(order_id=order.pk, status="shipped", actor=None)
    with at(20):
        pause(order)
    with at(60):
        resume_installments(order_id=order.pk, by=PauseEnd.STAFF)
    third = order.payments.get(position=3)
    assert (third.due_on, third.state, third.stopped_code) == (date(2026, 7, 24), "due", "resumed")


# --- The customer -----------------------------------------------------------------------------------------


def test_l216_6_a_customer_suspends_from_the_page_of_a_late_order_and_goes_on(order, client):
    with at(LATE):
        page = client.get(order_url(order)).content.decode()
        assert "Votre commande devait être livrée au plus tard le 15\xa0juin 2026." in page
        assert f'action="{payment_page_url(order).removeprefix("http://localhost:8000")}"' in page
        answer = client.post(payment_page_url(order), {"pause": "start"})
        assert (answer.status_code, answer["Location"].rpartition("?")[2]) == (303, "etat=paused")
        shown = client.get(answer["Location"]).content.decode()
        assert "Rien n'est débité jusqu'à la reprise. Un e-mail vous le confirme." in shown
        assert "Payer l'échéance 2/3" in shown.replace("&#x27;", "'").replace("\xa0", " ")
        stopped = InstallmentPause.objects.get()
        assert (stopped.started_by, stopped.actor, stopped.ended_at) == ("customer", None, None)
        answer = client.post(payment_page_url(order), {"pause": "end"})
        assert answer["Location"].endswith("?etat=resumed")
    assert InstallmentPause.objects.get().ended_by == "customer"
    names = order.events.filter(name__startswith="installments.").values_list("name", flat=True)
    assert list(names) == ["installments.paused", "installments.unpaused"]


@pytest.mark.parametrize("case", ["in time", "sent", "paid", "closed"])
def test_a_customer_who_may_not_suspend_is_told_why(order, client, case):
    words = "Vos échéances peuvent être suspendues quand la date de livraison promise est passée."
    # In time until the promised day is over.
    with at(14 if case == "in time" else LATE):
        if case == "sent":
            change_status(order_id=order.pk, status="shipped", actor=None)
        elif case == "paid":
            order.payments.filter(position__gt=1).update(state="paid")
            words = "Cette commande n'a plus rien à payer."
        elif case == "closed":
            change_status(order_id=order.pk, status="cancelled", actor=None, refund=True)
            words = "Cette commande n'a plus rien à payer."
        assert "Suspendre mes échéances" not in client.get(payment_page_url(order)).content.decode()
        before = rows()
        answer = client.post(payment_page_url(order), {"pause": "start"})
        assert answer.status_code == 409
        assert words in answer.content.decode().replace("&#x27;", "'")
        assert rows() == before
    assert not InstallmentPause.objects.exists()


def test_a_foreign_link_suspends_nothing(order, client):
    with at(LATE):
        address = payment_page_url(order)[:-3] + "xxx"
        assert client.post(address, {"pause": "start"}).status_code == 404
    assert not InstallmentPause.objects.exists()


def test_suspending_twice_is_one_pause_and_one_mail(order):
    with at(LATE):
        assert pause(order, PausedBy.CUSTOMER) == pause(order)
    assert mails(order).count("installment_calendar") == 1


# --- Staff ------------------------------------------------------------------------------------------------


def test_staff_suspend_with_a_reason_and_find_it_among_what_waits(order, staff_client):
    address = reverse("staff-order-pause", args=[order.pk])
    assert "Ce champ est obligatoire." in staff_client.post(address, {"reason": ""}).content.decode()
    assert not InstallmentPause.objects.exists()
    assert staff_client.post(address, {"reason": "Résine en retard."}).status_code == 302
    stopped = InstallmentPause.objects.get()
    assert (stopped.started_by, stopped.reason, stopped.actor.email) == (
        "staff", "Résine en retard.", "admin@example.com",
    )  # fmt: skip
    assert "Échéances suspendues" in staff_client.get(reverse("staff-home")).content.decode()
    assert "Résine en retard." in staff_client.get(address).content.decode()
    header = staff_client.get(reverse("admin:orders_order_change", args=[order.pk])).content.decode()
    assert "1re échéance payée le" in header
    assert "1 sur 3" in header
    staff_client.post(address)
    stopped.refresh_from_db()
    assert stopped.ended_by == "staff"


def test_staff_say_why(order):
    before = rows()
    with pytest.raises(Problem) as refused:
        pause(order, reason=" ")
    assert refused.value.code == "reason_needed"
    assert rows() == before


def test_an_order_that_nobody_paid_is_not_suspended():
    offer_installments()
    unpaid = make_order((make_product(price="180.00"), 1), payment_mode="installments")
    with pytest.raises(Problem) as refused:
        pause(unpaid)
    assert refused.value.code == "nothing_due"
