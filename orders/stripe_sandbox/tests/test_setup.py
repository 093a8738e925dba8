"""Pages that only store a card: the checks of their creation, what the customer presses, what Stripe tells."""

import pytest
import stripe

from orders.stripe_sandbox.tests.calls import press
from orders.stripe_sandbox.tests.conftest import session_params, until

NOT_FOR_SETUP = {"line_items": None, "payment_intent_data": None, "customer_email": None}


@pytest.fixture
def customer(client):
    return client.v1.customers.create({"email": "camille@example.com", "name": "Camille Martin"}).id


@pytest.fixture
def setup_page(open_session, customer):
    """Opens a page that stores a card for `customer`; keyword arguments as for `open_session`."""

    def create(**changes):
        asked = {
            "mode": "setup",
            "currency": "eur",
            "customer": customer,
            "setup_intent_data": {"metadata": {"card_change": "change-1"}},
            "locale": "fr",
        }
        return open_session(**(NOT_FOR_SETUP | asked | changes))

    return create


def fetch(client, session):
    return client.v1.checkout.sessions.retrieve(session.id, {"expand": ["setup_intent.payment_method"]})


def state(client, session):
    found = fetch(client, session)
    return found.status, found.payment_status, found.setup_intent.status


def test_a_new_page_asks_for_no_money(client, setup_page, customer):
    session = setup_page()

    assert (session.mode, session.currency, session.amount_total) == ("setup", "eur", None)
    assert (session.customer, session.payment_intent) == (customer, None)
    assert state(client, session) == ("open", "no_payment_required", "requires_payment_method")
    setup = client.v1.setup_intents.retrieve(session.setup_intent)
    assert (setup.customer, setup.usage, setup.metadata.to_dict()) == (
        customer,
        "off_session",
        {"card_change": "change-1"},
    )
    assert client.v1.checkout.sessions.line_items.list(session.id).data == []


@pytest.mark.parametrize(
    ("changes", "message", "param"),
    [
        (
            {"line_items": session_params()["line_items"]},
            "You can not pass `line_items` in `setup` mode.",
            "line_items",
        ),
        (
            {"payment_intent_data": {"setup_future_usage": "off_session"}},
            "You can not pass `payment_intent_data` in `setup` mode.",
            "payment_intent_data",
        ),
        (
            {"currency": None, "allowed_payment_method_types": None},
            "Missing required param: currency.",
            "currency",
        ),
        (
            {"payment_method_types": ["card"]},
            "Received unknown parameter: payment_method_types",
            "payment_method_types",
        ),
        ({"customer": "cus_unknown"}, "No such customer: 'cus_unknown'", "customer"),
    ],
)
def test_what_stripe_refuses_is_refused(client, setup_page, changes, message, param):
    with pytest.raises(stripe.InvalidRequestError) as refused:
        setup_page(**changes)

    assert refused.value.user_message == message
    assert refused.value.param == param
    assert client.v1.checkout.sessions.list().data == []


def test_a_payment_takes_no_setup_data(open_session):
    with pytest.raises(stripe.InvalidRequestError) as refused:
        open_session(setup_intent_data={"metadata": {"a": "b"}})
    assert refused.value.user_message == "You can not pass `setup_intent_data` in `payment` mode."


def test_the_page_says_that_nothing_is_charged(browser, setup_page):
    page = browser.get(setup_page(custom_text={"submit": {"message": "Puis 50,00 €."}}).url, timeout=5)

    for words in (
        "Enregistrer une carte",
        "Rien n&#x27;est débité maintenant",
        "Puis 50,00 €.",
        "Abandonner",
    ):
        assert words in page.text, words
    for words in (">Payer<", "Adresse e-mail", "Prélèvement bancaire"):
        assert words not in page.text, words


def test_a_card_is_stored_and_can_be_charged(browser, client, setup_page, customer):
    session = setup_page()

    answer = press(browser, session, "pay", later="9995")

    assert answer.headers["Location"] == f"http://localhost:8000/payment-success?session_id={session.id}"
    assert state(client, session) == ("complete", "no_payment_required", "succeeded")
    method = fetch(client, session).setup_intent.payment_method
    assert (method.customer, method.card.last4) == (customer, "4242")
    assert client.v1.charges.list().data == []
    with pytest.raises(stripe.CardError) as refused:
        client.v1.payment_intents.create(
            {
                "amount": 5000,
                "currency": "eur",
                "customer": customer,
                "payment_method": method.id,
                "allowed_payment_method_types": ["card"],
                "confirm": True,
                "off_session": True,
            }
        )
    assert refused.value.error.decline_code == "insufficient_funds"


