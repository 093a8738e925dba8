"""The hosted page: what the customer sees and presses, and that one session is paid once."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from orders.stripe_sandbox.tests.calls import press


def state(client, session):
    session = client.v1.checkout.sessions.retrieve(session.id, {"expand": ["payment_intent"]})
    return (
        session.status,
        session.payment_status,
        session.payment_intent.status if session.payment_intent else None,
    )


def charges(client):
    return [(row.status, row.amount) for row in client.v1.charges.list({"limit": 100}).data]


def test_the_page_shows_lines_total_banner_and_buttons(browser, open_session):
    session = open_session(locale="fr", custom_text={"submit": {"message": "Puis 8,22 € le 21 décembre."}})

    page = browser.get(session.url, timeout=5)

    assert page.status_code == 200
    assert '<html lang="fr">' in page.text
    for text in (
        "Paiement simulé\u00a0: aucun argent ne circule",
        "Dragon peint",
        "Gobelin offert",
        "24,68\u00a0€",
        ">Payer<",
        ">Payer avec 3-D Secure<",
        ">Refuser la carte<",
        ">Abandonner<",
        "4242\u00a04242\u00a04242\u00a04242",
        "Puis 8,22 € le 21 décembre.",
    ):
        assert text in page.text, text
    assert 'href="http://localhost:8000/panier"' in page.text


def test_the_page_is_strict(browser, open_session, sandbox):
    page = browser.get(open_session().url, timeout=5)

    assert page.headers["Content-Security-Policy"] == (
        "default-src 'none'; style-src 'self'; form-action 'self' http://localhost:8000; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    assert page.headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in page.headers
    assert not re.search(r"<script|<style|\sstyle=|\son[a-z]+=", page.text)
    styles = browser.get(f"{sandbox.url}/_files/page.css", timeout=5)
    assert styles.headers["Content-Type"] == "text/css; charset=utf-8"
    assert browser.get(f"{sandbox.url}/_files/settings.py", timeout=5).status_code == 404


@pytest.mark.parametrize(
    ("locale", "language", "banner", "total"),
    [
        (None, "fr", "Paiement simulé\u00a0: aucun argent ne circule", "24,68\u00a0€"),
        ("auto", "fr", "Paiement simulé\u00a0: aucun argent ne circule", "24,68\u00a0€"),
        ("en-GB", "en", "Simulated payment: no money moves", "€24.68"),
        ("es", "es", "Pago simulado: no circula dinero", "24,68\u00a0€"),
        ("de", "de", "Simulierte Zahlung: Es fließt kein Geld", "24,68\u00a0€"),
    ],
)
def test_the_page_speaks_the_sessions_language(browser, open_session, locale, language, banner, total):
    page = browser.get(open_session(locale=locale).url, timeout=5)

    assert f'<html lang="{language}">' in page.text
    assert banner in page.text
    assert total in page.text


def test_what_the_shop_sends_is_escaped(browser, open_session):
    price = {"currency": "eur", "unit_amount": 1000, "product_data": {"name": "<script>alert(1)</script>"}}
    session = open_session(line_items=[{"quantity": 1, "price_data": price}])

    assert "&lt;script&gt;" in browser.get(session.url, timeout=5).text


def test_paying_completes_the_session_and_returns_to_the_shop(browser, client, open_session):
    session = open_session(customer_creation="always")

    answer = press(browser, session, "pay")

    assert answer.status_code == 303
    assert answer.headers["Location"] == f"http://localhost:8000/payment-success?session_id={session.id}"
    assert state(client, session) == ("complete", "paid", "succeeded")
    paid = client.v1.checkout.sessions.retrieve(
        session.id, {"expand": ["payment_intent.latest_charge", "customer"]}
    )
    assert paid.url is None
    assert paid.customer_details.email == "camille@example.com"
    assert paid.customer.email == "camille@example.com"
    intent = paid.payment_intent
    assert intent.metadata.to_dict() == {"attempt": "attempt-1"}
    assert (intent.amount, intent.amount_received) == (2468, 2468)
    assert (intent.latest_charge.paid, intent.latest_charge.amount_captured) == (True, 2468)
    assert intent.latest_charge.payment_method_details.card.last4 == "4242"


def test_a_guest_session_creates_no_customer_unless_asked(browser, client, open_session):
    session = open_session()
    press(browser, session, "pay")

    assert client.v1.checkout.sessions.retrieve(session.id).customer is None
    assert client.v1.customers.list().data == []


def test_a_refused_card_leaves_the_session_open_for_another(browser, client, open_session):
    session = open_session()

    answer = press(browser, session, "pay", card="9995")

    assert (answer.status_code, answer.headers["Location"]) == (303, f"/c/pay/{session.id}")
    assert (
        "La provision de votre carte est insuffisante. Essayez une autre carte."
        in browser.get(session.url).text
    )
    assert state(client, session) == ("open", "unpaid", "requires_payment_method")
    assert charges(client) == [("failed", 2468)]

    press(browser, session, "pay", card="4242")

    assert state(client, session) == ("complete", "paid", "succeeded")
    assert charges(client) == [("succeeded", 2468), ("failed", 2468)]
    assert len(client.v1.payment_intents.list().data) == 1


def test_the_refuse_button_refuses_whatever_the_card(browser, client, open_session):
    session = open_session()
    press(browser, session, "refuse")

    error = client.v1.checkout.sessions.retrieve(
        session.id, {"expand": ["payment_intent"]}
    ).payment_intent.last_payment_error
    assert (error.code, error.decline_code, error.advice_code) == (
        "card_declined",
        "generic_decline",
        "try_again_later",
    )


@pytest.mark.parametrize(("action", "card"), [("secure", "4242"), ("pay", "3184")])
def test_3d_secure_accepted(browser, client, open_session, action, card):
    session = open_session()

    answer = press(browser, session, action, card=card)

    assert answer.headers["Location"] == f"/c/pay/{session.id}/banque"
    assert state(client, session) == ("open", "unpaid", "requires_action")
    assert charges(client) == []
    assert "Votre banque vous demande de confirmer" in browser.get(f"{session.url}/banque").text
    answer = browser.post(f"{session.url}/banque", data={"action": "accept"}, allow_redirects=False)
    assert answer.headers["Location"].endswith(f"session_id={session.id}")
    assert state(client, session) == ("complete", "paid", "succeeded")


def test_3d_secure_refused_leaves_the_session_open(browser, client, open_session):
    session = open_session()
    press(browser, session, "secure")

    answer = browser.post(f"{session.url}/banque", data={"action": "refuse"}, allow_redirects=False)

    assert answer.headers["Location"] == f"/c/pay/{session.id}"
    assert state(client, session) == ("open", "unpaid", "requires_payment_method")
    assert charges(client) == []
    assert "Votre banque n'a pas pu vous identifier." in browser.get(session.url).text.replace("&#x27;", "'")
    assert press(browser, session, "pay").status_code == 303
    assert state(client, session) == ("complete", "paid", "succeeded")


def test_a_paid_session_can_not_be_paid_again(browser, client, open_session):
    session = open_session()
    press(browser, session, "pay")

    page = press(browser, session, "pay")

    assert page.status_code == 200
    assert "Cette page de paiement a déjà servi." in page.text
    assert charges(client) == [("succeeded", 2468)]


def test_twenty_submits_at_once_pay_once(client, open_session):
    session = open_session()

    def submit(_number):
        return requests.post(
            session.url, data={"card": "4242", "action": "pay"}, allow_redirects=False, timeout=20
        )

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(submit, range(20)))

    assert sum(a.headers.get("Location", "").startswith("http://localhost:8000/") for a in answers) == 1
    assert charges(client) == [("succeeded", 2468)]
    assert len(client.v1.events.list({"type": "checkout.session.completed"}).data) == 1


def test_a_session_whose_time_is_over_takes_no_money(browser, client, sandbox, open_session):
    session = open_session()
    sandbox.control("clock", advance=24 * 3600 + 1)

    page = press(browser, session, "pay")

    assert page.status_code == 200
    assert "Cette page de paiement n&#x27;est plus valable." in page.text
    sandbox.wait_for_event("checkout.session.expired", state="pending")
    assert state(client, session) == ("expired", "unpaid", None)
    assert charges(client) == []


def test_expiring_after_a_refusal_cancels_the_payment(browser, client, open_session):
    session = open_session()
    press(browser, session, "refuse")
    client.v1.checkout.sessions.expire(session.id)

    assert state(client, session) == ("expired", "unpaid", "canceled")


def test_without_an_address_the_page_asks_for_one(browser, client, open_session):
    session = open_session(customer_email=None)
    assert 'type="email"' in browser.get(session.url).text

    refused = press(browser, session, "pay", email="nobody")
    assert refused.status_code == 400
    assert "Saisissez une adresse e-mail valide." in refused.text
    assert state(client, session) == ("open", "unpaid", None)

    press(browser, session, "refuse", email="zoe@example.com")
    assert 'value="zoe@example.com"' in browser.get(session.url).text
    press(browser, session, "pay", email="zoe@example.com")
    assert client.v1.checkout.sessions.retrieve(session.id).customer_details.email == "zoe@example.com"


@pytest.mark.parametrize(
    "fields", [{"action": "steal"}, {"action": "pay", "card": "1111"}, {"action": "pay", "later": "x"}]
)
def test_a_form_that_the_page_does_not_have_is_400(browser, client, open_session, fields):
    session = open_session()

    assert browser.post(session.url, data={"card": "4242"} | fields, timeout=5).status_code == 400
    assert state(client, session) == ("open", "unpaid", None)


def test_an_unknown_page_is_404(browser, sandbox):
    page = browser.get(f"{sandbox.url}/c/pay/cs_test_unknown", timeout=5)

    assert page.status_code == 404
    assert "Page de paiement introuvable" in page.text


def test_the_saved_card_is_kept_for_the_customer(browser, client, open_session):
    session = open_session(
        customer_creation="always",
        payment_intent_data={"setup_future_usage": "off_session", "metadata": {"part": "1"}},
    )
    assert "Aux prochaines échéances, sans vous" in browser.get(session.url).text
    press(browser, session, "pay", later="9979")

    customer = client.v1.checkout.sessions.retrieve(session.id).customer
    saved = client.v1.customers.payment_methods.list(customer).data
    assert [(row.type, row.card.last4, row.customer) for row in saved] == [("card", "4242", customer)]


@pytest.mark.parametrize(
    ("action", "end", "event"),
    [
        ("debit", ("complete", "paid", "succeeded"), "checkout.session.async_payment_succeeded"),
        (
            "debit_fails",
            ("complete", "unpaid", "requires_payment_method"),
            "checkout.session.async_payment_failed",
        ),
    ],
)
def test_a_bank_debit_is_settled_later(browser, client, sandbox, open_session, action, end, event):
    session = open_session()
    assert (
        press(browser, session, action)
        .headers["Location"]
        .startswith("http://localhost:8000/payment-success")
    )
    assert state(client, session) == ("complete", "unpaid", "processing")

    sandbox.control("clock", advance=6)
    sandbox.wait_for_event(event, state="pending")

    assert state(client, session) == end


def test_the_overview_lists_what_happened(browser, sandbox, open_session):
    press(browser, open_session(), "pay")

    page = browser.get(f"{sandbox.url}/", timeout=5)

    assert page.status_code == 200
    for text in (
        "Paiements simulés",
        "24,68\u00a0€",
        "terminée",
        "payé",
        "checkout.session.completed",
        "en attente",
    ):
        assert text in page.text, text
