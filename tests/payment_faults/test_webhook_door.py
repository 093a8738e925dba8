"""Cases 7 to 11 and 34: only Stripe's own messages come in, and what they say must fit. None makes a 500."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.conf import settings as live_settings
from django.utils import timezone

from orders.models import Attempt, AttemptState, Discrepancy, Order, OrderStatus, StripeEvent
from orders.services.payments.settlement import settle
from orders.services.reconciliation import reconcile
from orders.stripe import gateway
from orders.stripe.gateway import CheckoutSessionFacts
from orders.tests.bank import session_of, signature
from orders.tests.factories import checkout_body, line, make_product, new_key
from shop.core.models import OutgoingMail
from tests.payment_faults.outcomes import (
    confirmed_once,
    left_in_stock,
    mails,
    new_order,
    rows,
    still_waits,
    told,
)
from tests.races.conftest import Buyer

pytestmark = pytest.mark.django_db(transaction=True)

ADDRESS = "/webhooks/stripe"
COMPLETED = "checkout.session.completed"


def message(kind: str = COMPLETED, **subject: Any) -> bytes:
    """An event about a page that this shop never made."""
    made_up = {"id": "cs_test_foreign", "object": "checkout.session", "metadata": {}, **subject}
    return json.dumps(
        {"id": "evt_test_1", "object": "event", "type": kind, "livemode": False, "data": {"object": made_up}}
    ).encode()


def post(client, payload: bytes, header: str | None):
    headers = {} if header is None else {"stripe-signature": header}
    return client.post(ADDRESS, payload, content_type="application/json", headers=headers)


@pytest.fixture
def paid(bank, order) -> bytes:
    """The true message that the order's page was paid; nobody has told the shop yet."""
    bank.pay(order)
    return json.dumps(told(bank, COMPLETED)).encode()


BAD_HEADERS: dict[str, Callable[[bytes], str | None]] = {
    "missing": lambda paid: None,
    "empty": lambda paid: "",
    "garbage": lambda paid: "garbage",
    "no values": lambda paid: "t=,v1=",
    "no number": lambda paid: "t=abc,v1=def",
    "huge number": lambda paid: f"t={2**70},v1=00",
    "negative number": lambda paid: signature(paid, at=-1),
    "of another account": lambda paid: signature(paid, secret="whsec_another_shop"),
    "of a body with one byte more": lambda paid: signature(paid + b" "),
    "v0 only": lambda paid: signature(paid).replace("v1=", "v0="),
    "cut short": lambda paid: signature(paid)[:-1],
    "no ascii": lambda paid: "é" * 10,
    "a signature beyond ASCII": lambda paid: "t=1,v1=é",
    "the true one and one beyond ASCII": lambda paid: f"{signature(paid)},v1=é",
    "digits of another script": lambda paid: signature(paid).replace("t=1", "t=١", 1),
    "digits with an underscore": lambda paid: signature(paid).replace("t=1", "t=1_", 1),
    "two times": lambda paid: f"t=1,{signature(paid)}",
    "a time of 5,000 digits": lambda paid: f"t={'9' * 5000},v1=00",
    "a NUL": lambda paid: f"{signature(paid)}\x00",
    "empty parts": lambda paid: signature(paid).replace(",", ",,"),
    "a hundred thousand parts": lambda paid: "t=1" + ",v1=00" * 100_000,
    "raw bytes": lambda paid: bytes(range(256)).decode("latin-1"),
}


def test_case_07_without_stripes_signature_nothing_changes(client, order, paid):
    """Bad, missing, stale, foreign, v0-only or garbage signature: 400, nothing changes."""
    before = rows()
    for case, header in BAD_HEADERS.items():
        assert post(client, paid, header(paid)).status_code == 400, case
        assert rows() == before, case
    assert not StripeEvent.objects.exists()
    # The very same message with its signature acts.
    assert post(client, paid, signature(paid)).status_code == 200
    confirmed_once(order)


def test_case_07_odd_headers_are_no_crash_in_production(client, order, paid, settings):
    """Whatever the header says, through the door that gunicorn uses: 400."""
    settings.DEBUG = False
    client.raise_request_exception = False
    for case, header in BAD_HEADERS.items():
        assert post(client, paid, header(paid)).status_code == 400, case