def test_a_customer_is_made_when_asked_for(browser, client, setup_page):
    session = setup_page(customer=None, customer_creation="always", customer_email="lea@example.com")
    press(browser, session, "pay")

    found = fetch(client, session)
    assert found.customer == found.setup_intent.customer == found.setup_intent.payment_method.customer
    assert client.v1.customers.retrieve(found.customer).email == "lea@example.com"


@pytest.mark.parametrize(("action", "card"), [("pay", "0002"), ("refuse", "4242")])
def test_a_refused_card_leaves_the_page_open(browser, client, setup_page, customer, action, card):
    session = setup_page()
    press(browser, session, action, card=card)

    assert "Votre carte a été refusée. Essayez une autre carte." in browser.get(session.url, timeout=5).text
    assert state(client, session) == ("open", "no_payment_required", "requires_payment_method")
    error = fetch(client, session).setup_intent.last_setup_error
    assert (error.code, error.decline_code) == ("card_declined", "generic_decline")
    assert client.v1.payment_methods.list({"customer": customer}).data == []
    press(browser, session, "pay")
    assert state(client, session) == ("complete", "no_payment_required", "succeeded")


def test_every_card_that_was_tried_is_listed(browser, client, setup_page, customer):
    session, other = setup_page(), setup_page()
    press(browser, session, "refuse")
    press(browser, other, "refuse")
    press(browser, session, "pay")

    setup = client.v1.setup_intents.retrieve(session.setup_intent)
    last, first = client.v1.setup_attempts.list({"setup_intent": setup.id}).data
    assert (first.status, first.setup_error.code) == ("failed", "card_declined")
    assert (last.status, last.setup_error, last.id) == ("succeeded", None, setup.latest_attempt)
    assert {first.setup_intent, last.setup_intent} == {setup.id}
    assert {first.customer, last.customer} == {customer}
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.setup_attempts.list({})


@pytest.mark.parametrize(("answer", "ends"), [("accept", "succeeded"), ("refuse", "requires_payment_method")])
def test_3d_secure(browser, client, setup_page, answer, ends):
    session = setup_page()
    press(browser, session, "secure")
    assert state(client, session)[2] == "requires_action"
    assert "Confirmer la carte" in browser.get(f"{session.url}/banque", timeout=5).text

    browser.post(f"{session.url}/banque", data={"action": answer}, allow_redirects=False, timeout=5)
    assert state(client, session)[2] == ends


def test_a_page_is_used_once(browser, client, setup_page, customer):
    session = setup_page()
    press(browser, session, "pay")
    assert "Carte déjà enregistrée" in press(browser, session, "pay").text
    assert len(client.v1.payment_methods.list({"customer": customer}).data) == 1


def test_an_expired_page_cancels_its_setup(browser, client, setup_page):
    session = setup_page()
    client.v1.checkout.sessions.expire(session.id)
    assert state(client, session) == ("expired", "no_payment_required", "canceled")
    assert "Aucune carte n&#x27;a été enregistrée." in press(browser, session, "pay").text


def test_a_bank_debit_is_not_simulated(browser, client, setup_page):
    session = setup_page()
    assert press(browser, session, "debit").status_code == 400
    assert state(client, session) == ("open", "no_payment_required", "requires_payment_method")


def test_the_shop_is_told(browser, sandbox, receiver, setup_page):
    session = setup_page()
    press(browser, session, "refuse")
    press(browser, session, "pay")
    sandbox.control("events/deliver")
    until(lambda: len(receiver.received) == 3)
    assert receiver.types() == [
        "setup_intent.setup_failed",
        "setup_intent.succeeded",
        "checkout.session.completed",
    ]


def test_the_overview_lists_it_without_an_amount(browser, sandbox, setup_page):
    setup_page()
    assert '<td class="amount">–</td>' in browser.get(sandbox.url, timeout=5).text
