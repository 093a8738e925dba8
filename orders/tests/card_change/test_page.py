"""The page on which another card is left for the later installments without paying, and the one endpoint behind it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from conftest import QueuedTasks
from orders.models import CardChange, DiscardedCard, Order, StoredCard
from orders.selectors.installments import needs_card
from orders.selectors.mandate import agreed_mandates, card_mandate_text
from orders.services.payments import card_change
from orders.services.payments.card_change import settle_card_change
from orders.services.reconciliation import reconcile
from orders.tests.card_changes import (
    address,
    asked,
    charged_cards,
    journal,
    kept_cards,
    left,
    opened,
    replaced,
)
from orders.tests.fake_stripe import FakeStripe, Shopper
from orders.tests.installments import (
    SECOND,
    THIRD,
    Clock,
    attempts,
    bought,
    card_becomes,
    charged,
    installments,
    mails,
)
from shop.core.models import OutgoingMail
from shop.core.tests.reading import text

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


# --- The page ----------------------------------------------------------------------------------------------


def test_the_page_offers_it_beside_paying(order: Order):
    page = text(Client().get(address(order)))
    assert "Changer de carte sans payer maintenant" in page
    assert "sans rien payer. Elle remplace l'ancienne pour ce qui reste à payer" in page


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "Change card without paying now"),
        ("es", "Cambiar de tarjeta sin pagar ahora"),
        ("de", "Karte wechseln, ohne jetzt zu zahlen"),
    ],
)
def test_the_page_speaks_four_languages(order: Order, language: str, words: str):
    assert words in text(Client().get(address(order, language)))


def test_a_press_leads_to_a_page_that_only_stores_a_card(fake_stripe: FakeStripe, order: Order):
    answer = Client().post(address(order), {"card": "change"})

    change = CardChange.objects.get()
    assert (answer.status_code, answer["Location"]) == (
        303,
        f"{fake_stripe.api_base}/c/pay/{change.checkout_session_id}",
    )
    (call,) = opened(fake_stripe)
    params = call["params"]
    assert call["idempotency_key"] == f"card-{change.pk}"
    mark = {"shop": settings.SITE_URL, "order": str(order.pk), "card_change": str(change.pk)}
    assert {name: params[name] for name in params if name not in ("custom_text", "expires_at")} == {
        "mode": "setup",
        "currency": "eur",
        "allowed_payment_method_types": {"0": "card"},
        "client_reference_id": str(order.pk),
        "customer": order.card.customer_id,
        "locale": "fr",
        "metadata": mark,
        "setup_intent_data": {"metadata": mark},
        "success_url": f"{settings.SITE_URL}{address(order)}?session_id={{CHECKOUT_SESSION_ID}}",
        "cancel_url": f"{settings.SITE_URL}{address(order)}",
    }
    assert params["expires_at"] == str(int(change.expires_at.timestamp()))
    assert params["custom_text"]["submit"]["message"] == change.mandate_text
    assert (change.state, change.customer_id, attempts(order)[1:]) == ("open", order.card.customer_id, [])


def test_what_is_agreed_names_every_amount_and_day(fake_stripe: FakeStripe, order: Order, clock: Clock):
    said = asked(order).mandate_text.replace("\u00a0", " ")
    assert "50,00 € le 23 décembre 2026 et 50,00 € le 22 janvier 2027." in said
    assert "rien n'est débité maintenant" in said
    assert "par e-mail 3 jours avant" in said
    assert "50 jours après l'expédition" in said

    card_becomes(fake_stripe, order, "9979")
    clock.run_until(SECOND)
    late = card_mandate_text(order).replace("\u00a0", " ")
    assert "50,00 € dus depuis le 23 décembre 2026 et 50,00 € le 22 janvier 2027." in late


@pytest.mark.parametrize("language", ["fr", "en", "es", "de"])
def test_what_is_agreed_fits_the_page(fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, language: str):
    order = bought(fake_stripe, shopper, price="9999.99", language=language)
    assert 300 < len(asked(order).mandate_text) <= 1200
    assert opened(fake_stripe)[0]["params"]["locale"] == language


def test_the_same_demand_gives_the_same_page(fake_stripe: FakeStripe, order: Order):
    first = Client().post(address(order), {"card": "change"})["Location"]
    assert Client().post(address(order), {"card": "change"})["Location"] == first
    assert (len(opened(fake_stripe)), CardChange.objects.count()) == (1, 1)


# --- The one endpoint --------------------------------------------------------------------------------------


def test_a_card_left_takes_the_place_of_the_old_one_and_pays_what_is_left(
    fake_stripe: FakeStripe, order: Order, before: str, clock: Clock, queued_tasks: QueuedTasks
):
    clock.pass_days(5)
    change = left(fake_stripe, order)
    queued_tasks.calls.clear()
    page = text(Client().get(address(order), {"session_id": change.checkout_session_id}))

    assert "Nouvelle carte enregistrée" in page
    assert "Rien n'a été débité." in page
    card = StoredCard.objects.get()
    assert (card.brand, card.last4, card.customer_id) == ("visa", "4242", order.card.customer_id)
    assert card.payment_method_id != before
    change.refresh_from_db()
    assert change.state == "done"
    assert change.settled_at is not None
    assert journal(order, "card.change_opened", "card.kept")[1:] == [
        ("card.change_opened", {"session": change.checkout_session_id}),
        ("card.kept", {"brand": "visa", "last4": "4242"}),
    ]
    queued_tasks.run()
    assert kept_cards(fake_stripe, order) == [card.payment_method_id]
    assert DiscardedCard.objects.get(payment_method_id=before).deleted_at is not None
    assert charged(fake_stripe) == [5000]

    clock.run_until(THIRD)
    assert charged(fake_stripe) == [5000, 5000, 5000]
    assert charged_cards(fake_stripe) == [card.payment_method_id] * 2
    assert [state for _amount, _day, state in installments(order)] == ["paid", "paid", "paid"]


def test_its_customer_is_told_the_card_and_the_days(fake_stripe: FakeStripe, order: Order):
    replaced(fake_stripe, order)
    mail = OutgoingMail.objects.get(kind="installment_card_kept")
    assert (mail.to, mail.language) == ("lea@example.com", "fr")
    assert mail.context["card"] == {"brand": "Visa", "last4": "4242", "usable": True, "expiry": "12/2030"}
    assert mail.context["rows"] == [
        {"position": 2, "count": 3, "amount": "50.00", "day": "2026-12-23", "is_late": False},
        {"position": 3, "count": 3, "amount": "50.00", "day": "2027-01-22", "is_late": False},
    ]
    assert mail.context["has_late"] is False


def test_webhook_return_page_and_reconciliation_settle_it_once(
    fake_stripe: FakeStripe, shopper: Shopper, order: Order, before: str, clock: Clock
):
    change = left(fake_stripe, order)
    for event in [event for event in fake_stripe.events() if "setup" in json.dumps(event)] * 2:
        assert shopper.webhook(event) == 200
    assert StoredCard.objects.get().payment_method_id != before
    Client().get(address(order), {"session_id": change.checkout_session_id})
    assert reconcile.reconcile_card_changes(clock.now() + timedelta(minutes=5)) == 0
    assert settle_card_change(change.pk) == "kept"
    assert (len(journal(order, "card.kept")), mails("installment_card_kept")) == (2, 1)
    assert DiscardedCard.objects.count() == 1
    order.refresh_from_db()
    assert (order.review_reason, attempts(order)[1:]) == ("", [])


def test_a_customer_who_never_returns_is_found_by_reconciliation(
    fake_stripe: FakeStripe, order: Order, clock: Clock
):
    left(fake_stripe, order)
    assert reconcile.reconcile_card_changes(clock.now() + timedelta(minutes=1)) == 0
    assert CardChange.objects.get().state == "open"
    assert reconcile.reconcile_card_changes(clock.now() + timedelta(minutes=3)) == 1
    assert CardChange.objects.get().state == "done"


def test_a_page_that_is_still_open_changes_nothing(fake_stripe: FakeStripe, order: Order, before: str):
    change = asked(order)
    assert "Carte en cours de vérification" in text(
        Client().get(address(order), {"session_id": change.checkout_session_id})
    )
    assert (CardChange.objects.get().state, mails("installment_card_kept")) == ("open", 0)
    assert StoredCard.objects.get().payment_method_id == before


def test_a_refused_card_is_not_kept_and_another_may_follow(
    fake_stripe: FakeStripe, shopper: Shopper, order: Order, before: str
):
    change = asked(order)
    assert (
        fake_stripe.control(f"sessions/{change.checkout_session_id}/pay", card="9979")["result"] == "refused"
    )
    for event in fake_stripe.events():
        assert shopper.webhook(event) == 200
    assert CardChange.objects.get().state == "open"
    assert StoredCard.objects.get().payment_method_id == before
    fake_stripe.control(f"sessions/{change.checkout_session_id}/pay", card="3184", confirmed=True)
    assert settle_card_change(change.pk) == "kept"
    assert StoredCard.objects.get().last4 == "3184"


def test_an_expired_page_is_closed_and_the_next_demand_gets_a_new_one(
    fake_stripe: FakeStripe, shopper: Shopper, order: Order, before: str
):
    change = asked(order)
    fake_stripe.control(f"sessions/{change.checkout_session_id}/expire")
    told = [event for event in fake_stripe.events() if event["type"] == "checkout.session.expired"]
    assert shopper.webhook(told[0]) == 200
    change.refresh_from_db()
    assert change.state == "closed"
    assert "La carte n'a pas été remplacée" in text(
        Client().get(address(order), {"session_id": change.checkout_session_id})
    )
    again = asked(order)
    assert again.checkout_session_id != change.checkout_session_id
    assert StoredCard.objects.get().payment_method_id == before


def test_a_page_whose_time_is_over_is_closed_before_the_next(
    fake_stripe: FakeStripe, order: Order, clock: Clock
):
    change = asked(order)
    clock.go_to(clock.today, hour=10)
    again = asked(order)
    change.refresh_from_db()
    assert (change.state, again.state) == ("closed", "open")
    assert fake_stripe.control(f"sessions/{change.checkout_session_id}/pay")["result"] == "closed"


def test_a_card_left_in_the_last_second_is_kept_before_the_next_page(
    fake_stripe: FakeStripe, order: Order, before: str, clock: Clock
):
    change = left(fake_stripe, order)
    clock.go_to(clock.today, hour=10)
    asked(order)
    change.refresh_from_db()
    assert change.state == "done"
    assert StoredCard.objects.get().payment_method_id != before


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"checkout_session_id": "cs_other"}, "card page, session: cs_other instead of "),
        ({"mode": "payment"}, "card page, mode: payment instead of setup"),
        ({"livemode": True}, "card page, livemode: True instead of False"),
        ({"client_reference_id": "other"}, "card page, order: other instead of "),
        ({"metadata": {}}, "card page, change: None instead of "),
        ({"customer_id": "cus_other"}, "card page, customer: cus_other instead of cus_"),
    ],
)
def test_a_page_that_does_not_fit_is_not_believed(
    fake_stripe: FakeStripe,
    order: Order,
    before: str,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, Any],
    reason: str,
):
    change = left(fake_stripe, order)
    fetch = card_change.fetch_setup_session
    monkeypatch.setattr(card_change, "fetch_setup_session", lambda page: replace(fetch(page), **changes))
    assert settle_card_change(change.pk) == "closed"

    assert StoredCard.objects.get().payment_method_id == before
    assert not DiscardedCard.objects.exists()
    ((_name, data),) = journal(order, "card.change_refused")
    assert data["reason"].startswith(reason)
    assert (mails("installment_card_kept"), mails("payment_review_alert")) == (0, 1)


def test_a_card_of_another_customer_is_not_believed(
    fake_stripe: FakeStripe, order: Order, before: str, monkeypatch: pytest.MonkeyPatch
):
    change = left(fake_stripe, order)
    facts = card_change.fetch_setup_session(change.checkout_session_id)
    foreign = replace(facts, card=replace(facts.card, customer_id="cus_other"))
    monkeypatch.setattr(card_change, "fetch_setup_session", lambda page: foreign)
    assert settle_card_change(change.pk) == "closed"
    assert StoredCard.objects.get().payment_method_id == before


def test_a_page_of_another_order_tells_nothing(fake_stripe: FakeStripe, order: Order):
    change = left(fake_stripe, bought(fake_stripe, Shopper()))
    assert 'class="alert' not in text(
        Client().get(address(order), {"session_id": change.checkout_session_id})
    )
    assert CardChange.objects.get().state == "open"


# --- News --------------------------------------------------------------------------------------------------


def told(fake_stripe: FakeStripe) -> dict[str, Any]:
    return next(event for event in fake_stripe.events() if event["data"]["object"].get("mode") == "setup")


def test_news_of_a_change_that_is_not_saved_come_again(
    fake_stripe: FakeStripe, shopper: Shopper, order: Order
):
    left(fake_stripe, order)
    event = told(fake_stripe)
    CardChange.objects.update(checkout_session_id=None, checkout_session_url="")
    assert shopper.webhook(event) == 503
    assert CardChange.objects.get().state == "open"


def test_news_of_an_unknown_change_come_again_only_if_they_are_ours(
    fake_stripe: FakeStripe, shopper: Shopper, order: Order, before: str
):
    left(fake_stripe, order)
    CardChange.objects.all().delete()
    event = told(fake_stripe)
    assert shopper.webhook(event) == 503
    for number, metadata in enumerate(({"shop": "https://other.example"}, {"card_change": "x"}, None)):
        event["id"] = f"evt_foreign_{number}"
        event["data"]["object"]["metadata"] = metadata
        assert shopper.webhook(event) == 200
    assert StoredCard.objects.get().payment_method_id == before


def test_the_selectors_keep_to_their_queries(
    fake_stripe: FakeStripe, order: Order, django_assert_num_queries
):
    replaced(fake_stripe, order)
    fresh = Order.objects.get()
    # Open payments, disputes.
    with django_assert_num_queries(2):
        assert needs_card(fresh)
    with django_assert_num_queries(1):
        assert len(agreed_mandates(fresh)) == 2
    # The shop's sheet is kept; payments, pause, card.
    with django_assert_num_queries(3):
        card_mandate_text(fresh)
