"""The promised date (L216-1), what happens when it is missed (L216-6, L216-7), and the day of delivery."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from importlib import import_module

import pytest
import time_machine
from django.apps import apps
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from orders.books.staff_tasks import staff_tasks
from orders.journal import record_event
from orders.models import Attempt, Order, OrderEvent, WithdrawalCase
from orders.selectors.admin_orders import count_orders, find_orders
from orders.selectors.board import read_board
from orders.selectors.installments import delivery_is_late
from orders.selectors.withdrawal_period import withdrawal_deadline
from orders.services.fulfilment import delivery_promises
from orders.services.fulfilment.delivery_promises import (
    report_overdue_orders,
    set_delivery_day,
    set_promised_date,
)
from orders.services.fulfilment.status_changes import update_status
from orders.services.refunds.disputes import sync_disputes
from orders.tests.disputes import dispute
from orders.tests.factories import make_order, pay_order
from orders.tests.memory_provider import MemoryProvider
from orders.tests.withdrawing import declare
from shop.core.jobs import registered_jobs
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 11, 23, 11, 0, tzinfo=UTC)
LAST_MOMENT = datetime(2026, 12, 1, 22, 59, tzinfo=UTC)  # 23:59 in Paris


@pytest.fixture(autouse=True)
def _clock():
    with time_machine.travel(NOON, tick=False):
        yield


@pytest.fixture
def order():
    """Promised for 1 December."""
    placed = pay_order(make_order(language="de"))
    Order.objects.filter(pk=placed.pk).update(promised_by=date(2026, 12, 1))
    placed.refresh_from_db()
    return placed


def overdue_mails():
    return list(
        OutgoingMail.objects.filter(kind__startswith="delivery").order_by("pk").values_list("kind", "to")
    )


def rows():
    return (list(Order.objects.values_list()), OrderEvent.objects.count(), OutgoingMail.objects.count())


def test_l216_6_the_customer_learns_of_a_missed_date_and_of_the_right_to_cancel(order):
    assert report_overdue_orders(LAST_MOMENT) == 0
    assert report_overdue_orders(LAST_MOMENT + timedelta(minutes=1)) == 1

    assert overdue_mails() == [
        ("delivery_overdue", "lea@example.com"),
        ("delivery_overdue_workshop", "boutique@example.com"),
    ]
    mail = OutgoingMail.objects.get(kind="delivery_overdue")
    text = render(mail).text
    assert mail.language == "de"
    assert "1. Dezember 2026" in text
    assert "L216-6" in text
    assert "L216-7" in text
    assert f"/de/widerruf?commande={order.pk}&acces=" in text


def test_an_order_that_fails_keeps_no_other_waiting(order, fail_first):
    other = pay_order(make_order())
    Order.objects.filter(pk=other.pk).update(promised_by=date(2026, 12, 1))
    fail_first(delivery_promises, "mail_overdue")
    with pytest.raises(RuntimeError, match="unforeseen"):
        report_overdue_orders(NOON + timedelta(days=10))
    assert len(overdue_mails()) == 2
    # What failed left nothing behind: the next run says it.
    assert report_overdue_orders(NOON + timedelta(days=10)) == 1
    assert len(overdue_mails()) == 4


def test_it_is_said_once_and_again_only_for_another_date(order):
    job = registered_jobs()["overdue-deliveries"].run
    for days in (10, 11, 30):
        job(NOON + timedelta(days=days))
    assert len(overdue_mails()) == 2

    with time_machine.travel(NOON + timedelta(days=30), tick=False):
        set_promised_date(order_id=order.pk, promised_by=date(2026, 12, 30), reason="Résine.", actor=None)
    assert report_overdue_orders(NOON + timedelta(days=36)) == 0
    assert report_overdue_orders(NOON + timedelta(days=38)) == 1
    assert [kind for kind, _to in overdue_mails()] == [
        "delivery_overdue", "delivery_overdue_workshop", "delivery_postponed",
        "delivery_overdue", "delivery_overdue_workshop",
    ]  # fmt: skip


@pytest.mark.parametrize("status", ["shipped", "delivered", "cancelled", "refunded"])
def test_only_paid_orders_in_the_workshop_are_late(order, status):
    Order.objects.filter(pk=order.pk).update(status=status)

    assert report_overdue_orders(NOON + timedelta(days=30)) == 0


def test_nobody_waits_for_an_order_that_is_withdrawn_until_that_is_taken_back(order):
    late = NOON + timedelta(days=30)
    case = declare(order)
    assert report_overdue_orders(late) == 0
    assert late_for_staff_and_customer(order, late.date()) == (0, [], [False], 0, 0, False)
    with pytest.raises(Problem, match="Il ne reste rien à expédier de cette commande"):
        set_promised_date(order_id=order.pk, promised_by=date(2026, 12, 12), reason="Résine.", actor=None)
    WithdrawalCase.objects.filter(pk=case.pk).update(state="refused")
    assert late_for_staff_and_customer(order, late.date()) == (1, [order], [True], 1, 0, True)
    assert report_overdue_orders(late) == 1


def at(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 8, tzinfo=UTC)


def dispute_between(provider: MemoryProvider, opened: date, closed: date) -> None:
    with time_machine.travel(at(opened), tick=False):
        dispute_id = dispute(provider)
    with time_machine.travel(at(closed), tick=False):
        provider.move_dispute(dispute_id, "won")
        sync_disputes(Attempt.objects.get(charge_id__isnull=False).intent_id)


def late_for_staff_and_customer(order: Order, day: date) -> tuple[object, ...]:
    with time_machine.travel(at(day), tick=False):
        tasks = {task.several: task.count for task in staff_tasks(day)}
        assert not [task for task in staff_tasks(day) if "promise" in task.detail and "retard" in task.detail]
        return (
            count_orders().late,
            find_orders(late=True).rows,
            [card.is_late for card in read_board().cards],
            tasks.get("Commandes en retard sur leur date promise", 0),
            tasks.get("Commandes à préparer", 0),
            delivery_is_late(Order.objects.get(pk=order.pk)),
        )


@pytest.mark.parametrize(
    ("opened", "closed", "silent", "told"),
    [
        # Fifteen days with the bank, and the whole of the sixteenth.
        (date(2026, 11, 25), date(2026, 12, 10), date(2026, 12, 16), date(2026, 12, 17)),
        (date(2026, 11, 30), date(2026, 12, 20), date(2026, 12, 21), date(2026, 12, 22)),
        (date(2026, 11, 25), date(2026, 11, 25), date(2026, 12, 1), date(2026, 12, 2)),
    ],
)
def test_the_days_that_a_bank_kept_an_order_here_are_none_of_the_workshops_delay(
    order, provider, opened, closed, silent, told
):
    dispute_between(provider, opened, closed)
    for day in (closed, silent):
        assert report_overdue_orders(at(day)) == 0
        assert late_for_staff_and_customer(order, day) == (0, [], [False], 0, 1, False)
    assert late_for_staff_and_customer(order, told) == (1, [order], [True], 1, 0, True)
    assert report_overdue_orders(at(told)) == 1
    assert overdue_mails() == [
        ("delivery_overdue", "lea@example.com"),
        ("delivery_overdue_workshop", "atelier@example.com"),
    ]


def test_days_of_two_disputes_at_once_count_once_and_those_before_a_new_date_not_at_all(order, provider):
    with time_machine.travel(at(date(2026, 11, 24)), tick=False):
        second = dispute(provider, cents=1000)
    dispute_between(provider, date(2026, 11, 24), date(2026, 11, 30))
    with time_machine.travel(at(date(2026, 12, 4)), tick=False):
        provider.move_dispute(second, "won")
        sync_disputes(Attempt.objects.get(charge_id__isnull=False).intent_id)
    assert report_overdue_orders(at(date(2026, 12, 11))) == 0
    with time_machine.travel(at(date(2026, 12, 5)), tick=False):
        set_promised_date(order_id=order.pk, promised_by=date(2026, 12, 9), reason="Résine.", actor=None)
    assert report_overdue_orders(at(date(2026, 12, 10))) == 1


@pytest.mark.parametrize(("promised_anew", "until"), [(None, 16), (date(2026, 12, 5), 10)])
def test_orders_from_before_the_column_keep_their_days(order, provider, promised_anew, until):
    dispute_between(provider, date(2026, 11, 25), date(2026, 12, 10))
    if promised_anew:
        with time_machine.travel(at(promised_anew), tick=False):
            record_event(order, "delivery.promise_changed", before="2026-11-30", after="2026-12-01")
    Order.objects.update(excused_until=None, promised_by=promised_anew or order.promised_by)
    migration = import_module("orders.migrations.0021_excused_days")
    migration.forwards(apps, connection.schema_editor())
    order.refresh_from_db()
    assert order.excused_until == date(2026, 12, until)


def test_no_new_date_is_promised_while_a_bank_disputes_the_payment(order, provider):
    dispute_id = dispute(provider)
    before = rows()
    with pytest.raises(Problem) as refusal:
        set_promised_date(order_id=order.pk, promised_by=date(2026, 12, 12), reason="Résine.", actor=None)
    assert (refusal.value.code, refusal.value.status, refusal.value.detail) == (
        "order_disputed",
        409,
        "La banque du client conteste ce paiement\u00a0: n'expédiez rien tant que le litige est ouvert.",
    )
    assert rows() == before

    provider.move_dispute(dispute_id, "won")
    sync_disputes(Attempt.objects.get(charge_id__isnull=False).intent_id)
    set_promised_date(order_id=order.pk, promised_by=date(2026, 12, 12), reason="Résine.", actor=None)
    order.refresh_from_db()
    assert order.promised_by == date(2026, 12, 12)


def test_a_new_date_is_told_with_its_reason_and_the_former_one_kept(order):
    set_promised_date(
        order_id=order.pk,
        promised_by=date(2026, 12, 12),
        reason="La résine dorée arrive plus tard.",
        actor=None,
    )

    order.refresh_from_db()
    assert order.promised_by == date(2026, 12, 12)
    event = order.events.get(name="delivery.promise_changed")
    assert event.data == {
        "before": "2026-12-01", "after": "2026-12-12", "reason": "La résine dorée arrive plus tard.",
    }  # fmt: skip
    text = render(OutgoingMail.objects.get(kind="delivery_postponed")).text
    for words in ("1. Dezember 2026", "12. Dezember 2026", "La résine dorée arrive plus tard."):
        assert words in text


def test_l216_6_each_new_date_is_told_also_one_that_was_told_before(order):
    for day in (12, 1, 12):
        set_promised_date(order_id=order.pk, promised_by=date(2026, 12, day), reason="Résine", actor=None)
    told = OutgoingMail.objects.filter(kind="delivery_postponed").order_by("pk")
    assert [(mail.context["before"], mail.context["order"]["promised_by"]) for mail in told] == [
        ("2026-12-01", "2026-12-12"), ("2026-12-12", "2026-12-01"), ("2026-12-01", "2026-12-12"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("day", "code"), [(date(2026, 11, 22), "invalid_date"), (date(2026, 12, 1), "invalid_date")]
)
def test_a_date_that_is_none_changes_nothing(order, day, code):
    before = rows()
    with pytest.raises(Problem) as refusal:
        set_promised_date(order_id=order.pk, promised_by=day, reason="x", actor=None)
    assert refusal.value.code == code
    assert rows() == before


def test_today_is_a_date_that_can_be_promised(order):
    set_promised_date(order_id=order.pk, promised_by=date(2026, 11, 23), reason="x", actor=None)
    order.refresh_from_db()
    assert order.promised_by == date(2026, 11, 23)


def test_what_has_left_keeps_its_promise(order):
    update_status(order_id=order.pk, status="shipped", actor=None)
    before = rows()
    with pytest.raises(Problem) as refusal:
        set_promised_date(order_id=order.pk, promised_by=date(2026, 12, 20), reason="x", actor=None)
    assert (refusal.value.code, refusal.value.status) == ("order_left", 409)
    assert rows() == before


def test_l221_18_staff_set_the_day_of_delivery_and_may_say_that_it_is_not_known(order):
    update_status(order_id=order.pk, status="shipped", actor=None)
    with time_machine.travel(NOON + timedelta(days=5), tick=False):
        set_delivery_day(order_id=order.pk, delivered_on=date(2026, 11, 25), actor=None)
        order.refresh_from_db()
        assert timezone.localdate(order.delivered_at) == date(2026, 11, 25)
        assert withdrawal_deadline(order) == date(2026, 12, 9)
        set_delivery_day(order_id=order.pk, delivered_on=None, actor=None)
    order.refresh_from_db()
    assert (order.delivered_at, withdrawal_deadline(order)) == (None, None)
    assert [event.data["after"] for event in order.events.filter(name="delivery.day_set")] == [
        "2026-11-25",
        None,
    ]


@pytest.mark.parametrize("status", ["shipped", "delivered"])
@pytest.mark.parametrize("day", [date(2026, 11, 22), date(2026, 11, 24)])
def test_a_delivery_is_neither_to_come_nor_before_dispatch_or_payment(order, day, status):
    update_status(order_id=order.pk, status=status, actor=None)
    before = rows()
    with pytest.raises(Problem) as refusal:
        set_delivery_day(order_id=order.pk, delivered_on=day, actor=None)
    assert refusal.value.code == "invalid_date"
    assert rows() == before


def test_what_left_days_after_its_payment_was_not_delivered_between_them(order):
    with time_machine.travel(NOON + timedelta(days=3), tick=False):
        update_status(order_id=order.pk, status="shipped", actor=None)
        before = rows()
        with pytest.raises(Problem) as refusal:
            set_delivery_day(order_id=order.pk, delivered_on=date(2026, 11, 25), actor=None)
        assert refusal.value.code == "invalid_date"
        assert rows() == before
        set_delivery_day(order_id=order.pk, delivered_on=date(2026, 11, 26), actor=None)


def test_what_was_handed_over_may_have_been_so_on_an_earlier_day(order):
    with time_machine.travel(NOON + timedelta(days=5), tick=False):
        update_status(order_id=order.pk, status="delivered", actor=None)
        set_delivery_day(order_id=order.pk, delivered_on=date(2026, 11, 25), actor=None)
    order.refresh_from_db()
    assert (order.shipped_at, withdrawal_deadline(order)) == (None, date(2026, 12, 9))


def test_what_never_left_was_not_delivered(order):
    with pytest.raises(Problem) as refusal:
        set_delivery_day(order_id=order.pk, delivered_on=date(2026, 11, 23), actor=None)
    assert (refusal.value.code, refusal.value.status) == ("order_not_sent", 409)


def test_both_dates_are_set_from_the_admin(order, client, django_user_model):
    client.force_login(django_user_model.objects.create_superuser("chef@example.com", "x"))
    promise = reverse("staff-order-promise", args=[order.pk])
    assert "La date promise engage la boutique." in client.get(promise).content.decode()
    assert client.post(promise, {"promised_by": "2026-12-05", "reason": ""}).status_code == 200
    client.post(promise, {"promised_by": "2026-12-05", "reason": "Résine."})
    order.refresh_from_db()
    assert order.promised_by == date(2026, 12, 5)

    update_status(order_id=order.pk, status="shipped", actor=None)
    delivery = reverse("staff-order-delivery", args=[order.pk])
    client.post(delivery, {"delivered_on": "2026-11-23"})
    assert "jusqu'au 7 décembre 2026" in client.get(delivery).content.decode().replace("&#x27;", "'")
    answer = client.post(delivery, {"delivered_on": "2026-11-30"})
    assert "La livraison ne peut être ni à venir ni avant" in answer.content.decode()


def test_what_arrives_on_the_day_of_its_dispatch_arrives_after_it(order):
    afternoon = NOON + timedelta(hours=4)
    with time_machine.travel(afternoon, tick=False):
        update_status(order_id=order.pk, status="shipped", actor=None)
        set_delivery_day(order_id=order.pk, delivered_on=timezone.localdate(), actor=None)
    order.refresh_from_db()
    assert (order.shipped_at, order.delivered_at) == (afternoon, afternoon)
