"""Texts are measured before they are composed: a heap of accents takes the square of its length (Unicode, D109), and a
worker that composes one for minutes is away for everybody."""

from __future__ import annotations

import json
from time import process_time
from typing import Any

import pytest
from django.test import Client

from orders.tests.factories import checkout_body, line, make_product, make_zones

pytestmark = pytest.mark.django_db

HEAP = "a" + "\u0300\u0316" * 30_000
# Composing the heap once takes five on a slow machine, and every form did it twice.
NOTICED = 2.0


def seconds(client: Client, path: str, *args: Any, status: int, **options: Any) -> float:
    started = process_time()
    answer = client.post(path, *args, **options)
    spent = process_time() - started
    assert answer.status_code == status
    return spent


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/auth", 200),
        ("/avis/demander", 400),
        ("/contact", 200),
        ("/newsletter/demander", 400),
        ("/retractation", 200),
        ("/suivi-commande", 200),
    ],
)
def test_no_form_composes_a_heap_of_accents(client: Client, path: str, status: int) -> None:
    fields = ("first_name", "last_name", "name", "subject", "message", "reference", "goods", "reason")
    form = {**dict.fromkeys(fields, HEAP), "email": f"{HEAP}@example.com", "mode": "forgot"}
    form["product_id"] = str(make_product().pk)
    assert seconds(client, path, form, status=status) < NOTICED


@pytest.mark.parametrize(
    "field", ["email", "firstName", "address", "city", "postalCode", "customCountry", "phone", "notes"]
)
def test_no_order_composes_a_heap_of_accents(client: Client, field: str) -> None:
    make_zones()
    body = checkout_body([line(make_product())], "10.00")
    body["customer"][field] = f"{HEAP}@example.com" if field == "email" else HEAP
    sent = json.dumps(body, ensure_ascii=False).encode()
    assert (
        seconds(
            client,
            "/api/checkout",
            sent,
            content_type="application/json",
            headers={"Idempotency-Key": "heap"},
            status=400,
        )
        < NOTICED
    )
