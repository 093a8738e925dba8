"""What closing an order leaves: its money, told and decided; and when it may leave the lists of staff."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from orders.access import order_url
from orders.books.staff_tasks import staff_tasks
from orders.models import Discrepancy, DiscrepancyKind, Dispute, Order, Refund, RefundReason
from orders.selectors.money import MoneyOutcome, money_outcome, with_undecided_money
from orders.services.fulfilment.archiving import remove_order, restore_order
from orders.services.fulfilment.status_changes import decide_retention
from orders.services.refunds.decisions import request_automatic_refund
from orders.services.refunds.disputes import sync_disputes
from orders.services.refunds.sending import sync_refunds
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.refunding import charged_twice, in_installments, mails, paid_again, refund, rows, send_all
from orders.tests.statuses import set_status
from orders.tests.withdrawing import declare
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("provider")]

WHY = "Pièce commencée, comme convenu le 3."
ARRIVAL = (
    "Un remboursement apparaît en général sur votre compte sous cinq à dix jours ouvrés, selon votre banque."
)
ZERO = Decimal("0.00")


@pytest.fixture
def order() -> Order:
    return pay_order(make_order((make_product(stock_quantity=3), 1)))


def retained() -> list[str]:
    return [str(task.detail) for task in staff_tasks(timezone.localdate()) if "Argent gardé" in task.several]


# --- Money that is kept -------------------------------------------------------------------------------


def test_without_a_reason_the_api_keeps_nothing(order, staff_client):
    before = rows()
    answer = staff_client.post(
        f"/api/admin/orders/{order.pk}/status",
        json.dumps({"status": "cancelled", "refund": False}),
        content_type="application/json",
    )
    assert (answer.status_code, answer.json()["code"], answer.json()["detail"]) == (
        409, "reason_needed", "Dites pourquoi l'argent n'est pas rendu.",
    )  # fmt: skip
    assert rows() == before


def test_kept_money_waits_until_somebody_decides_in_words(order, staff_client, client):
    set_status(order, "cancelled", refund=False, reason=WHY)
    assert retained() == [f"à rembourser, ou à garder pour un motif écrit\xa0: {order.reference}"]
    [task] = [task for task in staff_tasks(timezone.localdate()) if "Argent gardé" in task.several]
    assert task.url == "/admin/commandes?filtre=money"
    set_status(make_order(), "cancelled")
    listed = staff_client.get("/api/admin/orders?waits=money").json()["results"]
    assert [row["reference"] for row in listed] == [order.reference]
    page = client.get(order_url(order)).content.decode()
    assert "49,99\xa0€ que vous avez payés ne sont pas remboursés à ce jour. Motif\xa0: " + WHY in page
    address = reverse("staff-order-retention", args=[order.pk])
    assert (
        "La boutique garde 49,99\xa0€ de cette commande annulée" in staff_client.get(address).content.decode()
    )
    assert staff_client.post(address, {"decision": " "}).status_code == 200
    assert retained()
    staff_client.post(address, {"decision": "Acompte gardé, accord écrit du 4."})
    assert retained() == []
    order.refresh_from_db()
    assert order.retention_decision == "Acompte gardé, accord écrit du 4."
    event = order.events.get(name="order.retention_decided")
    assert (event.actor.email, event.data["amount"]) == ("admin@example.com", "49.99")
    outcome = money_outcome(order)
    assert (outcome.retained, outcome.retention_reason) == (
        Decimal("49.99"), "Acompte gardé, accord écrit du 4.",
    )  # fmt: skip


def test_kept_money_that_is_refunded_after_all_waits_no_more(order):
    set_status(order, "cancelled", refund=False, reason=WHY)
    refund(order)
    assert retained() == []
    send_all()
    order.refresh_from_db()
    assert order.status == "refunded"
    with pytest.raises(Problem) as refused:
        decide_retention(order_id=order.pk, decision="Gardé.", actor=None)
    assert (refused.value.code, refused.value.detail) == (
        "nothing_retained", "La boutique ne garde rien de cette commande.",
    )  # fmt: skip


def test_money_that_a_bank_gave_back_to_a_closed_order_waits_for_a_decision(order, provider):
    attempt = order.payments.get().attempts.get()
    dispute_id = provider.open_dispute(attempt, 4999)
    sync_disputes(attempt.intent_id)
    set_status(order, "cancelled", refund=False)
    assert retained() == []
    provider.move_dispute(dispute_id, "won")
    sync_disputes(attempt.intent_id)
    assert [row.pk for row in with_undecided_money()] == [order.pk]


# --- What became of it ----------------------------------------------------------------------------------


def outcome(**values) -> MoneyOutcome:
    nothing = dict.fromkeys(
        ("refunded", "under_way", "failed", "disputed", "retained", "voided", "to_come"), ZERO
    )
    given = {name: Decimal(value) for name, value in values.items() if name in nothing}
    return MoneyOutcome(
        charged=values.get("charged", True), refunded_at=values.get("refunded_at"),
        retention_reason=values.get("retention_reason", ""), **{**nothing, **given},
    )  # fmt: skip


def test_what_became_of_the_money_at_every_turn(order, provider):
    never = set_status(make_order(), "cancelled")
    assert money_outcome(never) == outcome(charged=False, voided="49.99")
    assert money_outcome(order) == outcome()
    set_status(order, "cancelled", refund=True)
    order.refresh_from_db()
    assert money_outcome(order) == outcome(under_way="49.99")
    send_all()
    sent = Refund.objects.get()
    order.refresh_from_db()
    assert money_outcome(order) == outcome(refunded="49.99", refunded_at=sent.settled_at)
    provider.settle_refund(sent.provider_id, "failed")
    sync_refunds(sent.attempt.intent_id)
    order.refresh_from_db()
    assert (order.status, money_outcome(order)) == ("cancelled", outcome(failed="49.99"))
    # It waits among the failed refunds, once.
    assert retained() == []


def test_a_refund_of_money_says_when_it_is_seen_on_the_account(order, client):
    set_status(order, "cancelled", refund=True)
    assert ARRIVAL in client.get(order_url(order)).content.decode()


def test_closing_an_order_in_installments_names_what_really_moves(staff_client, client):
    order = in_installments()
    answer = staff_client.post(
        f"/api/admin/orders/{order.pk}/status",
        json.dumps({"status": "cancelled"}),
        content_type="application/json",
    ).json()
    assert answer["detail"] == (
        "Faut-il rembourser 60,00\xa0€ au client\xa0? Dans tous les cas, 120,00\xa0€ d'échéances ne seront jamais "
        "prélevés."
    )
    assert {name: answer[name] for name in ("refundable", "money", "voided")} == {
        "refundable": "180.00", "money": "60.00", "voided": "120.00",
    }  # fmt: skip
    set_status(order, "cancelled", refund=False, reason=WHY)
    order.refresh_from_db()
    assert money_outcome(order) == outcome(retained="60.00", voided="120.00", retention_reason=WHY)
    page = client.get(order_url(order)).content.decode()
    assert "120,00\xa0€ d&#x27;échéances ne seront jamais débités." in page.replace("d'éch", "d&#x27;éch")
    assert "120,00\xa0€ ne seront pas prélevés" in page
    assert ARRIVAL not in page


def test_a_cancelled_order_that_nobody_paid_offers_no_refund(staff_client):
    order = set_status(make_order(), "cancelled")
    shown = staff_client.get(reverse("admin:orders_order_change", args=[order.pk])).content.decode()
    assert staff_client.get(f"/api/admin/orders/{order.pk}").json()["may"]["refund"] is False
    assert reverse("staff-order-retention", args=[order.pk]) not in shown


def test_the_page_of_an_order_that_nobody_paid_says_that_nothing_was_taken(client):
    order = set_status(make_order(), "cancelled")
    page = client.get(order_url(order)).content.decode()
    assert "Rien n'a été débité pour cette commande, et rien ne le sera." in page


def test_who_never_paid_gets_a_mail_only_with_words(order):
    silent = set_status(make_order(), "cancelled")
    assert mails(silent) == []
    told = set_status(make_order(), "cancelled", message="La pièce n'existe plus.")
    assert mails(told) == ["order_status"]


def test_an_unpaid_order_that_was_written_about_is_cancelled_with_an_entry_all_the_same():
    order = make_order()
    set_status(order, "pending", message="Votre carte vous pose problème ?")
    set_status(order, "cancelled")
    assert [(entry.status, entry.message) for entry in order.tracking.all()] == [
        ("cancelled", "Statut mis à jour vers: Annulée"), ("pending", "Votre carte vous pose problème ?"),
    ]  # fmt: skip
    assert order.events.filter(name="order.cancelled_by_hand").count() == 1
    assert mails(order) == ["order_status"]
    set_status(order, "cancelled")
    assert order.tracking.count() == 2


# --- Archiving --------------------------------------------------------------------------------------------


def refuse_archiving(order: Order, *obstacles: str) -> None:
    before = rows()
    with pytest.raises(Problem) as refused:
        remove_order(order_id=order.pk, actor=None)
    assert (refused.value.code, refused.value.status) == ("order_not_done", 409)
    told = [text.replace("\xa0", " ") for text in refused.value.extra["obstacles"]]
    assert told == list(obstacles)
    assert refused.value.detail.replace("\xa0", " ") == (
        f"Cette commande ne peut pas encore être archivée : {' ; '.join(obstacles)}."
    )
    assert rows() == before


@pytest.mark.parametrize("status", ["confirmed", "processing", "shipped"])
def test_decision_53_an_order_on_its_way_is_not_archived(order, status):
    set_status(order, status)
    refuse_archiving(order, "elle n'est ni livrée, ni annulée, ni remboursée")


def test_decision_53_what_is_owed_either_way_or_open_stands_in_the_way(order, staff_client):
    set_status(order, "delivered")
    installments = set_status(in_installments(), "delivered")
    refuse_archiving(installments, "il reste 120,00 € à encaisser")
    paid_again(installments, "60.00")
    paid_again(installments, "60.00")
    assert remove_order(order_id=installments.pk, actor=None) == "archived"
    case = declare(order)
    refuse_archiving(order, "une rétractation est à traiter")
    case.delete()
    Dispute.objects.create(
        order=order, attempt=order.payments.get().attempts.get(), provider_id="du_1", amount=Decimal("10.00")
    )
    refuse_archiving(order, "un litige est ouvert")
    Dispute.objects.update(state="lost")
    discrepancy = Discrepancy.objects.create(
        order=order,
        kind=DiscrepancyKind.REFUND_DIFFERS,
        provider_id="re_1",
        amount=1,
        found_at=timezone.now(),
    )
    Order.objects.filter(pk=order.pk).update(review_reason="charge: 1 instead of 2")
    refuse_archiving(order, "un écart avec Stripe est à régler", "elle est à vérifier")
    answer = staff_client.delete(f"/api/admin/orders/{order.pk}").json()
    assert answer["obstacles"] == ["un écart avec Stripe est à régler", "elle est à vérifier"]
    discrepancy.resolved_at = timezone.now()
    discrepancy.save()
    Order.objects.filter(pk=order.pk).update(review_reason="dispute: lost")
    assert remove_order(order_id=order.pk, actor=None) == "archived"


def test_decision_53_money_on_its_way_failed_or_undecided_stands_in_the_way(order, provider):
    set_status(order, "cancelled", refund=False, reason=WHY)
    refuse_archiving(order, "l'argent gardé attend votre décision")
    refund(order)
    refuse_archiving(order, "un remboursement est en cours")
    send_all()
    sent = Refund.objects.get()
    provider.settle_refund(sent.provider_id, "failed")
    sync_refunds(sent.attempt.intent_id)
    refuse_archiving(order, "un remboursement a échoué et reste dû au client")


def test_a_charge_that_went_back_by_itself_and_came_back_stands_in_the_way(order, provider):
    set_status(order, "delivered")
    twice = charged_twice(order)
    own = request_automatic_refund(order=order, attempt=twice, reason=RefundReason.DUPLICATE)
    send_all()
    own.refresh_from_db()
    provider.settle_refund(own.provider_id, "failed")
    sync_refunds(twice.intent_id)
    refuse_archiving(order, "un remboursement a échoué et reste dû au client")
    provider.refund_elsewhere(twice, 4999)
    sync_refunds(twice.intent_id)
    assert remove_order(order_id=order.pk, actor=None) == "archived"


def test_the_customer_of_an_archived_order_keeps_page_and_mails(order, client, staff_client):
    set_status(order, "delivered")
    remove_order(order_id=order.pk, actor=None)
    assert client.get(order_url(order)).status_code == 200
    assert order.reference not in staff_client.get(reverse("admin:orders_order_changelist")).content.decode()
    assert OutgoingMail.objects.filter(reference=order.reference, kind="order_status").count() == 1


def test_what_is_to_be_checked_is_listed_though_it_was_archived(order, staff_client):
    set_status(order, "delivered")
    remove_order(order_id=order.pk, actor=None)
    Order.objects.filter(pk=order.pk).update(review_reason="late charge")
    listing = reverse("admin:orders_order_changelist")
    assert order.reference in staff_client.get(listing, {"review_reason__isempty": "0"}).content.decode()
    assert "Commandes à vérifier" in [task.several for task in staff_tasks(timezone.localdate())]


def test_money_that_comes_back_to_an_archived_order_brings_it_back(order, provider):
    set_status(order, "processing")
    refund(order)
    send_all()
    remove_order(order_id=order.pk, actor=None)
    sent = Refund.objects.get()
    provider.settle_refund(sent.provider_id, "failed")
    sync_refunds(sent.attempt.intent_id)
    order.refresh_from_db()
    assert (order.status, order.archived_at) == ("processing", None)
    with pytest.raises(Problem):
        restore_order(order_id=order.pk, actor=None)