@pytest.mark.parametrize("minutes", [-6, 6])
def test_case_34_a_clock_six_minutes_off_refuses_and_alerts_and_nothing_is_lost(
    client, order, paid, minutes, settings, caplog
):
    """Clock 10 minutes off: refused, told once, and fetched again with the right time."""
    before = rows()
    for _again in range(3):
        header = signature(paid, at=time.time() + 60 * minutes)
        assert post(client, paid, header).status_code == 400
    alert = OutgoingMail.objects.get()
    assert (alert.kind, alert.to, alert.context) == (
        "clock_alert", "atelier@example.com", {"where": "webhook", "minutes": 6},
    )  # fmt: skip
    assert "the clock is wrong (webhook)" in caplog.text
    alert.delete()
    assert rows() == before
    assert not StripeEvent.objects.exists()
    reconcile.fetch_missed_events(timezone.now() + timedelta(minutes=3))
    confirmed_once(order)


def test_case_34_only_stripe_can_raise_the_alarm(client, order, paid):
    """A foreign signature of another time is a bad signature, and nobody is told."""
    header = signature(paid, secret="whsec_other", at=time.time() + 360)
    assert post(client, paid, header).status_code == 400
    assert not OutgoingMail.objects.exists()


def test_case_07_without_a_secret_nothing_is_accepted(client, paid, settings):
    """Bad, missing, stale, foreign, v0-only or garbage signature: 400, nothing changes."""
    settings.STRIPE_WEBHOOK_SECRET = ""
    before = rows()
    assert post(client, paid, signature(paid, secret="")).status_code == 400
    assert rows() == before
    assert not StripeEvent.objects.exists()


def test_case_08_two_signatures_while_the_secret_is_rolled_are_accepted(client, order, paid):
    """Two v1 signatures while the secret is rolled: accepted."""
    other = signature(paid, secret="whsec_other").split(",v1=")[1]
    moment, own = signature(paid).split(",v1=")
    assert post(client, paid, f"{moment},v1={other},v1={own}").status_code == 200
    confirmed_once(order)


def test_case_08_the_old_secret_is_accepted_while_it_is_named_and_not_after(client, order, paid, settings):
    """Two v1 signatures while the secret is rolled: accepted. So are messages that only the old secret signed."""
    header = signature(paid, secret="whsec_old")
    before = rows()
    assert post(client, paid, header).status_code == 400
    assert rows() == before
    settings.STRIPE_WEBHOOK_SECRET_OLD = "whsec_old"
    assert post(client, paid, header).status_code == 200
    confirmed_once(order)


NONSENSE = {
    "empty": b"",
    "not UTF-8": b"\xff\xfe",
    "not JSON": b"not json",
    "a list": b"[]",
    "null": b"null",
    "a text": b'"x"',
    "nothing in it": b"{}",
    "no type": b'{"id": "evt_1"}',
    "numbers for names": b'{"id": 1, "type": 2}',
    "a name too long for any event": json.dumps({"id": "e" * 256, "type": "x"}).encode(),
    "a type too long for any event": json.dumps({"id": "evt_1", "type": "x" * 101}).encode(),
    "not a number": b'{"id": "evt_1", "type": "x", "data": NaN}',
    "more than any number": b'{"id": "evt_1", "type": "x", "data": 1e999}',
    "nested without end": b"[" * 100_000,
}


def test_case_09_signed_nonsense_is_refused(bank, client, order):
    """A body that is not UTF-8, not JSON, 10 MB, or a GET: 400, 413 or 405, no 500."""
    before = rows()
    for case, payload in NONSENSE.items():
        assert post(client, payload, signature(payload)).status_code == 400, case
        assert rows() == before, case
    assert not StripeEvent.objects.exists()


NO_SUBJECTS = (None, 7, [], {"object": None}, {"object": []}, {"object": {"metadata": 7, "id": ["x"]}})


@pytest.mark.parametrize(
    "kind", [COMPLETED, "payment_intent.succeeded", "refund.updated", "charge.dispute.created"]
)
def test_case_09_a_signed_event_about_nothing_is_kept_and_changes_nothing(bank, client, order, kind):
    """A body that is not what it should be: no 500."""
    before = rows()
    for number, data in enumerate(NO_SUBJECTS):
        payload = json.dumps({"id": f"evt_test_{number}", "type": kind, "data": data}).encode()
        assert post(client, payload, signature(payload)).status_code == 200, data
        assert rows() == before, data
    assert StripeEvent.objects.exclude(processed_at=None).count() == len(NO_SUBJECTS)


