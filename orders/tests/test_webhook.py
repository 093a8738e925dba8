"""`POST /webhooks/stripe`: only Stripe's own messages act, and none makes a 500."""

import json
import time

import pytest
from django.conf import settings as live_settings

from orders.models import StripeEvent
from orders.tests.conftest import signature

pytestmark = pytest.mark.django_db(transaction=True)

ADDRESS = "/webhooks/stripe"


def event(kind: str = "checkout.session.completed", **subject) -> bytes:
    return json.dumps(
        {
            "id": "evt_test_1",
            "object": "event",
            "type": kind,
            "livemode": False,
            "data": {
                "object": {"id": "cs_test_foreign", "object": "checkout.session", "metadata": {}, **subject}
            },
        }
    ).encode()


def post(client, payload: bytes, header: str | None):
    headers = {} if header is None else {"stripe-signature": header}
    return client.post(ADDRESS, payload, content_type="application/json", headers=headers)


BAD_HEADERS = {
    "missing": lambda: None,
    "empty": lambda: "",
    "garbage": lambda: "garbage",
    "no values": lambda: "t=,v1=",
    "no number": lambda: "t=abc,v1=def",
    "huge number": lambda: f"t={2**70},v1=00",
    "wrong secret": lambda: signature(event(), secret="whsec_wrong"),
    "one byte changed": lambda: signature(event() + b" "),
    "301 seconds old": lambda: signature(event(), at=time.time() - 301),
    "v0 only": lambda: signature(event()).replace("v1=", "v0="),
    "no ascii": lambda: "é" * 10,
}


@pytest.mark.parametrize("case", list(BAD_HEADERS))
def test_a_message_without_stripes_signature_is_refused_and_not_kept(bank, client, case):
    assert post(client, event(), BAD_HEADERS[case]()).status_code == 400
    assert not StripeEvent.objects.exists()


@pytest.mark.parametrize("payload", [b"", b"\xff\xfe", b"not json", b"[]", b"null", b'"x"', b"{}"])
def test_signed_nonsense_is_refused(bank, client, payload):
    assert post(client, payload, signature(payload)).status_code == 400
    assert not StripeEvent.objects.exists()


def test_two_signatures_while_the_secret_is_rolled_are_accepted(bank, client):
    payload = event()
    wrong = signature(payload, secret="whsec_other").split(",v1=")[1]
    assert post(client, payload, f"{signature(payload)},v1={wrong}").status_code == 200


def test_the_old_secret_is_accepted_while_it_is_named_and_not_after(bank, client, settings):
    payload = event()
    header = signature(payload, secret="whsec_old")
    assert post(client, payload, header).status_code == 400
    settings.STRIPE_WEBHOOK_SECRET_OLD = "whsec_old"
    assert post(client, payload, header).status_code == 200


def test_without_a_secret_nothing_is_accepted(client, settings):
    settings.STRIPE_WEBHOOK_SECRET = ""
    assert post(client, event(), signature(event(), secret="")).status_code == 400


def test_a_foreign_payment_is_acknowledged_without_effect(bank, client):
    assert post(client, event(), signature(event())).status_code == 200
    kept = StripeEvent.objects.get()
    assert (kept.kind, kept.error) == ("checkout.session.completed", "")
    assert kept.processed_at is not None


def test_an_unknown_type_is_acknowledged(bank, client):
    payload = event("product.created")
    assert post(client, payload, signature(payload)).status_code == 200


def test_a_payment_of_ours_that_is_not_known_yet_must_come_again(bank, client):
    payload = event(
        metadata={"shop": live_settings.SITE_URL, "attempt": "6f0cbb3a-1c41-4df1-9a7e-7a7d1d3e5a10"}
    )
    assert post(client, payload, signature(payload)).status_code == 503
    kept = StripeEvent.objects.get()
    assert (kept.processed_at, kept.tries) == (None, 1)
    assert kept.error.startswith("NotYetKnown")


def test_other_methods_and_large_bodies_are_refused(bank, client):
    assert client.get(ADDRESS).status_code == 405
    large = b" " * (256 * 1024 + 1)
    assert post(client, large, signature(large)).status_code == 413
    assert not StripeEvent.objects.exists()
