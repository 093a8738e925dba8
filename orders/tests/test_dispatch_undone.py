"""A dispatch that was not one: undone with a reason; and one that was noted on a later day."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from orders.access import order_url
from orders.models import Attempt, InstallmentPause, Order, OrderStatus, PausedBy, PauseEnd
from orders.selectors.installments import to_announce, to_collect
from orders.services.fulfilment.delivery_promises import set_delivery_day
from orders.services.fulfilment.status_changes import update_status
from orders.services.installments.dates import pause_installments, resume_installments
from orders.services.installments.scheduled_payments import record_refusal
from orders.services.payments.due_installments import run_round
from orders.services.refunds.disputes import sync_disputes
from orders.tests.disputes import dispute
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.refunding import in_installments, mails, paid_again, rows
from orders.tests.statuses import set_status
from orders.tests.withdrawing import declare
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("provider")]

ORDERED = datetime(2026, 6, 1, 10, tzinfo=UTC)
WHY = "Le colis est resté sur l'étagère."


def at(days: int, hours: int = 0) -> time_machine.travel:
    return time_machine.travel(ORDERED + timedelta(days=days, hours=hours), tick=False)


@pytest.fixture
def order() -> Order:
    with at(0):
        return in_installments()


def calendar(order: Order) -> list[tuple[Any, ...]]:
    fields = ("due_on", "state", "announced_at", "next_try_on", "moved_from", "stopped_code")
    return list(order.payments.order_by("position").values_list(*fields))


def stock(order: Order) -> list[tuple[int | None, str]]:
    return list(order.stock_holds.values_list("product__stock_quantity", "state"))


def test_everything_is_as_it_was_before(order, client):
    before = calendar(order)
    held = stock(order)
    with at(3):
        set_status(order, "shipped", tracking_number="6A123", carrier="dpd")
    assert calendar(order)[2][0] == date(2026, 7, 24)
    assert stock(order) == held
    with at(4):
        assert "6A123" in client.get(order_url(order)).content.decode()
        set_status(order, "shipped", tracking_number="6A124")
        parcel = order.shipments.get()
        assert (parcel.carrier, parcel.tracking_number) == ("dpd", "6A124")
        changed = set_status(order, "processing", reason=WHY, message="Votre colis part lundi.")
        page = client.get(order_url(order)).content.decode()
    assert (changed.status, changed.shipped_at, changed.goods_have_left) == ("processing", None, False)
    assert calendar(order) == before
    assert stock(order) == held
    assert "6A12" not in page
    assert "(annulée\xa0: le colis n'était pas parti)" in page
    assert list(order.tracking.values_list("status", "message", "undone")) == [
        ("processing", "Votre colis part lundi.", False),
        ("shipped", "", True),
        ("shipped", "Statut mis à jour vers: Expédiée", True),
        ("confirmed", "", False),
    ]
    event = order.events.get(name="order.status_changed", data__after="processing")
    assert (event.data["before"], event.data["reason"]) == ("shipped", WHY)
    # The customer is told of the status and of the days; the mail of a dispatch that a minute had not passed is gone.
    assert mails(order).count("installment_calendar") == 1


def test_l312_4_a_dispatch_that_is_noted_again_is_told_to_who_owes_installments_again(order):
    """In between its customer read that the days are as they were."""
    with at(3):
        set_status(order, "shipped")
    with at(3, hours=1):
        set_status(order, "processing", reason=WHY)
    with at(3, hours=2):
        set_status(order, "shipped")
    assert calendar(order)[2][0] == date(2026, 7, 24)
    told = [kind for kind in mails_in_order(order) if kind.startswith("installment")]
    assert told == ["installment_moved", "installment_calendar", "installment_moved"]


def mails_in_order(order: Order) -> list[str]:
    kinds = OutgoingMail.objects.filter(reference=order.reference).order_by("pk")
    return list(kinds.values_list("kind", flat=True))


def test_without_a_reason_nothing_is_undone(order):
    set_status(order, "shipped")
    before = rows()
    with pytest.raises(Problem) as refused:
        set_status(order, "processing", message="Oups.")
    assert (refused.value.code, refused.value.status, refused.value.detail) == (
        "reason_needed", 409, "Dites pourquoi\xa0: le motif reste au journal.",
    )  # fmt: skip
    assert rows() == before


def test_delivered_goods_are_undelivered_first(order):
    set_status(order, "shipped")
    set_status(order, "delivered")
    before = rows()
    with pytest.raises(Problem) as refused:
        set_status(order, "processing", reason=WHY)
    assert refused.value.detail == "Corrigez d'abord la livraison\xa0: remettez-la «\xa0Expédiée\xa0»."
    assert rows() == before
    set_status(order, "shipped")
    assert set_status(order, "processing", reason=WHY).delivered_at is None


def test_a_delivery_day_that_was_noted_goes_with_the_dispatch(order):
    set_status(order, "shipped")
    set_delivery_day(order_id=order.pk, delivered_on=timezone.localdate(), actor=None)
    changed = set_status(order, "processing", reason=WHY)
    assert (changed.shipped_at, changed.delivered_at, changed.goods_have_left) == (None, None, False)
    with pytest.raises(Problem) as refused:
        set_delivery_day(order_id=order.pk, delivered_on=timezone.localdate(), actor=None)
    assert refused.value.code == "order_not_sent"
    declare(order)
    with pytest.raises(Problem) as refused:
        set_status(order, "shipped")
    assert refused.value.code == "withdrawal_open"


def test_goods_handed_over_have_left_also_where_the_day_is_not_known(order):
    with at(5):
        set_status(order, "delivered")
    with at(7):
        changed = set_delivery_day(order_id=order.pk, delivered_on=None, actor=None)
        assert (changed.status, changed.delivered_at, changed.all_goods_have_left) == (
            "delivered",
            None,
            True,
        )
        assert set_delivery_day(
            order_id=order.pk, delivered_on=date(2026, 6, 6), actor=None
        ).delivered_at == datetime(2026, 6, 6, 10, tzinfo=UTC)


def test_goods_handed_over_by_mistake_are_brought_back_in_two_steps(order):
    with at(5):
        set_status(order, "delivered")
    with at(6):
        changed = set_status(order, "shipped")
        assert (changed.shipped_at, changed.delivered_at) == (ORDERED + timedelta(days=5), None)
        assert set_status(order, "processing", reason=WHY).goods_have_left is False


def test_goods_that_came_back_had_left(order):
    set_status(order, "shipped")
    case = declare(order)
    case.goods_received_at = timezone.now()
    case.save()
    with pytest.raises(Problem) as refused:
        set_status(order, "processing", reason=WHY)
    assert (refused.value.code, refused.value.detail) == (
        "goods_returned",
        "Le client a renvoyé des pièces\xa0: la commande est bien partie.",
    )


def test_a_declaration_waits_for_no_return_of_goods_that_never_left(order):
    set_status(order, "shipped")
    case = declare(order)
    assert case.state == "goods_awaited"
    set_status(order, "processing", reason=WHY)
    case.refresh_from_db()
    assert case.state == "declared"


def test_an_installment_that_was_charged_early_stays_charged_and_staff_are_told(order, client, admin):
    with at(3):
        set_status(order, "shipped")
    with at(53):
        paid_again(order, "60.00")
        order.payments.filter(position=2).update(paid_at=timezone.now())
        paid_again(order, "60.00")
        order.payments.filter(position=3).update(paid_at=timezone.now())
        client.force_login(admin)
        assert client.get(f"/api/admin/orders/{order.pk}").json()["charged_early"] == 1
        set_status(order, "processing", reason=WHY)
    assert [state for _due, state, *_rest in calendar(order)] == ["paid", "paid", "paid"]
    assert calendar(order)[2][0] == date(2026, 7, 24)


def test_an_installment_that_the_bank_refused_early_waits_for_its_agreed_day_again(order):
    with at(3):
        set_status(order, "shipped")
    order.payments.filter(position=3).update(state="overdue", stopped_code="stolen_card", next_try_on=None)
    with at(54):
        set_status(order, "processing", reason=WHY)
    assert calendar(order)[2][:2] == (date(2026, 7, 31), "scheduled")


def test_a_pause_that_the_dispatch_ended_goes_on(order):
    with at(20):
        pause_installments(order_id=order.pk, by=PausedBy.STAFF, reason="Retard.")
    before = calendar(order)
    with at(40):
        set_status(order, "shipped")
    assert InstallmentPause.objects.get().ended_by == "dispatch"
    # Suspended for twenty days, and until the 18th, when the parcel that left on the 11th should be there.
    assert [due for due, *_rest in calendar(order)] == [
        date(2026, 6, 1),
        date(2026, 7, 28),
        date(2026, 8, 27),
    ]
    with at(41):
        set_status(order, "processing", reason=WHY)
    pause = InstallmentPause.objects.get()
    assert (pause.ended_at, pause.ended_by) == (None, "")
    assert calendar(order) == before


@pytest.fixture
def put_off(order: Order) -> Order:
    """Suspended on the 21st of June; on the 11th of July it left, which put the second off from the 1st to the 28th."""
    with at(20):
        pause_installments(order_id=order.pk, by=PausedBy.STAFF, reason="Atelier fermé.")
    with at(40):
        set_status(order, "shipped")
    return order


def test_what_the_end_of_a_pause_put_off_is_not_told_as_brought_forward(put_off, client, admin):
    with at(42):
        page = client.get(order_url(put_off)).content.decode()
        assert ("Avancée à l'expédition" in page, calendar(put_off)[1][4]) == (False, date(2026, 7, 1))
        put_off.payments.filter(position=2).update(state="paid", paid_at=timezone.now())
        client.force_login(admin)
        assert client.get(f"/api/admin/orders/{put_off.pk}").json()["charged_early"] == 0


def test_a_pause_after_the_dispatch_puts_off_the_days_that_the_one_before_it_gave(put_off, client):
    with at(45):
        pause_installments(order_id=put_off.pk, by=PausedBy.STAFF, reason="Litige avec le transporteur.")
    with at(50):
        resume_installments(order_id=put_off.pk, by=PauseEnd.STAFF)
        page = client.get(order_url(put_off)).content.decode()
    # Five days later; the third would be more than fifty days after the dispatch.
    assert [(row[0], row[1], row[4]) for row in calendar(put_off)[1:]] == [
        (date(2026, 8, 2), "scheduled", None),
        (date(2026, 8, 30), "scheduled", date(2026, 9, 1)),
    ]
    assert page.count("Avancée à l'expédition") == 1


def test_a_pause_begun_after_a_dispatch_that_is_undone_goes_on_from_the_one_that_it_ended(put_off):
    with at(45):
        pause_installments(order_id=put_off.pk, by=PausedBy.STAFF, reason="Le colis est revenu.")
    with at(50):
        set_status(put_off, "processing", reason=WHY)
    # Suspended for forty days together, as if nothing had left.
    with at(60):
        resume_installments(order_id=put_off.pk, by=PauseEnd.STAFF)
    assert [row[:2] for row in calendar(put_off)[1:]] == [
        (date(2026, 8, 10), "scheduled"),
        (date(2026, 9, 9), "scheduled"),
    ]


def test_days_that_come_back_are_told_once_no_bank_disputes_a_payment(order, provider):
    with at(18):
        set_status(order, "shipped", dispatched_on=date(2026, 6, 1))
    moved = calendar(order)[2]
    assert (moved[0], moved[4]) == (date(2026, 7, 21), date(2026, 7, 31))
    with at(57):
        contested = dispute(provider)
        set_status(order, "processing", reason=WHY)
    # Due in three days: a mail would be its announcement, and nothing is charged.
    assert calendar(order)[2] == (date(2026, 7, 31), "scheduled", None, None, None, "")
    assert "installment_calendar" not in mails(order)
    with at(58):
        provider.move_dispute(contested, "won")
        sync_disputes(Attempt.objects.get().intent_id)
        run_round(timezone.now())
    third = order.payments.get(position=3)
    assert (third.announced_at, third.next_try_on) == (ORDERED + timedelta(days=58), date(2026, 8, 1))
    told = OutgoingMail.objects.filter(kind="installment_reminder", context__position=3)
    assert [mail.context["day"] for mail in told] == ["2026-08-01"]


def test_a_pause_that_ended_before_the_dispatch_stays_ended(order):
    with at(5):
        pause_installments(order_id=order.pk, by=PausedBy.STAFF, reason="Retard.")
    with at(7):
        resume_installments(order_id=order.pk, by=PauseEnd.STAFF)
    with at(8):
        set_status(order, "shipped")
    with at(9):
        set_status(order, "processing", reason=WHY)
    pause = InstallmentPause.objects.get()
    assert (pause.ended_at, pause.ended_by) == (ORDERED + timedelta(days=7), "staff")


# --- The day of dispatch --------------------------------------------------------------------------------


def test_l312_4_the_day_that_staff_enter_begins_the_fifty_days(order):
    with at(8):
        changed = set_status(order, "shipped", dispatched_on=date(2026, 6, 4))
    assert timezone.localtime(changed.shipped_at).isoformat() == "2026-06-04T12:00:00+02:00"
    assert calendar(order)[2][0] == date(2026, 7, 24)


def test_the_day_of_the_payment_is_not_before_the_payment(order):
    # After noon, the hour of a day that staff enter.
    Order.objects.filter(pk=order.pk).update(paid_at=ORDERED + timedelta(hours=3))
    with at(0, hours=6):
        changed = set_status(order, "shipped", dispatched_on=date(2026, 6, 1))
        assert changed.shipped_at == timezone.now()
    set_status(order, "processing", reason=WHY)
    with at(2):
        changed = set_status(order, "shipped", dispatched_on=date(2026, 6, 1))
    assert changed.shipped_at == changed.paid_at == ORDERED + timedelta(hours=3)


@pytest.mark.parametrize("day", [date(2026, 5, 31), date(2026, 6, 10)], ids=["before", "to come"])
def test_a_day_before_the_payment_or_to_come_is_refused(order, client, admin, day):
    with at(8):
        before = rows()
        with pytest.raises(Problem) as refused:
            update_status(order_id=order.pk, status=OrderStatus.SHIPPED, actor=None, dispatched_on=day)
        assert (refused.value.code, refused.value.errors) == (
            "invalid_date",
            {"dispatched_on": ["L'expédition ne peut être ni à venir ni avant le paiement."]},
        )
        client.force_login(admin)
        answer = client.post(
            f"/api/admin/orders/{order.pk}/status",
            {"status": "shipped", "dispatched_on": day.isoformat()},
            content_type="application/json",
        )
        assert answer.json()["errors"] == refused.value.errors
        assert rows() == before


def test_an_order_paid_at_once_has_no_calendar_to_restore():
    order = pay_order(make_order((make_product(), 1)))
    set_status(order, "shipped")
    set_status(order, "processing", reason=WHY)
    assert mails(order).count("installment_calendar") == 0


@pytest.mark.parametrize(("undone_at", "state"), [(53, "scheduled"), (62, "due")])
def test_a_charge_refused_after_the_dispatch_was_undone_is_made_on_its_agreed_day(order, undone_at, state):
    """Brought forward to the 24th of July, and the bank was asked on that day; the 31st is agreed."""
    with at(3):
        set_status(order, "shipped")
    with at(53):
        third = order.payments.get(position=3)
        third.announced_at = timezone.now() - timedelta(days=3)
        third.save()
        charge = Attempt.objects.create(
            payment=third, kind="off_session", state="sent", amount_cents=6000, expires_at=timezone.now()
        )
    with at(undone_at):
        set_status(order, "processing", reason=WHY)
        charge.state, charge.error_code = "failed", "insufficient_funds"
        charge.save()
        third.refresh_from_db()
        record_refusal(order=order, payment=third, attempt=charge)
    third.refresh_from_db()
    assert (third.state, third.due_on, third.stopped_code) == (state, date(2026, 7, 31), "")
    days = [ORDERED.date() + timedelta(days=day) for day in range(53, 75)]
    if state == "scheduled":
        assert (third.next_try_on, mails(order).count("installment_refused")) == (None, 0)
        assert next(day for day in days if third in to_announce(day)) == date(2026, 7, 31)
    else:
        # Its agreed day had passed: the mail of the refusal names the next try.
        assert (third.next_try_on, mails(order).count("installment_refused")) == (date(2026, 8, 5), 1)
        assert next(day for day in days if third in to_collect(day)) == date(2026, 8, 5)
