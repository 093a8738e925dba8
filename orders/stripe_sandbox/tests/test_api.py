"""The API as the stripe library sees it: who may call, what is refused and how, lists, expansion."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
import stripe

from .conftest import make_client, session_params


def refused(client, changes) -> stripe.InvalidRequestError:
    params = {name: value for name, value in (session_params() | changes).items() if value is not None}
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.checkout.sessions.create(params)
    assert client.v1.checkout.sessions.list().data == []
    return caught.value


def line(**price) -> list[dict]:
    data = {"currency": "eur", "unit_amount": 1000, "product_data": {"name": "Dragon"}} | price
    return [{"quantity": 1, "price_data": {name: value for name, value in data.items() if value is not None}}]


def test_a_session_is_created_as_stripe_shapes_it(client, sandbox):
    session = client.v1.checkout.sessions.create(session_params())

    assert session.id.startswith("cs_test_a1")
    assert len(session.id) == 66
    assert session.url == f"{sandbox.url}/c/pay/{session.id}"
    assert (session.status, session.payment_status, session.mode) == ("open", "unpaid", "payment")
    assert (session.amount_total, session.currency, session.livemode) == (2468, "eur", False)
    assert session.payment_intent is None
    assert session.metadata.to_dict() == {"order": "order-1"}
    assert session.client_reference_id == "order-1"
    assert session.expires_at - session.created == 24 * 3600
    assert session.payment_method_types == ["card"]
    assert "line_items" not in session


def test_every_attribute_that_the_library_declares_is_there(client, sandbox, open_session):
    session = open_session(customer_creation="always")
    sandbox.control(f"sessions/{session.id}/pay")
    session = client.v1.checkout.sessions.retrieve(session.id, {"expand": ["payment_intent.latest_charge"]})
    intent = session.payment_intent
    refund = client.v1.refunds.create({"payment_intent": intent.id, "amount": 100})

    # These come only when asked for, or with a transfer or card data that a shop has not.
    assert declared(type(session)) - set(session.to_dict()) == {"line_items"}
    assert declared(type(intent)) - set(intent.to_dict()) == set()
    assert declared(type(intent.latest_charge)) - set(intent.latest_charge.to_dict()) == {
        "level3",
        "refunds",
        "transfer",
    }
    assert declared(type(refund)) - set(refund.to_dict()) == set()


def declared(kind: type) -> set[str]:
    return {name for name in kind.__annotations__ if not name.startswith("_") and name != "OBJECT_NAME"}


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({}, "You did not provide an API key."),
        ({"Authorization": "Bearer sk_test_other"}, "Invalid API Key provided: sk_test_****ther"),
        ({"Authorization": "Basic !!"}, "You did not provide an API key."),
    ],
)
def test_without_the_key_nothing_is_answered(sandbox, headers, message):
    answer = requests.get(f"{sandbox.url}/v1/events", headers=headers, timeout=5)

    assert answer.status_code == 401
    assert answer.json()["error"]["message"].startswith(message)
    assert answer.headers["Request-Id"].startswith("req_")


def test_the_library_raises_authentication_error_for_a_wrong_key(sandbox):
    with pytest.raises(stripe.AuthenticationError):
        make_client(sandbox, key="sk_test_wrong").v1.events.list()


@pytest.mark.parametrize(
    ("changes", "code", "param"),
    [
        ({"payment_method_types": ["card"]}, "parameter_unknown", "payment_method_types"),
        ({"idempotency": "k"}, "parameter_unknown", "idempotency"),
        ({"line_items": line(price="x")}, "parameter_unknown", "line_items[0][price_data][price]"),
        ({"ui_mode": "hosted"}, None, "ui_mode"),
        ({"ui_mode": "embedded_page"}, "sandbox_not_simulated", "ui_mode"),
        ({"mode": None}, "parameter_missing", "mode"),
        ({"mode": "subscription"}, "sandbox_not_simulated", "mode"),
        ({"success_url": None}, "parameter_missing", "success_url"),
        ({"success_url": "/payment-success"}, "url_invalid", "success_url"),
        ({"cancel_url": "javascript:alert(1)"}, "url_invalid", "cancel_url"),
        ({"line_items": None}, "parameter_missing", "line_items"),
        ({"line_items": line() * 101}, None, "line_items"),
        (
            {"line_items": line(unit_amount=None)},
            "parameter_missing",
            "line_items[0][price_data][unit_amount]",
        ),
        (
            {"line_items": line(unit_amount="12.50")},
            "parameter_invalid_integer",
            "line_items[0][price_data][unit_amount]",
        ),
        (
            {"line_items": line(unit_amount=-1)},
            "parameter_invalid_integer",
            "line_items[0][price_data][unit_amount]",
        ),
        ({"line_items": line(unit_amount=49)}, "amount_too_small", "line_items"),
        ({"line_items": line(unit_amount=0)}, "amount_too_small", "line_items"),
        ({"line_items": line(currency="usd")}, None, "line_items[0][price_data][currency]"),
        (
            {"line_items": line(product_data={})},
            "parameter_missing",
            "line_items[0][price_data][product_data]",
        ),
        ({"line_items": [{"price": "price_1", "quantity": 1}]}, "resource_missing", "line_items[0][price]"),
        ({"line_items": [{"price_data": line()[0]["price_data"]}]}, None, "line_items[0][quantity]"),
        ({"client_reference_id": "x" * 201}, "parameter_invalid_string", "client_reference_id"),
        ({"customer_email": "nobody"}, "email_invalid", "customer_email"),
        ({"customer": "cus_unknown", "customer_email": None}, "resource_missing", "customer"),
        (
            {"customer": "cus_1", "customer_creation": "always", "customer_email": None},
            None,
            "customer_creation",
        ),
        ({"metadata": {f"k{n}": "v" for n in range(51)}}, None, "metadata"),
        ({"metadata": {"k" * 41: "v"}}, None, "metadata"),
        ({"metadata": {"k": "v" * 501}}, None, "metadata[k]"),
        ({"custom_text": {"submit": {"message": "x" * 1201}}}, None, "custom_text[submit][message]"),
        ({"allowed_payment_method_types": ["bitcoin"]}, None, "allowed_payment_method_types[0]"),
        ({"allowed_payment_method_types": ["klarna"]}, None, "allowed_payment_method_types"),
        ({"excluded_payment_method_types": ["alma"]}, None, "excluded_payment_method_types"),
        ({"shipping_options": [{"shipping_rate": "shr_1"}]}, "sandbox_not_simulated", "shipping_options"),
        ({"locale": "xx"}, None, "locale"),
        ({"client_reference_id": ""}, "parameter_invalid_empty", "client_reference_id"),
    ],
)
def test_what_stripe_refuses_is_refused_and_nothing_is_created(client, changes, code, param):
    error = refused(client, changes)

    assert (error.http_status, error.code, error.param) == (400, code, param)


@pytest.mark.parametrize(
    ("seconds", "message"),
    [
        (29 * 60, "The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation."),
        (25 * 3600, "The `expires_at` timestamp must be less than 24 hours from Checkout Session creation."),
    ],
)
def test_a_session_lives_between_30_minutes_and_24_hours(client, sandbox, seconds, message):
    error = refused(client, {"expires_at": int(sandbox.look("health")["now"]) + seconds})

    assert error.user_message == message
    assert error.param == "expires_at"


def test_methods_that_do_not_fit_are_dropped_without_a_word(open_session):
    assert open_session(allowed_payment_method_types=["card", "alma", "klarna"]).payment_method_types == [
        "card"
    ]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda v1: v1.checkout.sessions.retrieve("cs_test_x"), "No such checkout.session: 'cs_test_x'"),
        (lambda v1: v1.payment_intents.retrieve("pi_x"), "No such payment_intent: 'pi_x'"),
        (lambda v1: v1.charges.retrieve("ch_x"), "No such charge: 'ch_x'"),
        (lambda v1: v1.customers.retrieve("cus_x"), "No such customer: 'cus_x'"),
        (lambda v1: v1.payment_methods.retrieve("pm_x"), "No such PaymentMethod: 'pm_x'"),
        (lambda v1: v1.refunds.retrieve("re_x"), "No such refund: 're_x'"),
        (lambda v1: v1.events.retrieve("evt_x"), "No such event: 'evt_x'"),
        (lambda v1: v1.balance_transactions.retrieve("txn_x"), "No such balance_transaction: 'txn_x'"),
        (lambda v1: v1.disputes.retrieve("dp_x"), "No such dispute: 'dp_x'"),
    ],
)
def test_an_unknown_id_is_404_resource_missing(client, call, message):
    with pytest.raises(stripe.InvalidRequestError) as caught:
        call(client.v1)

    error = caught.value
    assert (error.http_status, error.code, error.user_message) == (404, "resource_missing", message)


def test_an_address_that_is_not_stripes_is_404(client, sandbox):
    with pytest.raises(stripe.InvalidRequestError, match=r"Unrecognized request URL \(GET: /v1/products\)"):
        client.v1.products.list()


def test_another_api_version_is_refused(sandbox):
    answer = requests.get(
        f"{sandbox.url}/v1/events",
        headers={"Authorization": "Bearer sk_test_sandbox", "Stripe-Version": "2020-08-27"},
        timeout=5,
    )

    assert answer.status_code == 400
    assert answer.headers["Stripe-Version"] == "2026-10-28.endive" == stripe.api_version


@pytest.mark.parametrize("body", [b"\xff\xfe=1", b"a[b=1", b"a[b][c][d][e][f][g][h][i]=1", b"a=1&a[b]=2"])
def test_a_body_that_can_not_be_read_is_400(sandbox, body):
    answer = requests.post(
        f"{sandbox.url}/v1/refunds", data=body, headers={"Authorization": "Bearer sk_test_sandbox"}, timeout=5
    )

    assert answer.status_code == 400
    assert answer.json()["error"]["type"] == "invalid_request_error"


def test_lists_are_newest_first_in_pages(client):
    made = [client.v1.customers.create({"email": f"c{number}@example.com"}).id for number in range(5)]

    first = client.v1.customers.list({"limit": 2})
    assert [row.id for row in first.data] == [made[4], made[3]]
    assert first.has_more is True
    second = client.v1.customers.list({"limit": 3, "starting_after": made[3]})
    assert [row.id for row in second.data] == [made[2], made[1], made[0]]
    assert second.has_more is False
    before = client.v1.customers.list({"limit": 2, "ending_before": made[1]})
    assert [row.id for row in before.data] == [made[3], made[2]]
    assert [row.id for row in client.v1.customers.list({"limit": 2}).auto_paging_iter()] == made[::-1]
    assert [row.id for row in client.v1.customers.list({"email": "c2@example.com"}).data] == [made[2]]


def test_lists_are_bounded_by_creation_time(client, sandbox):
    client.v1.customers.create({"email": "old@example.com"})
    now = sandbox.control("clock", advance=3600)["now"]
    client.v1.customers.create({"email": "new@example.com"})

    recent = client.v1.customers.list({"created": {"gte": int(now) - 60}})
    assert [row.email for row in recent.data] == ["new@example.com"]
    old = client.v1.customers.list({"created": {"lt": int(now) - 60}})
    assert [row.email for row in old.data] == ["old@example.com"]


@pytest.mark.parametrize("limit", [0, 101, -1])
def test_a_page_has_1_to_100_rows(client, limit):
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.events.list({"limit": limit})

    assert (caught.value.param, caught.value.user_message) == (
        "limit",
        "This value must be between 1 and 100.",
    )


def test_expansion_goes_through_several_levels(client, sandbox, open_session):
    session = open_session()
    sandbox.control(f"sessions/{session.id}/pay")
    sandbox.wait_for_event("charge.updated", state="pending")

    session = client.v1.checkout.sessions.retrieve(
        session.id,
        {"expand": ["payment_intent.latest_charge.balance_transaction", "line_items.data.price.product"]},
    )

    charge = session.payment_intent.latest_charge
    # 24,68 € × 1,5 % = 0,37 €, and 0,25 €
    assert (charge.balance_transaction.fee, charge.balance_transaction.net) == (62, 2406)
    assert [line.price.product.name for line in session.line_items.data] == ["Dragon peint", "Gobelin offert"]
    assert [line.amount_total for line in session.line_items.data] == [2468, 0]
    listed = client.v1.checkout.sessions.list(
        {"payment_intent": session.payment_intent.id, "expand": ["data.payment_intent"]}
    )
    assert [row.payment_intent.status for row in listed.data] == ["succeeded"]


def test_what_can_not_be_expanded_is_refused_before_anything_happens(client):
    error = refused(client, {"expand": ["amount_total"]})

    assert error.param == "expand[0]"


def test_line_items_have_their_own_list(client, open_session):
    page = client.v1.checkout.sessions.line_items.list(open_session().id, {"limit": 1})

    assert [(line.description, line.quantity) for line in page.data] == [("Dragon peint", 2)]
    assert page.has_more is True


def test_an_open_session_can_be_expired_once(client, open_session):
    session = client.v1.checkout.sessions.expire(open_session().id)

    assert (session.status, session.url) == ("expired", None)
    with pytest.raises(stripe.InvalidRequestError, match="This Checkout Session has a status of `expired`"):
        client.v1.checkout.sessions.expire(session.id)
    assert [event.type for event in client.v1.events.list().data] == ["checkout.session.expired"]


def test_fifty_calls_at_once_are_all_answered(client, sandbox):
    with ThreadPoolExecutor(50) as pool:
        sessions = list(
            pool.map(lambda _: make_client(sandbox).v1.checkout.sessions.create(session_params()), range(50))
        )

    assert len({session.id for session in sessions}) == 50
    assert {session.status for session in sessions} == {"open"}
