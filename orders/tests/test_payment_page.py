"""The signed page of an order in installments, its calendar on the order's page, and what staff do in the admin."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from orders.access import access_token, payment_token
from orders.models import Attempt, Dispute, InstallmentPause, Order, Payment, StoredCard
from orders.tests.card_changes import SESSIONS, address
from orders.tests.factories import checkout_body, line, make_order, make_product, new_key
from orders.tests.fake_stripe import FakeStripe, Shopper
from orders.tests.installments import (
    FIRST_DAY,
    SECOND,
    Clock,
    attempts,
    bought,
    card_becomes,
    charged,
    installments,
    mails,
    offer_installments,
    page_of,
    payment_of,
    place,
)
from shop.core.tests.reading import text

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def test_the_page_shows_what_is_due_to_who_holds_the_link_and_nothing_else(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock
):
    order = bought(fake_stripe, shopper)
    answer = Client().get(address(order))

    page = text(answer)
    assert answer.status_code == 200
    for words in (
        "Payée le 23 novembre 2026",
        "Débit le 23 décembre 2026",
        "Débit le 22 janvier 2027",
        "Carte débitée : Visa se terminant par 4242",
        "Payer l'échéance 2/3 : 50,00 €",
        "Payer tout ce qui reste : 100,00 €",
    ):
        assert words in page
    for secret in ("Léa", "lea@example.com", "rue des Carmes", order.card.payment_method_id):
        assert secret not in page
    assert "no-store" in answer["Cache-Control"]
    assert answer["Referrer-Policy"] == "strict-origin"
    assert "https://checkout.stripe.com" in answer["Content-Security-Policy"].split("form-action", 1)[1]


@pytest.mark.parametrize(
    ("language", "paid", "words"),
    [
        ("en", "Paid on 23 November 2026", "Pay instalment 2/3: €50.00"),
        ("es", "Pagado el 23 de noviembre de 2026", "Pagar el plazo 2/3: 50,00 €"),
        ("de", "Bezahlt am 23. November 2026", "Rate 2/3 zahlen: 50,00 €"),
    ],
)
def test_the_page_speaks_four_languages(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, language: str, paid: str, words: str
):
    order = bought(fake_stripe, shopper)
    page = text(Client().get(address(order, language)))
    assert paid in page
    assert words in page


@pytest.mark.parametrize(
    "damage", [lambda token: token[:-1] + "x", lambda token: "x" + token[1:], lambda _: "-", lambda _: "0"]
)
def test_a_link_that_the_shop_did_not_sign_leads_nowhere(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, damage
):
    order = bought(fake_stripe, shopper)
    before = attempts(order)
    forged = reverse("orders:pay", args=[damage(payment_token(order))])
    page = Client().get(forged)
    assert page.status_code == 404
    assert 'href="/suivi-commande?sans-compte=1">Recevoir le lien de ma commande</a>' in page.content.decode()
    # It opens by its signature alone.
    assert "connectez-vous" not in page.content.decode()
    assert Client().post(forged, {"pay": "all"}).status_code == 404
    # The link to follow an order does not open its payments, and the other way round.
    crossed = reverse("orders:pay", args=[f"{order.pk.hex}-{access_token(order)}"])
    assert Client().get(crossed).status_code == 404
    followed = reverse("orders:order", args=[order.pk])
    assert Client().get(f"{followed}?acces={payment_token(order).partition('-')[2]}").status_code == 404
    assert attempts(order) == before


def test_an_order_paid_at_once_has_no_such_page(fake_stripe: FakeStripe):
    assert Client().get(address(make_order())).status_code == 404


@pytest.mark.parametrize(("button", "cents"), [("next", 5000), ("all", 10000), ("nonsense", 5000)])
def test_a_press_leads_to_the_hosted_page_and_back(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, button: str, cents: int
):
    order = bought(fake_stripe, shopper)
    browser = Client()
    answer = browser.post(address(order), {"pay": button})
    assert answer.status_code == 303
    page = page_of(payment_of(order, 2))
    assert answer["Location"] == f"{fake_stripe.api_base}/c/pay/{page}"
    asked = fake_stripe.requests("/v1/checkout/sessions")[-1]["params"]
    assert asked["customer"] == order.card.customer_id
    assert asked["line_items"]["0"]["price_data"]["unit_amount"] == str(cents)
    assert asked["success_url"].endswith(f"{address(order)}?session_id={{CHECKOUT_SESSION_ID}}")
    assert ("setup_future_usage" in asked["payment_intent_data"]) == (button != "all")

    assert "Paiement en cours de vérification" in text(browser.get(address(order), {"session_id": page}))
    fake_stripe.control(f"sessions/{page}/pay")
    assert "Paiement reçu, merci !" in text(browser.get(address(order), {"session_id": page}))
    assert charged(fake_stripe) == [5000, cents]


def test_what_was_paid_in_another_tab_is_not_paid_as_the_next_one(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock
):
    order = bought(fake_stripe, shopper)
    browser = Client()
    shown = {"pay": "next", "position": "2"}
    assert '<input type="hidden" name="position" value="2">' in browser.get(address(order)).content.decode()
    assert browser.post(address(order), shown).status_code == 303
    page = page_of(payment_of(order, 2))
    fake_stripe.control(f"sessions/{page}/pay")
    browser.get(address(order), {"session_id": page})

    refused = browser.post(address(order), shown)
    assert refused.status_code == 409
    assert "Cette échéance n'est plus à payer." in text(refused)
    assert "Payer l'échéance 3/3 : 50,00 €" in text(refused)
    assert len(attempts(order)) == 2
    assert browser.post(address(order), {"pay": "next", "position": "3"}).status_code == 303


def test_a_foreign_session_tells_nothing(fake_stripe: FakeStripe, shopper: Shopper, clock: Clock):
    order = bought(fake_stripe, shopper)
    other = place(Shopper())
    for session in (page_of(payment_of(other, 1)), "cs_invented", "x" * 300, "\x00"):
        page = text(Client().get(address(order), {"session_id": session}))
        assert 'class="alert' not in page


def test_a_provider_that_is_away_loses_nothing(fake_stripe: FakeStripe, shopper: Shopper, clock: Clock):
    order = bought(fake_stripe, shopper)
    fake_stripe.control("faults", kind="error", status=503, path="/v1/checkout/sessions", times=4)
    answer = Client().post(address(order), {"pay": "next"})
    assert answer.status_code == 503
    assert "Le service de paiement ne répond pas. Rien n'a été débité." in text(answer)
    assert installments(order)[1:] == [
        ("50.00", "2026-12-23", "scheduled"),
        ("50.00", "2027-01-22", "scheduled"),
    ]
    assert Client().post(address(order), {"pay": "next"}).status_code == 303
    assert [state for _position, _number, _kind, state, _code in attempts(order)[1:]] == [
        "canceled",
        "canceled",
        "sent",
    ]


def test_a_page_that_the_provider_will_not_make_any_more_is_asked_for_anew(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock
):
    order = bought(fake_stripe, shopper)
    # Its failure is kept under the key for a day.
    fake_stripe.control("faults", kind="error", status=500, method="POST", path=SESSIONS, times=1)
    assert Client().post(address(order), {"pay": "next"}).status_code == 303
    assert attempts(order)[1:] == [(2, 1, "link", "canceled", ""), (2, 2, "link", "sent", "")]
    # It was never answered, and would live too short by now; then, its time is over.
    for number, minutes in ((3, 26), (5, -1)):
        Attempt.objects.filter(state="sent").update(state="expired")
        Attempt.objects.create(
            payment=payment_of(order, 2), number=number, kind="link", state="sent", amount_cents=5000,
            expires_at=clock.now() + timedelta(minutes=minutes),
        )  # fmt: skip
        answer = Client().post(address(order), {"pay": "next"})
        assert answer.status_code == 303
        assert attempts(order)[number:] == [
            (2, number, "link", "canceled", ""),
            (2, number + 1, "link", "sent", ""),
        ]
        assert answer["Location"].endswith(page_of(payment_of(order, 2)))


def test_the_orders_page_shows_the_calendar_with_its_late_third(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock
):
    order = bought(fake_stripe, shopper, later="9979")
    clock.run_until(SECOND)
    followed = f"{reverse('orders:order', args=[order.pk])}?acces={access_token(order)}"
    page = text(Client().get(followed))
    for words in (
        "Échéance 2/3",
        "À payer depuis le 23 décembre 2026",
        "Aucune carte ne peut être débitée",
        "À payer le 22 janvier 2027",
    ):
        assert words in page
    assert "Débit le" not in page
    assert payment_token(order) in page


def test_quote_checkout_and_verify_tell_the_same_plan(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock
):
    product = make_product(price="200.00")
    lines = [line(product)]
    quoted = shopper.client.post("/api/cart/quote", {"lines": lines}, content_type="application/json").json()
    offer = quoted["installments"]
    body = checkout_body(lines, "200.00", payment_mode="installments")
    placed = shopper.checkout(body, new_key()).json()
    order = Order.objects.get(pk=placed["order_id"])
    page = page_of(payment_of(order, 1))
    fake_stripe.control(f"sessions/{page}/pay")
    verified = shopper.verify(page).json()

    assert offer["available"] is True
    assert offer["plan"] == placed["installment_plan"] == verified["installment_plan"]
    assert offer["plan"] == [
        {"due": "2026-11-23", "amount": "66.68", "due_text": "23 novembre 2026"},
        {"due": "2026-12-23", "amount": "66.66", "due_text": "23 décembre 2026"},
        {"due": "2027-01-22", "amount": "66.66", "due_text": "22 janvier 2027"},
    ]
    assert offer["mandate"] == order.mandate_text
    for words in (
        "66,68",
        "23 décembre 2026",
        "22 janvier 2027",
        "au plus tard 50 jours après l'expédition",
        "je me rétracte",
    ):
        assert words in order.mandate_text
    assert "installment_plan" not in Shopper().verify(page).json()


@pytest.mark.parametrize("language", ["fr", "en", "es", "de"])
def test_the_mandate_fits_the_payment_page(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, language: str
):
    order = place(shopper, price="9999.99", language=language)
    assert 300 < len(order.mandate_text) <= 1200


def test_a_shop_that_does_not_offer_it_takes_no_such_order(fake_stripe: FakeStripe, shopper: Shopper):
    offer_installments(enabled=False)
    product = make_product(price="200.00")
    answer = shopper.checkout(checkout_body([line(product)], "200.00", payment_mode="installments"))
    assert (answer.status_code, answer.json()["code"]) == (400, "installments_unavailable")
    assert not Order.objects.exists()


# --- Staff -------------------------------------------------------------------------------------------------


@pytest.fixture
def staff() -> Client:
    browser = Client()
    browser.force_login(User.objects.create_superuser("chef@example.com", "lutin-bleu-42-atelier"))
    return browser


def action(order: Order, name: str, position: int) -> str:
    return reverse("staff-order-installment", args=[order.pk, payment_of(order, position).pk, name])


def test_staff_charge_an_overdue_third_by_hand(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, staff: Client
):
    order = bought(fake_stripe, shopper, later="9995")
    clock.run_until(SECOND + timedelta(days=14))
    staff.force_login(User.objects.get(email="chef@example.com"))
    refused = text(staff.post(action(order, "debiter", 2), follow=True))
    assert "La banque n'a pas accepté le débit : provision insuffisante." in refused
    card_becomes(fake_stripe, order, "4242")
    asked = staff.get(action(order, "debiter", 2))
    assert "débitée tout de suite" in text(asked)
    assert charged(fake_stripe) == [5000]
    told = text(staff.post(action(order, "debiter", 2), follow=True))
    assert "Échéance débitée." in told
    assert charged(fake_stripe) == [5000, 5000]
    assert payment_of(order, 2).state == "paid"


def test_staff_can_not_charge_before_the_day_nor_a_refused_card(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, staff: Client
):
    order = bought(fake_stripe, shopper)
    before = attempts(order)
    listed = text(staff.get(reverse("staff-order-installments", args=[order.pk])))
    assert ("Envoyer le lien de paiement" in listed, "Débiter maintenant" in listed) == (True, False)
    assert "Son jour n'est pas venu" in text(staff.post(action(order, "debiter", 2), follow=True))
    StoredCard.objects.update(refused_code="stolen_card")
    assert "La banque interdit tout nouvel essai" in text(
        staff.post(action(order, "debiter", 3), follow=True)
    )
    assert (attempts(order), charged(fake_stripe)) == (before, [5000])


def test_staff_send_the_link_and_give_an_installment_up(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, staff: Client
):
    order = bought(fake_stripe, shopper)
    staff.post(action(order, "lien", 2))
    assert mails("installment_link") == 1
    assert "obligatoire" in text(staff.post(action(order, "abandonner", 3), {"reason": ""}))
    assert payment_of(order, 3).state == "scheduled"
    staff.post(action(order, "abandonner", 3), {"reason": "Cadeau de la maison"})
    assert payment_of(order, 3).state == "written_off"
    event = order.events.get(name="installment.written_off")
    assert event.data == {"position": 3, "reason": "Cadeau de la maison"}
    assert event.actor.email == "chef@example.com"
    # Another tab, that was open before.
    assert "Cette échéance n'est plus à payer." in text(staff.post(action(order, "lien", 3), follow=True))
    assert mails("installment_link") == 1
    clock.run_until(FIRST_DAY + timedelta(days=60))
    assert charged(fake_stripe) == [5000, 5000]


@pytest.mark.parametrize("forgotten_at", [None, datetime(2026, 11, 23, tzinfo=UTC)])
def test_nothing_is_asked_for_or_said_to_be_charged_while_a_bank_disputes_a_payment(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, staff: Client, forgotten_at: Any
):
    order = bought(fake_stripe, shopper)
    StoredCard.objects.update(forgotten_at=forgotten_at)
    attempt = Attempt.objects.get(payment__order=order, payment__position=1)
    Dispute.objects.create(
        order=order, attempt=attempt, provider_id="du_1", amount=Decimal("50.00"), state="needs_response"
    )
    told = text(staff.post(action(order, "lien", 2), follow=True))
    assert "Un litige est ouvert ou perdu sur cette commande : plus rien n'est réclamé." in told
    assert mails("installment_link") == 0
    Order.objects.filter(pk=order.pk).update(promised_by=FIRST_DAY - timedelta(days=1))
    page = text(Client().get(address(order)))
    assert page.count("Suspendue") == 2
    # Late, but it is not the shop that keeps the parcel.
    assert "Suspendre mes échéances" not in page
    assert "Rien n'est débité tant que votre banque conteste un paiement." in page
    for words in ("À payer le", "Débit le", "Aucune carte ne peut être débitée"):
        assert words not in page


def test_an_installment_that_is_being_paid_can_not_be_given_up(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, staff: Client
):
    order = bought(fake_stripe, shopper)
    Client().post(address(order), {"pay": "next"})
    refused = text(staff.post(action(order, "abandonner", 2), {"reason": "Motif déjà tapé"}))
    assert "en cours" in refused
    assert "Motif déjà tapé" in refused
    assert payment_of(order, 2).state == "scheduled"


def test_list_of_payments_shows_what_comes_and_what_waits(
    fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, staff: Client, django_assert_num_queries: Any
):
    """Session, person, a page of payments with their orders."""
    order = bought(fake_stripe, shopper)
    listing = reverse("staff-payments")
    staff.get(listing)
    with django_assert_num_queries(3):
        listed = staff.get(listing)
    assert [payment.position for payment in listed.context["list"].rows] == [2, 3]
    for part in ("impayees", "suspendues"):
        assert staff.get(listing, {"liste": part}).context["list"].rows == []
    InstallmentPause.objects.create(order=order, started_by="staff")
    suspended = staff.get(listing, {"liste": "suspendues"}).context["list"].rows
    assert [payment.position for payment in suspended] == [2, 3]
    Payment.objects.filter(order=order, position=3).update(state="overdue")
    overdue = staff.get(listing, {"liste": "impayees"}).context["list"].rows
    assert [payment.position for payment in overdue] == [3]


def test_the_calendar_of_an_order(fake_stripe: FakeStripe, shopper: Shopper, clock: Clock, staff: Client):
    order = bought(fake_stripe, shopper)
    page = text(staff.get(reverse("staff-order-installments", args=[order.pk])))
    for words in (
        "Reste à encaisser : 100,00 €.",
        "Visa se terminant par 4242",
        "22 janvier 2027",
        "Abandonner l'échéance",
    ):
        assert words in page
    change = text(staff.get(reverse("admin:orders_order_change", args=[order.pk])))
    assert reverse("staff-order-installments", args=[order.pk]) in change
    for name in ("orders_payment", "orders_storedcard"):
        assert staff.get(reverse(f"admin:{name}_changelist")).status_code == 200