def test_case_09_letters_that_the_database_does_not_keep_do_not_keep_an_event_out(client, order, paid):
    """A body that is not what it should be: no 500. PostgreSQL's JSON knows no NUL and no half of a pair."""
    event = json.loads(paid)
    event["data"]["object"]["customer_details"]["name"] = "Camille\x00 \ud83d"
    payload = json.dumps(event).encode()
    assert post(client, payload, signature(payload)).status_code == 200
    confirmed_once(order)
    name = StripeEvent.objects.get().body["data"]["object"]["customer_details"]["name"]
    assert name == "Camille\ufffd \ufffd"


def test_case_09_large_bodies_other_methods_and_lengths_that_are_none_are_refused(bank, client, order, paid):
    """A body that is not UTF-8, not JSON, 10 MB, or a GET: 400, 413 or 405, no 500."""
    before = rows()
    for size in (256 * 1024 + 1, 10 * 1024 * 1024):
        large = b" " * size
        assert post(client, large, signature(large)).status_code == 413
    headers = {"stripe-signature": signature(paid)}
    for method in ("get", "head", "put", "patch", "delete", "options"):
        assert getattr(client, method)(ADDRESS, headers=headers).status_code == 405, method
    for length in ("many", "-1", ""):
        answer = client.generic(
            "POST", ADDRESS, paid, "application/json", CONTENT_LENGTH=length, headers=headers
        )
        assert answer.status_code == 400, length
    assert rows() == before
    assert not StripeEvent.objects.exists()


CONTRADICTIONS = {
    "another amount": ({"amount_total": 5999}, "event amount: 5999 instead of 6000"),
    "another currency": ({"currency": "usd"}, "event currency: usd instead of eur"),
}


@pytest.mark.parametrize("case", list(CONTRADICTIONS))
def test_case_10_a_signed_event_with_another_amount_or_currency(client, order, paid, case):
    """A signed event with another amount or currency: not confirmed, `review`, alert."""
    changes, reason = CONTRADICTIONS[case]
    event = json.loads(paid)
    event["data"]["object"] |= changes
    payload = json.dumps(event).encode()
    for _ in range(2):
        assert post(client, payload, signature(payload)).status_code == 200
    kept_for_review(order, reason)
    # Neither the return page nor the job confirms it afterwards.
    assert Buyer().verify(session_of(order)).json() == {"payment_status": "pending"}
    reconcile.reconcile_attempts(timezone.now() + timedelta(hours=1))
    kept_for_review(order, reason)


def lie(facts: CheckoutSessionFacts, **changes: Any) -> CheckoutSessionFacts:
    charge = {name[7:]: changes.pop(name) for name in list(changes) if name.startswith("charge_")}
    assert facts.charge is not None
    return replace(replace(facts, charge=replace(facts.charge, **charge)), **changes)


DIFFERENCES: dict[str, tuple[dict[str, Any], str]] = {
    "another page": ({"checkout_session_id": "cs_test_other"}, "session: cs_test_other instead of {session}"),
    "amount": ({"amount_cents": 5999}, "amount: 5999 instead of 6000"),
    "currency": ({"currency": "usd"}, "currency: usd instead of eur"),
    "mode": ({"mode": "setup"}, "mode: setup instead of payment"),
    "real money": ({"livemode": True}, "livemode: True instead of False"),
    "another order": ({"client_reference_id": "somebody-elses"}, "order: somebody-elses instead of {order}"),
    "another attempt": ({"metadata": {}}, "attempt: None instead of {attempt}"),
    "amount charged": ({"charge_amount_cents": 1}, "charge: 1 eur instead of 6000 eur"),
    "currency charged": ({"charge_currency": "jpy"}, "charge: 6000 jpy instead of 6000 eur"),
    "no charge": ({"charge": None}, "paid without a charge"),
}


