"""Events on their way to the shop: signed as the library checks, retried, repeated, reordered."""

import json

import pytest
import stripe

from orders.stripe_sandbox.testing import RunningSandbox, SandboxRefused

from .conftest import make_client, session_params, until

PAID = ["charge.succeeded", "checkout.session.completed", "payment_intent.succeeded"]


@pytest.fixture
def hooked(sandbox):
    sandbox.control("webhooks", on=True, delay="0")
    return sandbox


def pay(client, sandbox, open_session):
    session = open_session()
    sandbox.control(f"sessions/{session.id}/pay")
    return session


def test_a_payment_is_told_by_signed_events(client, hooked, receiver, open_session):
    session = pay(client, hooked, open_session)
    hooked.wait_for_event("charge.updated")

    assert sorted(receiver.types()) == ["charge.succeeded", "charge.updated", *PAID[1:]]
    events = {json.loads(body)["type"]: (body, sign) for body, sign in receiver.received}
    body, sign = events["checkout.session.completed"]
    event = stripe.Webhook.construct_event(body, sign, "whsec_sandbox")
    assert event.data.object.id == session.id
    assert (event.data.object.payment_status, event.data.object.amount_total) == ("paid", 2468)
    assert (event.livemode, event.api_version) == (False, "2026-10-28.endive")
    body, sign = events["charge.succeeded"]
    assert json.loads(body)["data"]["object"]["balance_transaction"] is None
    body, sign = events["charge.updated"]
    assert json.loads(body)["data"]["object"]["balance_transaction"].startswith("txn_")
    with pytest.raises(stripe.SignatureVerificationError):
        stripe.Webhook.construct_event(body.replace(b"2468", b"0001"), sign, "whsec_sandbox")
    with pytest.raises(stripe.SignatureVerificationError):
        stripe.Webhook.construct_event(body, sign, "whsec_other")


def test_events_quote_the_call_that_caused_them(client, hooked, open_session):
    intent = client.v1.checkout.sessions.retrieve(pay(client, hooked, open_session).id).payment_intent
    refund = client.v1.refunds.create({"payment_intent": intent}, {"idempotency_key": "refund-1"})

    event = client.v1.events.list({"type": "refund.created"}).data[0]
    assert event.request.idempotency_key == "refund-1"
    assert event.request.id == refund.last_response.headers["Request-Id"]
    assert event.data.object.id == refund.id


def test_delivered_events_are_told_from_undelivered_ones(client, hooked, receiver, open_session):
    receiver.answer = lambda number: 500
    pay(client, hooked, open_session)
    hooked.wait_for_event("charge.updated", state="pending")

    undelivered = client.v1.events.list({"delivery_success": False}).data
    assert sorted(event.type for event in undelivered) == ["charge.succeeded", "charge.updated", *PAID[1:]]
    assert {event.pending_webhooks for event in undelivered} == {1}
    receiver.answer = lambda number: 200
    hooked.control("events/deliver")

    assert client.v1.events.list({"delivery_success": False}).data == []
    assert {event.pending_webhooks for event in client.v1.events.list({"delivery_success": True}).data} == {0}


def test_only_what_the_endpoint_asks_for_is_sent(tmp_path, receiver):
    receiver.received.clear()
    kinds = {"STRIPE_SANDBOX_WEBHOOK_KINDS": "checkout.session.completed,refund.created"}
    with RunningSandbox(0, tmp_path, receiver.url, variables=kinds) as sandbox:
        client = make_client(sandbox)
        session = client.v1.checkout.sessions.create(session_params())
        sandbox.control(f"sessions/{session.id}/pay")
        sandbox.wait_for_event("checkout.session.completed")

        assert receiver.types() == ["checkout.session.completed"]
        assert client.v1.events.list({"delivery_success": False}).data == []
        told = client.v1.events.list({"types": ["charge.succeeded", "checkout.session.completed"]}).data
        assert sorted((event.type, event.pending_webhooks) for event in told) == [
            ("charge.succeeded", 0),
            ("checkout.session.completed", 0),
        ]


