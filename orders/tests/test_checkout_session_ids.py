"""What passes for the id of a checkout session in an address."""

import pytest
from django.test import Client

from orders.stripe.gateway import parse_checkout_session_id


@pytest.mark.parametrize("text", ["cs_test_a1B2", "x" * 255, "é", "' OR 1=1"])
def test_a_printable_text_that_fits_its_column_is_returned(text):
    assert parse_checkout_session_id(text) == text


@pytest.mark.parametrize(
    "text", ["", "x" * 256, "\x00", "cs_\x00", "cs_\n", "cs_\x7f", "cs_\ud83d", "cs_\u202e"]
)
def test_what_no_column_takes_is_no_id(text):
    assert parse_checkout_session_id(text) == ""


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["", "x" * 255, "x" * 256, "cs_\x00", "cs_\n"])
def test_an_unknown_id_is_answered_like_none(text):
    assert Client().get("/payment-success", {"session_id": text}).status_code == 200
    answer = Client().get("/api/checkout/verify", {"session_id": text})
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_session")
