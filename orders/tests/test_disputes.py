"""Payments that a bank takes back: what freezes, what is booked, what is told."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from orders.access import access_token
from orders.books.audit import audit_books
from orders.books.staff_tasks import staff_tasks
from orders.journal import record_event
from orders.models import (
    Attempt,
    AttemptState,
    Dispute,
    InstallmentPause,
    Invoice,
    Order,
    OrderStatus,
    PausedBy,
    StoredCard,
    WorkPiece,
)
from orders.selectors.admin_orders import find_orders
from orders.selectors.installments import to_collect
from orders.selectors.order_cards import order_cards
from orders.selectors.workshop import orders_at_risk
from orders.services.fulfilment.delivery_promises import report_overdue_orders
from orders.services.fulfilment.shipments import ship_units
from orders.services.fulfilment.status_changes import update_status
from orders.services.installments.scheduled_payments import record_refusal
from orders.services.payments.due_installments import run_round
from orders.services.payments.reviews import settle_order
from orders.services.payments.settlement import hold_for_review
from orders.services.refunds.disputes import sync_disputes
from orders.services.status.transitions import transition_problem
from orders.tests.disputes import dispute
from orders.tests.refunding import EUROS, bounced, in_installments, ledger, mails, refund, refused, states
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("provider")]


def test_an_open_dispute_freezes_the_order(order, provider):
    dispute_id = dispute(provider)
    row = Dispute.objects.get()
    assert (row.provider_id, row.amount, row.state, row.reason, row.closed_at) == (
        dispute_id, EUROS("49.99"), "needs_response", "fraudulent", None,
    )  # fmt: skip
    assert ledger(order) == [("charge", EUROS("49.99")), ("dispute", EUROS("-49.99"))]
    order.refresh_from_db()
    assert order.review_reason == "dispute: needs_response"
    settle_order(order_id=order.pk, actor=None)
    order.refresh_from_db()
    assert order.review_reason == "dispute: needs_response"
    assert mails(order) == ["dispute_alert"]
    problem = refused("refund_disputed", order)
    assert problem.detail == (
        "Impossible de traiter le remboursement: la banque du client conteste ce paiement. "
        "Répondez d'abord au litige."
    )
    with pytest.raises(Problem) as caught:
        update_status(order_id=order.pk, status="shipped", actor=None)
    assert (caught.value.code, caught.value.detail) == (
        "order_disputed",
        "La banque du client conteste ce paiement\u00a0: n'expédiez rien tant que le litige est ouvert.",
    )
    order.refresh_from_db()
    assert (order.status, order.shipped_at) == (OrderStatus.CONFIRMED, None)
    update_status(order_id=order.pk, status="processing", actor=None)


def test_a_dispute_won_gives_the_money_back_and_lifts_the_freeze(order, provider):
    dispute_id = dispute(provider)
    attempt = Attempt.objects.get()
    # Looked at long ago, and written without its attempt.
    record_event(order, "payment.review", reason="amount: 4900 instead of 4999")
    # Nobody may send it: it is late for nobody until the bank has decided.
    assert report_overdue_orders(timezone.now() + timedelta(days=100)) == 0
    for status in ("under_review", "won", "won"):
        provider.move_dispute(dispute_id, status)
        sync_disputes(attempt.intent_id)
    row = Dispute.objects.get()
    assert (row.state, row.closed_at is None) == ("won", False)
    assert [kind for kind, _amount in ledger(order)] == ["charge", "dispute", "dispute_won"]
    order.refresh_from_db()
    assert order.review_reason == ""
    assert mails(order) == ["dispute_alert"] * 3
    assert report_overdue_orders(timezone.now() + timedelta(days=100)) == 1
    update_status(order_id=order.pk, status="shipped", actor=None)
    assert refund(order).amount == EUROS("49.99")


def test_a_dispute_won_leaves_what_staff_had_to_look_at_before_it(provider):
    order = in_installments()
    second = order.payments.get(position=2)
    doubtful = Attempt.objects.create(
        payment=second, kind="off_session", state="sent", amount_cents=6000, expires_at=timezone.now()
    )
    hold_for_review(doubtful.pk, "amount: 5900 instead of 6000")
    later = Attempt.objects.create(
        payment=order.payments.get(position=3), kind="off_session", state="sent", amount_cents=6000,
        expires_at=timezone.now(),
    )  # fmt: skip
    hold_for_review(later.pk, "currency: usd")
    Attempt.objects.filter(pk=later.pk).update(state=AttemptState.CANCELLED)
    dispute_id = dispute(provider)
    order.refresh_from_db()
    assert order.review_reason == "dispute: needs_response"
    provider.move_dispute(dispute_id, "won")
    sync_disputes(Attempt.objects.get(charge_id__isnull=False).intent_id)
    order.refresh_from_db()
    assert order.review_reason == "amount: 5900 instead of 6000"


def test_what_fell_due_during_a_dispute_is_charged_three_days_after_it_is_announced_again(provider):
    order, today = in_installments(), timezone.localdate()
    StoredCard.objects.create(order=order, customer_id="cus_1", payment_method_id="pm_1")
    for position, days in ((2, -20), (3, 2)):
        order.payments.filter(position=position).update(
            due_on=today + timedelta(days=days), announced_at=timezone.now()
        )
    announced = order.payments.get(position=3).announced_at
    dispute_id = dispute(provider)
    run_round(timezone.now())
    assert mails(order) == ["dispute_alert"]

    provider.move_dispute(dispute_id, "won")
    sync_disputes(Attempt.objects.get().intent_id)
    run_round(timezone.now())

    # Whose day is to come keeps it.
    later = order.payments.filter(position__gt=1).order_by("position")
    assert list(later.values_list("state", "next_try_on")) == [
        ("scheduled", today + timedelta(days=3)),
        ("scheduled", None),
    ]
    assert order.payments.get(position=3).announced_at == announced
    assert mails(order) == ["dispute_alert", "dispute_alert", "installment_reminder"]
    assert [[row.position for row in to_collect(today + timedelta(days=days))] for days in (1, 2, 3)] == [
        [], [3], [2, 3],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("next_try", "suspended", "tried", "told"),
    [
        (-3, False, 3, ["installment_reminder"]),
        (0, False, 3, ["installment_reminder"]),
        (1, False, 1, []),
        (-3, True, -3, []),
    ],
)
def test_a_next_try_that_fell_into_a_dispute_is_announced_again(provider, next_try, suspended, tried, told):
    order, today = in_installments(), timezone.localdate()
    StoredCard.objects.create(order=order, customer_id="cus_1", payment_method_id="pm_1", last4="4242")
    # It was late within the fifty days after dispatch: what follows a refusal goes on after them.
    Order.objects.filter(pk=order.pk).update(first_sent_at=timezone.now() - timedelta(days=60))
    second = order.payments.filter(position=2)
    second.update(
        state="due", due_on=today - timedelta(days=10), next_try_on=today + timedelta(days=next_try),
        announced_at=timezone.now() - timedelta(days=13), link_sent_at=timezone.now() - timedelta(days=10),
    )  # fmt: skip
    if suspended:
        InstallmentPause.objects.create(order=order, started_by=PausedBy.STAFF, reason="Atelier fermé.")
    dispute_id = dispute(provider)
    provider.move_dispute(dispute_id, "won")
    sync_disputes(Attempt.objects.get().intent_id)

    after = second.get()
    assert (after.state, after.next_try_on) == ("due", today + timedelta(days=tried))
    # What follows is as many days later.
    delayed = 0 if suspended else tried - next_try
    assert after.link_sent_at.date() == (timezone.now() - timedelta(days=10 - delayed)).date()
    assert mails(order) == ["dispute_alert", "dispute_alert", *told]
    if told:
        reminder = OutgoingMail.objects.get(kind="installment_reminder")
        assert reminder.context["day"] == (today + timedelta(days=3)).isoformat()
        assert list(to_collect(today + timedelta(days=2))) == []
        assert list(to_collect(today + timedelta(days=3))) == [after]


def test_a_charge_under_way_as_a_dispute_is_won_is_tried_again_when_it_is_refused(provider):
    order, today = in_installments(), timezone.localdate()
    second = order.payments.get(position=2)
    second.due_on, second.announced_at = today, timezone.now()
    second.save()
    charge = Attempt.objects.create(
        payment=second, kind="off_session", state="sent", amount_cents=6000, expires_at=timezone.now()
    )
    dispute_id = dispute(provider)
    provider.move_dispute(dispute_id, "won")
    sync_disputes(Attempt.objects.get(charge_id__isnull=False).intent_id)

    second.refresh_from_db()
    charge.state, charge.error_code = "failed", "insufficient_funds"
    charge.save()
    record_refusal(order=order, payment=second, attempt=charge)
    assert list(to_collect(today + timedelta(days=3))) == [second]


def test_a_dispute_lost_takes_the_money_and_ends_the_charges_to_come(provider):
    order = in_installments()
    dispute_id = dispute(provider)
    assert states(order) == [("paid", 60), ("scheduled", 60), ("scheduled", 60)]
    provider.move_dispute(dispute_id, "lost")
    sync_disputes(Attempt.objects.get().intent_id)
    assert states(order) == [("paid", 60), ("void", 60), ("void", 60)]
    order.refresh_from_db()
    assert (order.status, order.review_reason) == (OrderStatus.CONFIRMED, "dispute: lost")
    refused("refund_nothing_left", order)
    # Nothing was sent: what was not paid is credited, the sale is undone as far as that goes.
    note = Invoice.objects.get(kind="credit_note")
    assert (note.total, note.data["reason"]) == (
        EUROS("-120.00"),
        "Votre banque a repris un paiement\u00a0: le reste n'est plus demandé.",
    )


def test_a_dispute_lost_once_the_goods_have_left_writes_the_rest_off(provider):
    order = in_installments()
    ship_units(order_id=order.pk, units={order.items.get().pk: 1}, actor=None)
    dispute_id = dispute(provider)
    provider.move_dispute(dispute_id, "lost")
    sync_disputes(Attempt.objects.get().intent_id)
    assert states(order) == [("paid", 60), ("written_off", 60), ("written_off", 60)]
    assert not Invoice.objects.filter(kind="credit_note").exists()


def test_a_closed_dispute_stays_closed_whatever_comes_late(order, provider):
    dispute_id = dispute(provider, "lost")
    assert [kind for kind, _amount in ledger(order)] == ["charge", "dispute"]
    provider.move_dispute(dispute_id, "under_review")
    sync_disputes(Attempt.objects.get().intent_id)
    assert Dispute.objects.get().state == "lost"


def test_a_dispute_that_was_lost_and_is_won_on_appeal_gives_the_money_back(order, provider):
    dispute_id = dispute(provider, "lost")
    # The steps of the appeal come as those of any dispute: a late one says the same.
    for status, state, moved in (
        ("under_review", "lost", []),
        ("won", "won", [("dispute_won", order.total)]),
    ):
        provider.move_dispute(dispute_id, status)
        sync_disputes(Attempt.objects.get().intent_id)
        assert Dispute.objects.get().state == state
        assert ledger(order)[2:] == moved
    order.refresh_from_db()
    assert order.review_reason == ""
    for status in ("lost", "needs_response"):
        provider.move_dispute(dispute_id, status)
        sync_disputes(Attempt.objects.get().intent_id)
        assert Dispute.objects.get().state == "won"
    assert audit_books(timezone.now(), with_provider=False).faults == []


def test_a_bank_that_asks_once_more_is_told_with_its_new_day(order, provider):
    dispute_id = dispute(provider)
    days = [timezone.now() + timedelta(days=days) for days in (7, 21)]
    for status, day in [("under_review", days[0]), ("needs_response", days[1]), ("under_review", None)]:
        provider.move_dispute(dispute_id, status, day)
        sync_disputes(Attempt.objects.get().intent_id)
    assert Dispute.objects.get().answer_by == days[1]
    told = OutgoingMail.objects.filter(kind="dispute_alert").order_by("pk").values_list("context", flat=True)
    assert [(context["state"], context["answer_by"]) for context in told] == [
        ("needs_response", ""),
        ("under_review", days[0].isoformat()),
        ("needs_response", days[1].isoformat()),
        ("under_review", days[1].isoformat()),
    ]


def test_an_inquiry_moves_no_money_and_is_told_once(order, provider):
    dispute_id = dispute(provider, "warning_needs_response")
    sync_disputes(Attempt.objects.get().intent_id)
    assert not Dispute.objects.exists()
    assert ledger(order) == [("charge", EUROS("49.99"))]
    assert mails(order) == ["dispute_alert"]
    provider.move_dispute(dispute_id, "warning_closed")
    sync_disputes(Attempt.objects.get().intent_id)
    assert mails(order) == ["dispute_alert"]


@pytest.mark.parametrize(("cents", "promised"), [(None, 0), (4998, 1)])
def test_an_order_whose_money_a_bank_took_back_promises_nothing_and_offers_no_withdrawal(
    order, provider, client, cents, promised
):
    dispute_id = dispute(provider, cents=cents)
    page = f"{reverse('orders:order', args=[order.pk])}?acces={access_token(order)}"
    shown = client.get(page).content.decode()
    assert [shown.count(words) for words in PAGE_WORDS] == [0, 1, 0]
    provider.move_dispute(dispute_id, "lost")
    sync_disputes(Attempt.objects.get().intent_id)
    shown = client.get(page).content.decode()
    assert [shown.count(words) for words in PAGE_WORDS] == [promised, promised, 1 - promised]
    order.refresh_from_db()
    card = order_cards([order], user_id=0)[0]
    assert card.withdrawal.offered is bool(promised)
    problem = transition_problem(order, "shipped")
    assert (problem and problem.detail) == (
        None
        if promised
        else "La banque du client a repris tout l'argent de cette commande\u00a0: ne l'expédiez pas, "
        "passez-la à «\u00a0Remboursée\u00a0»."
    )
    update_status(order_id=order.pk, status="refunded" if not promised else "shipped", actor=None)


def test_while_a_payment_is_disputed_its_customer_reads_that_nothing_is_sent(order, provider, client):
    def told() -> list[int]:
        return [client.get(page).content.decode().count(words) for words in (PAGE_WORDS[0], DISPUTED)]

    page = f"{reverse('orders:order', args=[order.pk])}?acces={access_token(order)}"
    assert told() == [1, 0]
    dispute_id = dispute(provider)
    assert told() == [0, 1]
    provider.move_dispute(dispute_id, "won")
    sync_disputes(Attempt.objects.get().intent_id)
    assert told() == [1, 0]
    # What has left arrives, whatever a bank says.
    update_status(order_id=order.pk, status="shipped", actor=None)
    dispute(provider)
    assert told() == [1, 0]


@pytest.mark.parametrize("end", ["lost", "won"])
def test_an_order_that_may_not_be_sent_for_a_dispute_is_late_in_no_list(order, provider, staff_client, end):
    def late_in() -> list[object]:
        [listed] = staff_client.get("/api/admin/orders").json()["results"]
        return [
            "late" in listed["flags"],
            len(staff_client.get("/api/admin/orders?late=true").json()["results"]),
            staff_client.get("/api/admin/orders/counts").json()["late"],
            sum(task.count for task in staff_tasks(timezone.localdate()) if "en retard" in task.several),
            [card["is_late"] for card in staff_client.get("/api/admin/board").json()["cards"]],
            [each["is_late"] for each in staff_client.get("/api/admin/dispatch").json()["results"]],
        ]

    def at_risk() -> int:
        promised = Order.objects.get().promised_by
        Order.objects.update(promised_by=timezone.localdate())
        found = orders_at_risk(timezone.localdate()).count()
        Order.objects.update(promised_by=promised)
        return found

    WorkPiece.objects.update(stage="to_pack")
    Order.objects.update(promised_by=timezone.localdate() - timedelta(days=1))
    assert late_in() == [True, 1, 1, 1, [True], [True]]
    assert at_risk() == 1
    dispute_id = dispute(provider)
    assert late_in() == [False, 0, 0, 0, [False], [False]]
    assert at_risk() == 0
    provider.move_dispute(dispute_id, end)
    sync_disputes(Attempt.objects.get().intent_id)
    won = end == "won"
    assert late_in() == [won, *[int(won)] * 3, [won], [won]]
    assert at_risk() == int(won)


def test_l216_6_nobody_waits_for_goods_of_which_all_money_is_owed(provider, client):
    order = bounced(provider).order
    assert (order.status, WorkPiece.objects.get().is_cancelled) == (OrderStatus.CONFIRMED, True)
    assert report_overdue_orders(timezone.now() + timedelta(days=60)) == 0
    assert find_orders(waits="to_make").rows == []
    assert not [task for task in staff_tasks(timezone.localdate()) if "à préparer" in task.several]
    Order.objects.update(promised_by=timezone.localdate())
    assert not orders_at_risk(timezone.localdate())
    assert "delivery_overdue" not in mails(order)
    shown = client.get(
        f"{reverse('orders:order', args=[order.pk])}?acces={access_token(order)}"
    ).content.decode()
    assert ("Remboursements" in shown, "Livraison au plus tard" in shown) == (True, False)


DISPUTED = (
    "Votre banque conteste un paiement de cette commande\u00a0: rien n'est expédié avant sa décision, et la "
    "livraison se décide ensuite."
)
PAGE_WORDS = (
    "Livraison au plus tard le",
    'id="retractation"',
    "Votre banque a repris 49,99\u00a0€ à votre demande.",
)
