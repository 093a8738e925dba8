"""One idempotency key, one effect, one answer; and what ordered faults do to it."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
import stripe

from orders.stripe_sandbox.tests.calls import charge_params, paid_intent

from .conftest import make_client, session_params

KEY = {"idempotency_key": "att-1"}


def sessions(client):
    return [row.id for row in client.v1.checkout.sessions.list({"limit": 100}).data]


def post(sandbox, path, body, key="raw-1"):
    headers = {"Authorization": "Bearer sk_test_sandbox", "Idempotency-Key": key}
    return requests.post(f"{sandbox.url}{path}", data=body, headers=headers, timeout=5)


def test_the_same_key_and_parameters_give_the_same_answer(client):
    first = client.v1.checkout.sessions.create(session_params(), KEY)
    second = client.v1.checkout.sessions.create(session_params(), KEY)

    assert second.to_dict() == first.to_dict()
    assert "Idempotent-Replayed" not in first.last_response.headers
    assert second.last_response.headers["Idempotent-Replayed"] == "true"
    assert second.last_response.headers["Original-Request"] == first.last_response.headers["Request-Id"]
    assert sessions(client) == [first.id]


def test_the_same_key_with_other_parameters_is_an_idempotency_error(client):
    first = client.v1.checkout.sessions.create(session_params(), KEY)

    with pytest.raises(stripe.IdempotencyError) as caught:
        client.v1.checkout.sessions.create(session_params() | {"client_reference_id": "order-2"}, KEY)

    assert caught.value.http_status == 400
    assert sessions(client) == [first.id]


def test_the_same_key_at_another_address_is_an_idempotency_error(client):
    client.v1.customers.create({}, KEY)

    with pytest.raises(stripe.IdempotencyError):
        client.v1.refunds.create({}, KEY)


def test_parameter_errors_leave_the_key_free(client):
    with pytest.raises(stripe.InvalidRequestError):
        client.v1.checkout.sessions.create(session_params() | {"success_url": "nowhere"}, KEY)

    session = client.v1.checkout.sessions.create(session_params(), KEY)
    assert sessions(client) == [session.id]


def test_a_refused_card_is_replayed(client, save_card):
    customer, method = save_card("9995")
    errors = []
    for _ in range(2):
        with pytest.raises(stripe.CardError) as caught:
            client.v1.payment_intents.create(charge_params(customer, method), KEY)
        errors.append(caught.value)

    assert errors[1].error.payment_intent.id == errors[0].error.payment_intent.id
    assert errors[1].headers["Idempotent-Replayed"] == "true"
    assert len(client.v1.payment_intents.list({"customer": customer}).data) == 2


def test_a_refused_refund_is_replayed_even_when_it_would_pass_now(client, sandbox, open_session):
    intent = paid_intent(client, sandbox, open_session)
    dispute = sandbox.control("disputes", payment_intent=intent)["dispute"]
    for _ in range(2):
        with pytest.raises(stripe.InvalidRequestError) as caught:
            client.v1.refunds.create({"payment_intent": intent}, KEY)
        assert caught.value.code == "charge_disputed"
    sandbox.control(f"disputes/{dispute['id']}/close", status="won")

    assert caught.value.headers["Idempotent-Replayed"] == "true"


def test_an_ordered_500_is_kept_under_the_key_and_not_retried(client, sandbox):
    sandbox.control("faults", kind="error", status=500, method="POST")
    patient = make_client(sandbox, retries=2)

    for _ in range(2):
        with pytest.raises(stripe.APIError) as caught:
            patient.v1.checkout.sessions.create(session_params(), KEY)
        assert caught.value.http_status == 500

    assert sessions(client) == []
    assert [row["status"] for row in sandbox.look("requests", method="POST")["requests"]] == [500, 500]
    other = client.v1.checkout.sessions.create(session_params(), {"idempotency_key": "att-2"})
    assert sessions(client) == [other.id]


@pytest.mark.parametrize(("status", "kind"), [(429, stripe.RateLimitError), (503, stripe.APIError)])
def test_a_call_that_was_turned_away_keeps_its_key_free(client, sandbox, status, kind):
    sandbox.control("faults", kind="error", status=status, times=2)
    for _ in range(2):
        with pytest.raises(kind):
            client.v1.checkout.sessions.create(session_params(), KEY)

    session = client.v1.checkout.sessions.create(session_params(), KEY)
    assert sessions(client) == [session.id]


def test_a_lost_answer_is_found_again_by_the_same_key(client, sandbox):
    sandbox.control("faults", kind="drop", method="POST", path="/v1/checkout/sessions")
    with pytest.raises(stripe.APIConnectionError):
        client.v1.checkout.sessions.create(session_params(), KEY)
    made = sessions(client)
    assert len(made) == 1

    assert client.v1.checkout.sessions.create(session_params(), KEY).id == made[0]
    assert sessions(client) == made


def test_the_librarys_own_retry_heals_a_lost_answer(client, sandbox):
    sandbox.control("faults", kind="drop", method="POST")

    session = make_client(sandbox, retries=1).v1.checkout.sessions.create(session_params())

    assert sessions(client) == [session.id]
    posts = sandbox.look("requests", method="POST")["requests"]
    assert [(row["status"], row["replayed"]) for row in posts] == [(0, False), (200, True)]


def test_a_call_that_never_arrived_did_nothing(client, sandbox):
    sandbox.control("faults", kind="drop", after=False, method="POST")
    with pytest.raises(stripe.APIConnectionError):
        client.v1.checkout.sessions.create(session_params(), KEY)

    assert sessions(client) == []


def test_a_key_that_is_being_worked_on_is_409(client, sandbox):
    # Both would wait: whichever comes first does, and the other finds its key taken.
    sandbox.control("faults", kind="hang", seconds=2, times=2, method="POST")
    with ThreadPoolExecutor(2) as callers:
        calls = [callers.submit(post, sandbox, "/v1/customers", "email=a%40example.com") for _ in range(2)]
    first, second = sorted((call.result() for call in calls), key=lambda answer: answer.status_code)

    assert (first.status_code, second.status_code) == (200, 409)
    assert second.json()["error"]["code"] == "idempotency_key_in_use"
    assert second.headers["Stripe-Should-Retry"] == "true"
    third = post(sandbox, "/v1/customers", "email=a%40example.com")
    assert third.headers["Idempotent-Replayed"] == "true"
    assert [row.id for row in client.v1.customers.list().data] == [third.json()["id"]] == [first.json()["id"]]


def test_a_hanging_answer_runs_into_the_callers_timeout(client, sandbox):
    sandbox.control("faults", kind="hang", seconds=3, after=True, method="POST")
    began = time.monotonic()
    with pytest.raises(stripe.APIConnectionError):
        make_client(sandbox, timeout=0.5).v1.checkout.sessions.create(session_params(), KEY)

    assert time.monotonic() - began < 2.5
    assert client.v1.checkout.sessions.create(session_params(), KEY).id == sessions(client)[0]
    assert len(sessions(client)) == 1


def test_after_a_day_the_same_key_acts_again(client, sandbox):
    first = client.v1.customers.create({"email": "a@example.com"}, KEY)
    sandbox.control("clock", advance=24 * 3600 - 10)
    assert client.v1.customers.create({"email": "a@example.com"}, KEY).id == first.id

    sandbox.control("clock", advance=20)

    assert client.v1.customers.create({"email": "a@example.com"}, KEY).id != first.id


def test_faults_skip_and_count_as_ordered(client, sandbox):
    sandbox.control("faults", kind="error", status=503, path="/v1/customers", skip=1, times=1)

    client.v1.events.list()
    client.v1.customers.list()
    with pytest.raises(stripe.APIError):
        client.v1.customers.list()
    client.v1.customers.list()


def test_a_key_of_256_characters_is_refused(client):
    with pytest.raises(stripe.InvalidRequestError, match="at most 255 characters"):
        client.v1.customers.create({}, {"idempotency_key": "k" * 256})


def test_a_call_that_hung_through_a_reset_is_not_recorded_after_it(client, sandbox):
    sandbox.control("faults", kind="hang", seconds=1, after=True, method="POST")
    with pytest.raises(stripe.APIConnectionError):
        make_client(sandbox, timeout=0.3).v1.checkout.sessions.create(session_params())
    sandbox.control("reset")
    time.sleep(1.2)

    assert sandbox.look("requests")["requests"] == []
