"""From which status an order may go to which: every pair, every reason, and that nothing else is written."""

from __future__ import annotations

import itertools
import json
from datetime import timedelta
from decimal import Decimal

import pytest
import time_machine
from django.db import IntegrityError, transaction
from django.utils import timezone

from orders.models import Dispute, Order, OrderStatus, RefundRequest
from orders.models.states import TRANSITIONS, ActorKind
from orders.services.refunds.sending import sync_refunds
from orders.services.status.guards import GUARDS
from orders.services.status.transitions import status_offers, transition, transition_problem
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.refunding import in_installments, refund, rows, send_all
from orders.tests.statuses import set_status
from orders.tests.withdrawing import declare
from shop.core.problems import Problem

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("provider")]

SEVEN = [str(status) for status in OrderStatus]
KEPT = {"refund": False, "reason": "Acompte non remboursable."}
NOT_PAID = "Seule une commande payée peut changer d'étape."
NEVER_PENDING = "Une commande payée ne redevient jamais « En attente »."
CURRENT = "C'est son statut actuel."
UNDO_FIRST = "Annulez d'abord l'expédition : remettez-la « En préparation »."
DELIVERY_FIRST = "Corrigez d'abord la livraison : remettez-la « Expédiée »."
NO_MONEY = "Son argent est rendu, ou en route vers le client : elle ne se rouvre pas."
WAS_PROCESSING = "Elle se rouvre là où elle en était : « En préparation »."
NOTHING_TO_GIVE = "Personne n'a payé cette commande : il n'y a rien à rendre."


def order_in(status: str) -> Order:
    """A paid order that came to this status by the table; `unpaid` ones were never paid."""
    if status == "pending":
        return make_order()
    if status == "unpaid_cancelled":
        return set_status(make_order(), "cancelled")
    order = pay_order(make_order())
    for step in {
        "confirmed": (), "processing": ("processing",), "shipped": ("shipped",), "delivered": ("shipped", "delivered"),
        "cancelled": ("processing", "cancelled"), "refunded": ("processing", "refunded"),
    }[status]:  # fmt: skip
        ending = KEPT if step == "cancelled" else {"refund": True} if step == "refunded" else {}
        order = set_status(order, step, **ending)
    return order


REASONS = {
    "pending": [CURRENT, *[NOT_PAID] * 4, "", NOT_PAID],
    "unpaid_cancelled": [NOT_PAID, *[NOT_PAID] * 4, CURRENT, NOTHING_TO_GIVE],
    "confirmed": [NEVER_PENDING, CURRENT, "", "", "", "", ""],
    "processing": [NEVER_PENDING, "", CURRENT, "", "", "", ""],
    "shipped": [NEVER_PENDING, UNDO_FIRST, "", CURRENT, "", "", ""],
    "delivered": [NEVER_PENDING, DELIVERY_FIRST, DELIVERY_FIRST, "", CURRENT, "", ""],
    "cancelled": [NEVER_PENDING, WAS_PROCESSING, "", WAS_PROCESSING, WAS_PROCESSING, CURRENT, ""],
    "refunded": [NEVER_PENDING, NO_MONEY, NO_MONEY, NO_MONEY, NO_MONEY, "", CURRENT],
}


@pytest.mark.parametrize("status", REASONS)
def test_staff_are_offered_what_the_table_allows_and_told_why_the_rest_is_not(status):
    order = order_in(status)
    offers = status_offers(order)
    assert [offer.status for offer in offers] == SEVEN
    assert [offer.reason.replace("\xa0", " ") for offer in offers] == REASONS[status]
    assert [offer.allowed for offer in offers] == [not reason for reason in REASONS[status]]


@pytest.mark.parametrize("status", REASONS)
def test_a_status_that_is_not_offered_is_refused_in_the_same_words_and_changes_nothing(staff_client, status):
    order = order_in(status)
    for target, reason in zip(SEVEN, REASONS[status], strict=True):
        if not reason or reason == CURRENT:
            continue
        before = rows()
        answer = staff_client.post(
            f"/api/admin/orders/{order.pk}/status",
            json.dumps({"status": target, "refund": False, "reason": "Essai."}),
            content_type="application/json",
        )
        assert (answer.status_code, answer.json()["detail"].replace("\xa0", " ")) == (409, reason)
        assert rows() == before


def test_every_pair_and_actor_outside_the_table_is_refused():
    orders = {status: order_in(status) for status in SEVEN}
    table = {
        (str(source), str(row.target), actor)
        for row in TRANSITIONS
        for source in row.sources
        for actor in row.actors
    }
    assert len(table) == sum(len(row.sources) * len(row.actors) for row in TRANSITIONS), "a way stands twice"
    for source, target, actor in itertools.product(SEVEN, SEVEN, ActorKind):
        if (source, target, actor) in table:
            continue
        before = rows()
        with pytest.raises(Problem) as refused:
            transition(orders[source], target, by=actor, reason="Essai.")
        assert refused.value.status == 409
        assert rows() == before


def test_every_guard_of_the_table_exists_and_is_used():
    assert {name for row in TRANSITIONS for name in row.guards} == set(GUARDS)


@pytest.mark.both_engines
def test_decision_52_a_paid_order_is_never_pending_not_even_by_sql():
    order = order_in("confirmed")
    with pytest.raises(IntegrityError, match="order_pending_is_unpaid"), transaction.atomic():
        Order.objects.filter(pk=order.pk).update(status=OrderStatus.PENDING)


