"""Cards left without paying: answers that were lost, and orders that need no card any more."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from conftest import QueuedTasks
from orders.models import Attempt, CardChange, Order, StoredCard
from orders.services.payments import stored_cards
from orders.services.payments.card_change import change_card
from orders.services.payments.payment_links import pay_by_link
from orders.services.reconciliation import reconcile
from orders.stripe import gateway
from orders.tests.card_changes import SESSIONS, address, journal, kept_cards, left, opened, replaced
from orders.tests.fake_stripe import FakeStripe, Shopper
from orders.tests.installments import Clock, mails, page_of, payment_of, void_later
from shop.core.problems import Problem
from shop.core.tests.reading import text

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


# --- Answers that were lost --------------------------------------------------------------------------------


def test_a_page_whose_answer_was_lost_is_found_by_the_same_key(fake_stripe: FakeStripe, order: Order):
    fake_stripe.control("faults", kind="drop", method="POST", path=SESSIONS, times=2)
    answer = Client().post(address(order), {"card": "change"})
    assert answer.status_code == 503
    assert "Le service de paiement ne répond pas. Rien n'a été débité." in text(answer)
    assert CardChange.objects.get().checkout_session_id is None

    assert Client().post(address(order), {"card": "change"}).status_code == 303
    assert len({call["idempotency_key"] for call in opened(fake_stripe)}) == 1
    assert CardChange.objects.get().checkout_session_id is not None


def test_a_page_whose_answer_was_lost_is_found_by_reconciliation(
    fake_stripe: FakeStripe, order: Order, clock: Clock
):
    fake_stripe.control("faults", kind="drop", method="POST", path=SESSIONS, times=2)
    assert Client().post(address(order), {"card": "change"}).status_code == 503
    reconcile.reconcile_card_changes(clock.now() + timedelta(minutes=3))
    change = CardChange.objects.get()
    assert change.checkout_session_id is not None
    fake_stripe.control(f"sessions/{change.checkout_session_id}/pay")
    reconcile.reconcile_card_changes(clock.now() + timedelta(minutes=3))
    change.refresh_from_db()
    assert change.state == "done"


def test_a_failure_that_the_provider_keeps_is_asked_again_under_a_new_key(
    fake_stripe: FakeStripe, order: Order
):
    fake_stripe.control("faults", kind="error", status=500, method="POST", path=SESSIONS, times=1)
    assert Client().post(address(order), {"card": "change"}).status_code == 303
    assert sorted(CardChange.objects.values_list("state", flat=True)) == ["closed", "open"]
    assert len({call["idempotency_key"] for call in opened(fake_stripe)}) == 2


def test_a_provider_that_refuses_says_so_and_leaves_nothing_open(fake_stripe: FakeStripe, order: Order):
    fake_stripe.control("faults", kind="error", status=400, method="POST", path=SESSIONS, times=2)
    answer = Client().post(address(order), {"card": "change"})
    assert answer.status_code == 503
    assert list(CardChange.objects.values_list("state", flat=True)) == ["closed", "closed"]


@pytest.mark.parametrize("button", [{"card": "change"}, {"pay": "next"}])
def test_a_customer_who_was_deleted_at_the_provider_gets_a_new_one(
    fake_stripe: FakeStripe, order: Order, button: dict[str, str]
):
    """Else nothing that is left of the order could be paid by card any more."""
    before = StoredCard.objects.get()
    gateway.delete_customer(before.customer_id)
    answer = Client().post(address(order), button)
    assert answer.status_code == 303
    forgotten = StoredCard.objects.get()
    assert (forgotten.customer_id, forgotten.refused_code) == ("", "resource_missing")
    session = fake_stripe.requests(SESSIONS)[-1]["params"]
    assert (session["customer_creation"], session["customer_email"]) == ("always", "lea@example.com")
    page = answer["Location"].rpartition("/")[2]
    fake_stripe.control(f"sessions/{page}/pay")
    assert Client().get(address(order), {"session_id": page}).status_code == 200
    stored = StoredCard.objects.get()
    assert stored.customer_id not in ("", before.customer_id)
    assert stored.refused_code == ""
    assert kept_cards(fake_stripe, Order.objects.get()) == [stored.payment_method_id]


def test_an_unanswered_question_changes_nothing(fake_stripe: FakeStripe, order: Order, before: str):
    change = left(fake_stripe, order)
    fake_stripe.control("faults", kind="error", status=503, path=SESSIONS, times=2)
    assert "Carte en cours de vérification" in text(
        Client().get(address(order), {"session_id": change.checkout_session_id})
    )
    assert CardChange.objects.get().state == "open"
    assert StoredCard.objects.get().payment_method_id == before


def test_a_deletion_that_fails_is_made_up_for(
    fake_stripe: FakeStripe, order: Order, before: str, queued_tasks: QueuedTasks
):
    card = replaced(fake_stripe, order)
    fake_stripe.control("faults", kind="error", status=503, path=f"/v1/payment_methods/{before}", times=2)
    with pytest.raises(gateway.GatewayUnavailable):
        queued_tasks.run()
    assert sorted(kept_cards(fake_stripe, order)) == sorted([before, card.payment_method_id])
    assert stored_cards.delete_discarded_cards() == 1
    assert kept_cards(fake_stripe, order) == [card.payment_method_id]
    assert stored_cards.delete_discarded_cards() == 0


def test_an_order_without_a_card_gets_one_on_a_new_customer(fake_stripe: FakeStripe, order: Order):
    StoredCard.objects.all().delete()
    card = replaced(fake_stripe, order)
    (call,) = opened(fake_stripe)
    assert (call["params"]["customer_creation"], call["params"]["customer_email"]) == (
        "always",
        "lea@example.com",
    )
    assert card.customer_id.startswith("cus_")
    assert kept_cards(fake_stripe, Order.objects.get()) == [card.payment_method_id]


# --- Orders that need no card any more ---------------------------------------------------------------------


def give_back(fake_stripe: FakeStripe, shopper: Shopper, order: Order) -> None:
    void_later(order)


def cancel(fake_stripe: FakeStripe, shopper: Shopper, order: Order) -> None:
    Order.objects.filter(pk=order.pk).update(status="refunded")


def dispute(fake_stripe: FakeStripe, shopper: Shopper, order: Order) -> None:
    first = Attempt.objects.get(payment__order=order, payment__position=1)
    fake_stripe.control("disputes", payment_intent=first.intent_id)
    for event in fake_stripe.events():
        if event["type"].startswith("charge.dispute"):
            assert shopper.webhook(event) == 200


def pay_everything(fake_stripe: FakeStripe, shopper: Shopper, order: Order) -> None:
    pay_by_link(order_id=order.pk, everything=True)
    page = page_of(payment_of(order, 2))
    fake_stripe.control(f"sessions/{page}/pay")
    assert shopper.verify(page).json()["payment_status"] == "paid"


ENDINGS = [give_back, cancel, dispute, pay_everything]


@pytest.mark.parametrize("end", ENDINGS)
def test_a_card_left_for_nothing_is_deleted(
    fake_stripe: FakeStripe, shopper: Shopper, order: Order, before: str, queued_tasks: QueuedTasks, end: Any
):
    change = left(fake_stripe, order)
    end(fake_stripe, shopper, order)
    queued_tasks.calls.clear()
    page = text(Client().get(address(order), {"session_id": change.checkout_session_id}))
    assert "La carte n'a pas été remplacée" in page
    queued_tasks.run()

    assert kept_cards(fake_stripe, order) == [before]
    assert StoredCard.objects.get().payment_method_id == before
    assert journal(order, "card.change_dropped") == [
        ("card.change_dropped", {"brand": "visa", "last4": "4242"})
    ]
    assert mails("installment_card_kept") == 0


@pytest.mark.parametrize("end", ENDINGS)
def test_an_order_that_needs_no_card_gets_no_page(
    fake_stripe: FakeStripe, shopper: Shopper, order: Order, end: Any
):
    end(fake_stripe, shopper, order)
    assert "Changer de carte sans payer" not in text(Client().get(address(order)))
    answer = Client().post(address(order), {"card": "change"})
    assert answer.status_code == 409
    assert "Plus rien n'est débité pour cette commande : aucune carte n'est à enregistrer." in text(answer)
    assert (CardChange.objects.count(), opened(fake_stripe)) == (0, [])


# --- Staff -------------------------------------------------------------------------------------------------


def test_staff_see_the_changes_and_what_was_agreed(fake_stripe: FakeStripe, order: Order):
    staff = Client()
    staff.force_login(User.objects.create_superuser("chef@example.com", "lutin-bleu-42-atelier"))
    panel = reverse("staff-order-installments", args=[order.pk])
    assert "Changements de carte sans payer" not in text(staff.get(panel))
    replaced(fake_stripe, order)
    page = text(staff.get(panel))
    for words in (
        "Changements de carte sans payer",
        "Carte remplacée",
        "La carte enregistrée ici remplace l'ancienne",
        "Paiement en 3 fois sans frais",
        "L'ancienne carte est encore à effacer chez le prestataire",
    ):
        assert words in page
    stored_cards.delete_discarded_cards()
    assert "encore à effacer" not in text(staff.get(panel))


def test_a_demand_that_comes_too_late_is_told_why(order: Order, fake_stripe: FakeStripe):
    give_back(fake_stripe, Shopper(), order)
    with pytest.raises(Problem) as refused:
        change_card(order_id=order.pk)
    assert (refused.value.code, refused.value.status) == ("card_not_needed", 409)
