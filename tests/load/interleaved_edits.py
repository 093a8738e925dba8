"""Two people at the same rows, two hundred edits: what each was told is stored stays stored.

    python scripts/run_tests.py postgres -- tests/load/interleaved_edits.py

Run on demand, on a machine that is not busy: each caller has a minute.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.test import Client
from lxml import html

from accounts.tests.people import make_admin
from catalog.tests.factories import make_variation
from orders.tests.factories import make_order, make_product, pay_order
from shop.pages.models import PageText
from tests.races.concurrency import run_concurrently, values

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

EDITS = 25
MOST_TRIES = 500


def browser(account: Any) -> Client:
    client = Client()
    client.force_login(account)
    return client


def sent(client: Client, method: str, address: str, body: Any) -> Any:
    return getattr(client, method)(address, json.dumps(body), content_type="application/json")


class Counted:
    """What both write is a number, one more with each edit."""

    def edited(self, text: str, _mark: str) -> str:
        return str(int(text or 0) + 1)

    def edits(self, text: str) -> int:
        return int(text)


class Product(Counted):
    """Both write into one text."""

    def __init__(self) -> None:
        self.address = f"/api/admin/products/{make_product().pk}"

    def read(self, client: Client) -> tuple[str, Any]:
        row = client.get(self.address).json()
        return row["full_description"], row["updated_at"]

    def write(self, client: Client, text: str, version: Any) -> int:
        body = {"full_description": text, "expected_updated_at": version}
        return int(sent(client, "patch", self.address, body).status_code)


class Variant(Counted):
    """Both write into one cell of a grid."""

    def __init__(self) -> None:
        product = make_product("Hibou")
        make_variation(product, "Grand")
        self.address = f"/api/admin/products/{product.pk}/variants"

    def read(self, client: Client) -> tuple[str, Any]:
        grid = client.get(self.address).json()
        row = grid["rows"][0]
        return str(row["weight_grams"] or ""), (grid["version"], row["id"])

    def write(self, client: Client, text: str, version: Any) -> int:
        body = {"version": version[0], "rows": [{"id": version[1], "weight_grams": int(text)}]}
        return int(sent(client, "put", self.address, body).status_code)


class Text:
    """Both write into one text of a page."""

    def __init__(self) -> None:
        row = PageText.objects.get_or_create(key="home-hero", starts_at=None)[0]
        PageText.objects.filter(pk=row.pk).update(body_fr="Bonjour.")
        self.address = f"/admin/textes/passages/{row.pk}"

    def read(self, client: Client) -> tuple[str, Any]:
        # Read from the page: a test client's context gets what other threads draw, too.
        forms = html.fromstring(client.get(self.address).content.decode()).forms
        fields = next(form.fields for form in forms if "seen" in form.fields)
        shown = {name: value or "" for name, value in fields.items()}
        return shown["body_fr"].strip(), (shown.pop("seen"), shown)

    def edited(self, text: str, mark: str) -> str:
        """Each has words of their own: the same words twice are no conflict."""
        return f"{text} {mark}"

    def edits(self, text: str) -> int:
        return len(set(text.split())) - 1

    def write(self, client: Client, text: str, version: Any) -> int:
        seen, shown = version
        return int(client.post(self.address, {**shown, "body_fr": text, "seen": seen}).status_code)


class Order(Counted):
    """Both write into one address."""

    def __init__(self) -> None:
        self.address = f"/api/admin/orders/{pay_order(make_order()).pk}"

    def read(self, client: Client) -> tuple[str, Any]:
        row = client.get(self.address).json()
        return row["shipping_address"]["phone"], (row["updated_at"], row["shipping_address"])

    def write(self, client: Client, text: str, version: Any) -> int:
        updated_at, place = version
        body = {**place, "phone": text, "expected_updated_at": updated_at}
        return int(sent(client, "post", f"{self.address}/address", body).status_code)


def counted(subject: Any, account: Any) -> int:
    """Edit, as often as it takes until all is stored; how many tries were refused on the way."""
    client, refused = browser(account), 0
    for edit in range(EDITS):
        for _try in range(MOST_TRIES):
            text, version = subject.read(client)
            status = subject.write(client, subject.edited(text, f"{account.pk}-{edit}"), version)
            if status in (200, 302):
                break
            assert status == 409
            refused += 1
        else:
            raise AssertionError("never stored")
    return refused


@pytest.mark.parametrize("make", [Product, Variant, Text, Order])
def test_no_edit_of_two_people_is_lost(make: Callable[[], Any]) -> None:
    subject = make()
    people = [make_admin(f"{name}@example.com") for name in ("ida", "noa")]
    refused = values(run_concurrently([partial(counted, subject, person) for person in people]))
    text, _version = subject.read(browser(people[0]))
    assert subject.edits(text) == 2 * EDITS, f"{refused} were refused and tried again"