def test_an_order_is_not_closed_while_something_is_to_be_collected():
    order = in_installments()
    with pytest.raises(RuntimeError, match="still to be collected"):
        transition(order, "cancelled", by=ActorKind.STAFF)


@pytest.mark.parametrize("status", ["shipped", "delivered"])
def test_nothing_leaves_while_a_bank_looks_or_after_a_withdrawal(status):
    order = order_in("processing")
    Dispute.objects.create(
        order=order, attempt=order.payments.get().attempts.get(), provider_id="du_1", amount=Decimal("49.99")
    )
    refused = transition_problem(order, status)
    assert refused is not None
    assert (refused.code, refused.detail) == (
        "order_disputed",
        "La banque du client conteste ce paiement\xa0: n'expédiez rien tant que le litige est ouvert.",
    )
    Dispute.objects.update(state="won")
    declare(order)
    refused = transition_problem(order, status)
    assert refused is not None
    assert (refused.code, refused.detail) == (
        "withdrawal_open",
        "Le client a déclaré sa rétractation\xa0: permettez l'expédition du reste depuis sa déclaration, "
        "ou remboursez.",
    )


def test_reopening_reads_the_column_and_clears_what_closing_wrote():
    order = order_in("cancelled")
    assert (order.status_before_closing, order.retention_reason) == (
        "processing",
        "Acompte non remboursable.",
    )
    assert order.cancelled_at is not None
    order = set_status(order, "processing")
    assert (order.status, order.status_before_closing, order.cancelled_at, order.retention_reason) == (
        "processing", "", None, "",
    )  # fmt: skip


def test_an_order_that_was_cancelled_before_it_was_refunded_keeps_that_day():
    order = order_in("cancelled")
    on = order.cancelled_at
    assert on is not None
    with time_machine.travel(on + timedelta(days=3), tick=False):
        order = set_status(set_status(order, "refunded", refund=True), "cancelled")
    assert (order.status, order.cancelled_at) == ("cancelled", on)


def test_an_order_in_installments_whose_rest_was_credited_is_not_reopened():
    order = set_status(in_installments(), "cancelled", **KEPT)
    before = rows()
    with pytest.raises(Problem) as refused:
        set_status(order, "confirmed")
    assert (refused.value.code, refused.value.detail) == (
        "rest_credited",
        "Des échéances ont été annulées avec elle, par un avoir\xa0: il faut une nouvelle commande.",
    )
    assert rows() == before


def test_money_that_comes_back_reopens_a_refunded_order_where_it_was(provider):
    order = order_in("shipped")
    refund(order)
    send_all()
    order.refresh_from_db()
    assert (order.status, order.status_before_closing) == ("refunded", "shipped")
    request = RefundRequest.objects.get()
    assert provider.settle_refund(request.refunds.get().provider_id, "failed")
    sync_refunds(order.payments.get().attempts.get().intent_id)
    order.refresh_from_db()
    assert (order.status, order.status_before_closing) == ("shipped", "")


def test_refunded_is_said_of_money_that_goes_back():
    order = order_in("confirmed")
    before = rows()
    with pytest.raises(Problem) as refused:
        set_status(order, "refunded", **KEPT)
    assert (refused.value.code, refused.value.detail) == (
        "refund_required",
        "« Remboursée » se dit d'une commande dont l'argent est rendu\xa0: remboursez, ou annulez-la.".replace(
            "« ", "«\xa0"
        ).replace(" »", "\xa0»"),
    )
    assert rows() == before


@pytest.mark.parametrize("status", ["shipped", "cancelled"])
def test_an_archived_order_is_restored_before_it_moves_or_its_money_is_asked_about(status):
    order = order_in("delivered")
    Order.objects.filter(pk=order.pk).update(archived_at=timezone.now())
    with pytest.raises(Problem) as refused:
        set_status(order, status)
    assert (refused.value.code, refused.value.detail) == (
        "order_archived",
        "Cette commande est archivée\xa0: restaurez-la d'abord.",
    )


def test_the_api_tells_what_may_be_set_and_why_not(staff_client):
    order = order_in("shipped")
    told = staff_client.get(f"/api/admin/orders/{order.pk}").json()["allowed_statuses"]
    assert [(row["status"], row["allowed"], row["needs_reason"]) for row in told] == [
        ("pending", False, False), ("confirmed", False, False), ("processing", True, True), ("shipped", False, False),
        ("delivered", True, False), ("cancelled", True, False), ("refunded", True, False),
    ]  # fmt: skip
    assert [row["reason"].replace("\xa0", " ") for row in told] == REASONS["shipped"]


@pytest.mark.parametrize("status", SEVEN)
def test_the_page_of_an_order_costs_few_queries(staff_client, status, django_assert_max_num_queries):
    order = order_in(status)
    with django_assert_max_num_queries(61):
        assert staff_client.get(f"/api/admin/orders/{order.pk}").status_code == 200


def test_what_was_ordered_and_given_up_can_be_revived_by_its_payment():
    order = make_order((make_product(stock_quantity=1), 1), payment_mode="full")
    order = set_status(order, "cancelled")
    assert order.cancelled_at is not None
    order = pay_order(order)
    assert (order.status, order.cancelled_at, order.paid_at is None) == ("confirmed", None, False)