def test_a_refused_delivery_is_tried_three_times(client, hooked, receiver, open_session):
    receiver.answer = lambda number: 302
    session = open_session()
    client.v1.checkout.sessions.expire(session.id)

    def tries():
        return [
            (event["tries"], event["state"], event["last_answer"])
            for event in hooked.look("events")["events"]
        ]

    def wait_for(count):
        until(lambda: len(receiver.received) == count and tries()[0][0] == count)

    wait_for(1)
    assert tries() == [(1, "pending", "302")]
    hooked.control("clock", advance=11)
    wait_for(2)
    assert tries() == [(2, "pending", "302")]
    hooked.control("clock", advance=61)
    wait_for(3)
    assert tries() == [(3, "failed", "302")]
    hooked.control("clock", advance=3600)
    event = client.v1.events.list({"delivery_success": False}).data[0]
    receiver.answer = lambda number: 204
    assert hooked.control("events/deliver", events=[event.id])["sent"] == [
        {"event": event.id, "answer": "204"}
    ]
    assert tries() == [(4, "delivered", "204")]


def test_events_can_be_held_back_and_sent_in_reverse(client, sandbox, receiver, open_session):
    pay(client, sandbox, open_session)
    sandbox.wait_for_event("charge.updated", state="pending")
    assert receiver.received == []

    sandbox.control("events/deliver", reverse=True)

    assert receiver.types() == [
        "charge.updated",
        "checkout.session.completed",
        "payment_intent.succeeded",
        "charge.succeeded",
    ]


def test_an_event_can_be_repeated_all_at_once(client, sandbox, receiver, open_session):
    pay(client, sandbox, open_session)

    sent = sandbox.control("events/deliver", type="checkout.session.completed", times=5, parallel=True)[
        "sent"
    ]

    assert [row["answer"] for row in sent] == ["200"] * 5
    assert len({json.loads(body)["id"] for body, _sign in receiver.received}) == 1
    assert receiver.types() == ["checkout.session.completed"] * 5


def test_before_means_before_the_customer_comes_back(client, hooked, receiver, browser, open_session):
    hooked.control("webhooks", delay="before")
    session = open_session()

    answer = browser.post(
        session.url, data={"card": "4242", "action": "pay"}, allow_redirects=False, timeout=10
    )

    assert answer.status_code == 303
    assert set(PAID) <= set(receiver.types())


def test_a_long_delay_holds_the_events_back(client, hooked, receiver, open_session):
    hooked.control("webhooks", delay="600")
    pay(client, hooked, open_session)
    assert hooked.look("events", type="checkout.session.completed")["events"][0]["state"] == "pending"
    assert receiver.received == []

    hooked.control("clock", advance=601)

    hooked.wait_for_event("checkout.session.completed")


@pytest.mark.parametrize(
    ("steps", "types"),
    [
        (["refuse"], ["charge.failed", "payment_intent.payment_failed"]),
        (
            ["refuse", "expire"],
            [
                "charge.failed",
                "checkout.session.expired",
                "payment_intent.canceled",
                "payment_intent.payment_failed",
            ],
        ),
        (["expire"], ["checkout.session.expired"]),
    ],
)
def test_what_happens_on_the_page_is_told(client, sandbox, open_session, steps, types):
    session = open_session()
    for step in steps:
        sandbox.control(f"sessions/{session.id}/{step}")

    assert sorted(event["type"] for event in sandbox.look("events")["events"]) == types


def test_refunds_and_disputes_are_told(client, sandbox, open_session):
    intent = client.v1.checkout.sessions.retrieve(pay(client, sandbox, open_session).id).payment_intent
    sandbox.wait_for_event("charge.updated", state="pending")
    before = len(sandbox.look("events")["events"])
    refund = client.v1.refunds.create({"payment_intent": intent, "amount": 100})
    sandbox.control(f"refunds/{refund.id}/settle", status="failed")
    dispute = sandbox.control("disputes", charge=refund.charge)["dispute"]
    sandbox.control(f"disputes/{dispute['id']}/close", status="lost")

    assert [event["type"] for event in sandbox.look("events")["events"]][before:] == [
        "charge.refunded",
        "refund.created",
        "refund.updated",
        "refund.failed",
        "charge.dispute.created",
        "charge.dispute.closed",
    ]


def test_events_are_listed_for_thirty_days(client, sandbox, open_session):
    client.v1.checkout.sessions.expire(open_session().id)
    assert len(client.v1.events.list().data) == 1

    sandbox.control("clock", advance=30 * 24 * 3600 + 1)

    assert client.v1.events.list().data == []


def test_a_delay_that_makes_no_sense_is_refused(sandbox):
    with pytest.raises(SandboxRefused, match="unreadable value 'soon'"):
        sandbox.control("webhooks", delay="soon")