@pytest.mark.parametrize("case", list(DIFFERENCES))
def test_case_10_a_page_that_differs_at_stripe(bank, client, order, paid, monkeypatch, case):
    """A signed event with another amount or currency: not confirmed, `review`, alert.

    Here it is the page itself, asked for at Stripe, that is not the order's.
    """
    changes, reason = DIFFERENCES[case]
    original = gateway.fetch_checkout_session
    monkeypatch.setattr(
        gateway,
        "fetch_checkout_session",
        lambda checkout_session_id: lie(original(checkout_session_id), **changes),
    )
    for _ in range(2):
        assert post(client, paid, signature(paid)).status_code == 200
    attempt = Attempt.objects.get()
    reason = reason.format(order=order.pk, attempt=attempt.pk, session=attempt.checkout_session_id)
    kept_for_review(order, reason)
    # Once it was kept for review, a person decides and no later news.
    monkeypatch.undo()
    settle(attempt.pk)
    kept_for_review(order, reason)


def kept_for_review(order: Order, reason: str) -> None:
    order.refresh_from_db()
    assert (order.status, order.review_reason) == (OrderStatus.PENDING, reason)
    assert Attempt.objects.get().state == AttemptState.REVIEW
    assert mails(order) == ["payment_review_alert"]
    assert not order.ledger.exists()
    assert left_in_stock(order) == 0
    assert order.events.filter(name="payment.review").count() == 1


@pytest.mark.parametrize("site", [None, "https://another-shop.example"])
def test_case_11_a_payment_of_another_shop_is_acknowledged(bank, client, order, site):
    """A signed event for an unknown order or another shop: 5xx if ours by metadata, else 200; nothing created."""
    payload = message(
        metadata={"shop": site, "attempt": "6f0cbb3a-1c41-4df1-9a7e-7a7d1d3e5a10"} if site else {}
    )
    before = rows()
    assert post(client, payload, signature(payload)).status_code == 200
    assert rows() == before
    kept = StripeEvent.objects.get()
    assert (kept.kind, kept.error, kept.processed_at is None) == (COMPLETED, "", False)


def test_case_11_an_unknown_type_is_acknowledged(bank, client, order):
    """A signed event for an unknown order or another shop: 5xx if ours by metadata, else 200; nothing created."""
    payload = message("product.created")
    before = rows()
    assert post(client, payload, signature(payload)).status_code == 200
    assert rows() == before


@pytest.mark.parametrize("kind", [COMPLETED, "payment_intent.succeeded", "charge.succeeded"])
def test_case_11_a_payment_of_ours_that_is_not_known_must_come_again(bank, client, order, kind):
    """A signed event for an unknown order or another shop: 5xx if ours by metadata, else 200; nothing created."""
    ours = {"shop": live_settings.SITE_URL, "attempt": "6f0cbb3a-1c41-4df1-9a7e-7a7d1d3e5a10"}
    payload = message(kind, metadata=ours)
    before = rows()
    for tries in (1, 2):
        assert post(client, payload, signature(payload)).status_code == 503
        kept = StripeEvent.objects.get()
        assert (kept.processed_at, kept.tries) == (None, tries)
        assert kept.error.startswith("NotYetKnown")
    assert rows() == before


def test_case_11_a_message_that_overtook_its_page_is_acted_on_when_it_comes_again(client, order, paid):
    """A signed event of ours that is not known yet: 5xx, and the same event confirms the order when it comes again."""
    page = Attempt.objects.values("checkout_session_id", "checkout_session_url", "intent_id").get()
    Attempt.objects.update(checkout_session_id=None, checkout_session_url="", intent_id=None)
    assert post(client, paid, signature(paid)).status_code == 503
    Attempt.objects.update(**page)
    assert post(client, paid, signature(paid)).status_code == 200
    confirmed_once(order)
    assert StripeEvent.objects.get().tries == 2


@pytest.mark.parametrize(
    ("seconds_off", "status"),
    [(-600, 400), (-310, 400), (-290, 200), (290, 200), (310, 400)],
)
def test_case_34_a_message_is_taken_within_300_seconds(client, order, paid, seconds_off, status):
    """Clock 10 min off: tolerance 300 s. What is further off is refused and books nothing; reconciliation finds it."""
    before = rows()
    assert post(client, paid, signature(paid, at=time.time() + seconds_off)).status_code == status
    if status == 400:
        OutgoingMail.objects.filter(kind="clock_alert").delete()
        assert rows() == before
        assert not StripeEvent.objects.exists()
        reconcile.reconcile_attempts(timezone.now() + timedelta(minutes=3))
    confirmed_once(order)


