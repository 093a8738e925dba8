"""Case 9: bodies, methods and lengths that no event has. None makes a 500."""

from __future__ import annotations

import json

import pytest

from orders.models import StripeEvent
from orders.tests.fake_stripe import signature
from tests.payment_faults.outcomes import (
    confirmed_once,
    rows,
)
from tests.payment_faults.webhook_posts import ADDRESS, COMPLETED, post

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

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


def test_case_09_signed_nonsense_is_refused(fake_stripe, client, order):
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
def test_case_09_a_signed_event_about_nothing_is_kept_and_changes_nothing(fake_stripe, client, order, kind):
    """A body that is not what it should be: no 500."""
    before = rows()
    for number, data in enumerate(NO_SUBJECTS):
        payload = json.dumps({"id": f"evt_test_{number}", "type": kind, "data": data}).encode()
        assert post(client, payload, signature(payload)).status_code == 200, data
        assert rows() == before, data
    assert StripeEvent.objects.exclude(processed_at=None).count() == len(NO_SUBJECTS)


def test_case_09_letters_that_the_database_does_not_keep_do_not_keep_an_event_out(client, order, paid_event):
    """A body that is not what it should be: no 500. PostgreSQL's JSON knows no NUL and no half of a pair."""
    event = json.loads(paid_event)
    event["data"]["object"]["customer_details"]["name"] = "Camille\x00 \ud83d"
    payload = json.dumps(event).encode()
    assert post(client, payload, signature(payload)).status_code == 200
    confirmed_once(order)
    name = StripeEvent.objects.get().body["data"]["object"]["customer_details"]["name"]
    assert name == "Camille\ufffd \ufffd"


def test_case_09_large_bodies_other_methods_and_lengths_that_are_none_are_refused(
    fake_stripe, client, order, paid_event
):
    """A body that is not UTF-8, not JSON, 10 MB, or a GET: 400, 413 or 405, no 500."""
    before = rows()
    for size in (256 * 1024 + 1, 10 * 1024 * 1024):
        large = b" " * size
        refused = post(client, large, signature(large))
        assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    headers = {"stripe-signature": signature(paid_event)}
    for method in ("get", "head", "put", "patch", "delete", "options"):
        assert getattr(client, method)(ADDRESS, headers=headers).status_code == 405, method
    for length in ("many", "-1", ""):
        answer = client.generic(
            "POST", ADDRESS, paid_event, "application/json", CONTENT_LENGTH=length, headers=headers
        )
        assert (answer.status_code, answer.json()["code"]) == (400, "malformed"), length
    assert rows() == before
    assert not StripeEvent.objects.exists()
