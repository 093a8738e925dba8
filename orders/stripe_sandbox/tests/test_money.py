"""Saved cards charged while the customer is away, refunds, disputes."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import stripe

from orders.stripe_sandbox.tests.calls import charge_params, paid_intent

from .conftest import make_client


def test_a_saved_card_is_charged_off_session(client, save_card):
    customer, method = save_card("4242")

    intent = client.v1.payment_intents.create(charge_params(customer, method, expand=["latest_charge"]))

    assert (intent.status, intent.amount_received, intent.customer) == ("succeeded", 5000, customer)
    assert intent.latest_charge.payment_method == method
    assert [row.amount for row in client.v1.payment_intents.list({"customer": customer}).data] == [5000, 2468]


@pytest.mark.parametrize(
    ("later", "code", "decline_code", "advice_code"),
    [
        ("3184", "authentication_required", "authentication_required", "try_again_later"),
        ("0002", "card_declined", "generic_decline", "try_again_later"),
        ("9995", "card_declined", "insufficient_funds", "try_again_later"),
        ("9979", "card_declined", "stolen_card", "do_not_try_again"),
        ("9987", "card_declined", "lost_card", "do_not_try_again"),
        ("0069", "expired_card", None, "confirm_card_data"),
        ("0119", "processing_error", None, "try_again_later"),
    ],
)
def test_the_remembered_card_refuses_later_charges(client, save_card, later, code, decline_code, advice_code):
    customer, method = save_card(later)

    with pytest.raises(stripe.CardError) as caught:
        client.v1.payment_intents.create(charge_params(customer, method))

    error = caught.value
    assert (error.http_status, error.code) == (402, code)
    assert getattr(error.error, "decline_code", None) == decline_code
    assert error.error.advice_code == advice_code
    refused = client.v1.payment_intents.retrieve(error.error.payment_intent.id, {"expand": ["latest_charge"]})
    assert (refused.status, refused.amount_received, refused.payment_method) == (
        "requires_payment_method",
        0,
        None,
    )
    assert refused.last_payment_error.code == code
    assert refused.last_payment_error.payment_method.id == method
    assert (refused.latest_charge.status, refused.latest_charge.paid) == ("failed", False)


def test_a_refused_intent_is_cancelled_so_that_it_can_not_be_paid_again(client, save_card):
    customer, method = save_card("3184")
    with pytest.raises(stripe.CardError) as caught:
        client.v1.payment_intents.create(charge_params(customer, method))
    intent_id = caught.value.error.payment_intent.id

    intent = client.v1.payment_intents.cancel(intent_id, {"cancellation_reason": "abandoned"})

    assert (intent.status, intent.cancellation_reason) == ("canceled", "abandoned")
    with pytest.raises(stripe.InvalidRequestError) as again:
        client.v1.payment_intents.cancel(intent_id)
    assert again.value.code == "payment_intent_unexpected_state"


def test_an_intent_of_a_session_is_not_cancelled_directly(client, sandbox, open_session):
    session = open_session()
    sandbox.control(f"sessions/{session.id}/refuse")
    intent = client.v1.checkout.sessions.retrieve(session.id).payment_intent

    with pytest.raises(stripe.InvalidRequestError, match="Expire the Checkout Session instead"):
        client.v1.payment_intents.cancel(intent)


def test_a_card_can_change_its_mind(client, sandbox, save_card):
    customer, method = save_card("9995")
    sandbox.control(f"payment_methods/{method}", later="4242")

    assert client.v1.payment_intents.create(charge_params(customer, method)).status == "succeeded"


@pytest.mark.parametrize(
    ("changes", "code", "param"),
    [
        (
            {"payment_method_types": ["card"]},
            "payment_method_types_no_longer_supported",
            "payment_method_types",
        ),
        ({"amount": 49}, "amount_too_small", "amount"),
        ({"amount": 0}, "parameter_invalid_integer", "amount"),
        ({"currency": "usd"}, None, "currency"),
        ({"amount": None}, "parameter_missing", "amount"),
        ({"customer": "cus_x"}, "resource_missing", "customer"),
        ({"payment_method": "pm_x"}, "resource_missing", "payment_method"),
        ({"customer": None}, None, "payment_method"),
        ({"confirm": None}, None, "off_session"),
        ({"allowed_payment_method_types": None}, None, "return_url"),
        ({"payment_method": None}, "payment_intent_unexpected_state", None),
        ({"automatic_payment_methods": {"enabled": True}}, None, "automatic_payment_methods"),
        ({"confirmation_token": "x"}, "sandbox_not_simulated", "confirmation_token"),
    ],
)
def test_what_stripe_refuses_off_session_charges_nothing(client, save_card, changes, code, param):
    customer, method = save_card("4242")
    params = {
        name: value
        for name, value in (charge_params(customer, method) | changes).items()
        if value is not None
    }

    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.create(params)

    assert (caught.value.code, caught.value.param) == (code, param)
    assert len(client.v1.payment_intents.list().data) == 1


def test_the_card_of_another_customer_is_refused(client, save_card):
    _customer, method = save_card("4242")
    other = client.v1.customers.create({"email": "zoe@example.com"})

    with pytest.raises(
        stripe.InvalidRequestError, match=f"does not have a payment method with the ID {method}"
    ):
        client.v1.payment_intents.create(charge_params(other.id, method))


def test_without_a_customer_the_card_is_saved_for_nobody(client, sandbox, open_session):
    session = open_session(payment_intent_data={"setup_future_usage": "off_session"})
    sandbox.control(f"sessions/{session.id}/pay")
    intent = client.v1.checkout.sessions.retrieve(session.id, {"expand": ["payment_intent"]}).payment_intent
    customer = client.v1.customers.create({"email": "camille@example.com"})

    with pytest.raises(stripe.InvalidRequestError, match="may not be used again"):
        client.v1.payment_intents.create(charge_params(customer.id, intent.payment_method))


def test_a_detached_card_is_no_longer_charged(client, save_card):
    customer, method = save_card("4242")
    client.v1.payment_methods.detach(method)

    assert client.v1.customers.payment_methods.list(customer).data == []
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.payment_intents.create(charge_params(customer, method))


def test_a_deleted_customer_is_known_as_deleted(client, save_card):
    customer, method = save_card("4242")
    client.v1.customers.delete(customer)

    assert client.v1.customers.retrieve(customer).deleted is True
    with pytest.raises(stripe.InvalidRequestError, match="No such customer"):
        client.v1.payment_intents.create(charge_params(customer, method))


def test_refunds_never_exceed_the_charge(client, sandbox, open_session):
    intent = paid_intent(client, sandbox, open_session)

    refund = client.v1.refunds.create(
        {
            "payment_intent": intent,
            "amount": 1000,
            "reason": "requested_by_customer",
            "metadata": {"refund": "r1"},
        }
    )
    assert (refund.status, refund.amount, refund.metadata.to_dict()) == ("succeeded", 1000, {"refund": "r1"})
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.refunds.create({"payment_intent": intent, "amount": 1469})
    assert caught.value.user_message == (
        "Refund amount (€14.69) is greater than unrefunded amount on charge (€14.68)"
    )
    rest = client.v1.refunds.create({"charge": refund.charge})
    assert rest.amount == 1468
    with pytest.raises(stripe.InvalidRequestError) as again:
        client.v1.refunds.create({"payment_intent": intent})
    assert again.value.code == "charge_already_refunded"

    charge = client.v1.charges.retrieve(refund.charge, {"expand": ["refunds"]})
    assert (charge.amount_refunded, charge.refunded) == (2468, True)
    assert [row.id for row in charge.refunds.data] == [rest.id, refund.id]
    assert [row.id for row in client.v1.refunds.list({"payment_intent": intent}).data] == [rest.id, refund.id]


def test_thirty_refunds_at_once_stay_within_the_charge(client, sandbox, open_session):
    intent = paid_intent(client, sandbox, open_session)

    def refund(_number):
        try:
            return make_client(sandbox).v1.refunds.create({"payment_intent": intent, "amount": 500}).amount
        except stripe.InvalidRequestError:
            return 0

    with ThreadPoolExecutor(30) as pool:
        refunded = list(pool.map(refund, range(30)))

    # 24,68 € hold four refunds of 5,00 €, not five
    assert sum(refunded) == 2000
    assert [row.amount_refunded for row in client.v1.charges.list().data] == [2000]


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({}, "parameter_missing"),
        ({"amount": 0}, "parameter_invalid_integer"),
        ({"charge": "ch_x"}, "resource_missing"),
    ],
)
def test_a_refund_of_nothing_is_refused(client, sandbox, open_session, params, code):
    intent = paid_intent(client, sandbox, open_session)
    if "amount" in params:
        params = params | {"payment_intent": intent}

    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.refunds.create(params)

    assert caught.value.code == code
    assert client.v1.refunds.list().data == []


def test_a_refund_that_fails_later_gives_the_amount_back(client, sandbox, open_session):
    intent = paid_intent(client, sandbox, open_session)
    sandbox.control("refunds/next", begins="pending", ends="failed", seconds=60)

    refund = client.v1.refunds.create({"payment_intent": intent})
    assert (refund.status, client.v1.charges.retrieve(refund.charge).refunded) == ("pending", True)
    sandbox.control("clock", advance=61)
    sandbox.wait_for_event("refund.failed", state="pending")

    failed = client.v1.refunds.retrieve(refund.id)
    assert (failed.status, failed.failure_reason) == ("failed", "expired_or_canceled_card")
    charge = client.v1.charges.retrieve(refund.charge)
    assert (charge.amount_refunded, charge.refunded) == (0, False)
    assert client.v1.refunds.create({"payment_intent": intent}).status == "succeeded"


def test_a_refund_from_the_dashboard_has_no_metadata(client, sandbox, open_session):
    intent = paid_intent(client, sandbox, open_session)

    made = sandbox.control("refunds", payment_intent=intent, amount=300)["refund"]

    refund = client.v1.refunds.retrieve(made["id"])
    assert (refund.amount, refund.metadata.to_dict(), refund.payment_intent) == (300, {}, intent)


def test_a_disputed_charge_is_not_refunded(client, sandbox, open_session):
    intent = paid_intent(client, sandbox, open_session)
    dispute = sandbox.control("disputes", payment_intent=intent, reason="product_not_received")["dispute"]

    assert [(row.id, row.status) for row in client.v1.disputes.list({"payment_intent": intent}).data] == [
        (dispute["id"], "needs_response")
    ]
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.refunds.create({"payment_intent": intent})
    assert caught.value.code == "charge_disputed"
    assert client.v1.refunds.list().data == []

    sandbox.control(f"disputes/{dispute['id']}/close", status="won")
    assert client.v1.disputes.retrieve(dispute["id"]).status == "won"
    types = ["charge.dispute.created", "charge.dispute.closed"]
    assert [event.type for event in client.v1.events.list({"types": types}).data] == types[::-1]
