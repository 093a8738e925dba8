"""Cases 7 and 8: only messages that Stripe signed come in, also while the secret is rolled."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from orders.models import StripeEvent
from orders.tests.fake_stripe import signature
from tests.payment_faults.outcomes import (
    confirmed_once,
    rows,
)
from tests.payment_faults.webhook_posts import post

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

BAD_HEADERS: dict[str, Callable[[bytes], str | None]] = {
    "missing": lambda paid_event: None,
    "empty": lambda paid_event: "",
    "garbage": lambda paid_event: "garbage",
    "no values": lambda paid_event: "t=,v1=",
    "no number": lambda paid_event: "t=abc,v1=def",
    "huge number": lambda paid_event: f"t={2**70},v1=00",
    "negative number": lambda paid_event: signature(paid_event, at=-1),
    "of another account": lambda paid_event: signature(paid_event, secret="whsec_another_shop"),
    "of a body with one byte more": lambda paid_event: signature(paid_event + b" "),
    "v0 only": lambda paid_event: signature(paid_event).replace("v1=", "v0="),
    "cut short": lambda paid_event: signature(paid_event)[:-1],
    "no ascii": lambda paid_event: "é" * 10,
    "a signature beyond ASCII": lambda paid_event: "t=1,v1=é",
    "the true one and one beyond ASCII": lambda paid_event: f"{signature(paid_event)},v1=é",
    "digits of another script": lambda paid_event: signature(paid_event).replace("t=1", "t=١", 1),
    "digits with an underscore": lambda paid_event: signature(paid_event).replace("t=1", "t=1_", 1),
    "two times": lambda paid_event: f"t=1,{signature(paid_event)}",
    "a time of 5,000 digits": lambda paid_event: f"t={'9' * 5000},v1=00",
    "a NUL": lambda paid_event: f"{signature(paid_event)}\x00",
    "empty parts": lambda paid_event: signature(paid_event).replace(",", ",,"),
    "a hundred thousand parts": lambda paid_event: "t=1" + ",v1=00" * 100_000,
    "raw bytes": lambda paid_event: bytes(range(256)).decode("latin-1"),
}


def test_case_07_without_stripes_signature_nothing_changes(client, order, paid_event):
    """Bad, missing, stale, foreign, v0-only or garbage signature: 400, nothing changes."""
    before = rows()
    for case, header in BAD_HEADERS.items():
        assert post(client, paid_event, header(paid_event)).status_code == 400, case
        assert rows() == before, case
    assert not StripeEvent.objects.exists()
    # The very same message with its signature acts.
    assert post(client, paid_event, signature(paid_event)).status_code == 200
    confirmed_once(order)


def test_case_07_odd_headers_are_no_crash_in_production(client, order, paid_event, settings):
    """Whatever the header says, through the entry point that gunicorn uses: 400."""
    settings.DEBUG = False
    client.raise_request_exception = False
    for case, header in BAD_HEADERS.items():
        assert post(client, paid_event, header(paid_event)).status_code == 400, case


def test_case_07_without_a_secret_nothing_is_accepted(client, paid_event, settings):
    """Bad, missing, stale, foreign, v0-only or garbage signature: 400, nothing changes."""
    settings.STRIPE_WEBHOOK_SECRET = ""
    before = rows()
    assert post(client, paid_event, signature(paid_event, secret="")).status_code == 400
    assert rows() == before
    assert not StripeEvent.objects.exists()


def test_case_08_two_signatures_while_the_secret_is_rolled_are_accepted(client, order, paid_event):
    """Two v1 signatures while the secret is rolled: accepted."""
    other = signature(paid_event, secret="whsec_other").split(",v1=")[1]
    moment, own = signature(paid_event).split(",v1=")
    assert post(client, paid_event, f"{moment},v1={other},v1={own}").status_code == 200
    confirmed_once(order)


def test_case_08_the_old_secret_is_accepted_while_it_is_named_and_not_after(
    client, order, paid_event, settings
):
    """Two v1 signatures while the secret is rolled: accepted. So are messages that only the old secret signed."""
    header = signature(paid_event, secret="whsec_old")
    before = rows()
    assert post(client, paid_event, header).status_code == 400
    assert rows() == before
    settings.STRIPE_WEBHOOK_SECRET_OLD = "whsec_old"
    assert post(client, paid_event, header).status_code == 200
    confirmed_once(order)