def test_case_34_an_order_is_paid_while_the_shops_clock_is_ten_minutes_ahead(bank):
    """Clock 10 min off: tolerance 300 s. A page may live longer than the shop believes."""
    bank.control("clock", advance=-600)
    buyer = Buyer()
    order = new_order(buyer)
    bank.pay(order)
    assert buyer.verify(session_of(order)).json()["payment_status"] == "paid"
    confirmed_once(order)


def test_case_34_a_shop_ten_minutes_behind_loses_nothing_until_its_clock_is_set(bank):
    """Clock 10 min off: tolerance 300 s. Stripe makes no page that would close in less than 30 minutes."""
    bank.control("clock", advance=600)
    buyer, key = Buyer(), new_key()
    body = checkout_body([line(make_product(price="60.00", stock_quantity=1))], "60.00")
    answer = buyer.checkout(body, key)
    assert (answer.status_code, answer.json()["code"], answer.json()["detail"]) == (
        503, "payment_refused", "Erreur lors de la création du paiement",
    )  # fmt: skip
    still_waits(Order.objects.get())
    bank.control("clock", reset=True)
    assert buyer.checkout(body, key).status_code == 201
    order = Order.objects.get()
    bank.pay(order)
    assert buyer.verify(session_of(order)).json()["payment_status"] == "paid"
    confirmed_once(order)


MISFITS = {
    "real money": ({"livemode": True}, "livemode: True instead of False"),
    "another order": ({"client_reference_id": "another"}, "order: another instead of {order}"),
    "another page": ({"id": "cs_test_other"}, "session: cs_test_other instead of {session}"),
}


@pytest.mark.parametrize("case", list(MISFITS))
def test_case_10_money_that_is_not_this_orders_is_shown_and_told_once(client, order, case):
    """A signed event about money that fits no order: booked nowhere, recorded and told once an object."""
    changes, reason = MISFITS[case]
    subject = {
        "id": session_of(order), "object": "checkout.session", "mode": "payment", "livemode": False,
        "payment_status": "paid", "amount_total": 6000, "currency": "eur", "client_reference_id": str(order.pk),
        "payment_intent": "pi_test_money",
        "metadata": {
            "shop": live_settings.SITE_URL, "order": str(order.pk), "attempt": str(Attempt.objects.get().pk),
        },
        **changes,
    }  # fmt: skip
    statuses = []
    for number in range(2):
        event = {
            "id": f"evt_test_{number}",
            "type": COMPLETED,
            "livemode": False,
            "data": {"object": subject},
        }
        payload = json.dumps(event).encode()
        statuses.append(post(client, payload, signature(payload)).status_code)
    discrepancy = Discrepancy.objects.get()
    assert statuses == [200, 200]
    assert (discrepancy.kind, discrepancy.provider_id, discrepancy.order, discrepancy.amount) == (
        "payment_unmatched", "pi_test_money", order, Decimal("60.00"),
    )  # fmt: skip
    assert discrepancy.detail == reason.format(order=order.pk, session=session_of(order))
    assert [mail.kind for mail in OutgoingMail.objects.all()] == ["reconciliation_discrepancies"]
    still_waits(order)


def test_case_11_money_of_another_shop_on_the_account_is_left_alone(client, order):
    """Foreign by its metadata: 200, nothing recorded, nobody told."""
    payload = message(
        payment_status="paid", amount_total=6000, metadata={"shop": "https://other.example", "attempt": "x"}
    )
    assert post(client, payload, signature(payload)).status_code == 200
    assert not Discrepancy.objects.exists()
    assert not OutgoingMail.objects.exists()


def test_an_event_that_stays_unknown_is_shown_when_it_is_given_up(client, order):
    known_nowhere = {"shop": live_settings.SITE_URL, "attempt": str(uuid.uuid4())}
    payload = message(payment_status="paid", amount_total=6000, metadata=known_nowhere)
    assert post(client, payload, signature(payload)).status_code == 503
    assert not Discrepancy.objects.exists()
    StripeEvent.objects.update(tries=19)
    assert post(client, payload, signature(payload)).status_code == 503
    assert Discrepancy.objects.get().detail == f"attempt {known_nowhere['attempt']} is not known"
