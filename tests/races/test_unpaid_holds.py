"""Many checkouts of one address at one moment: what it may hold unpaid is counted one after the other."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import pytest
from django.test import Client

from catalog.models import Product
from orders.models import Order, StockHold
from orders.services import unpaid_holds
from orders.tests.factories import checkout_body, line, make_product
from orders.tests.fake_stripe import Shopper
from tests.races.concurrency import Meeting, run_concurrently, values

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

HOARDERS = 20


def hoard(product: Product, number: int) -> Any:
    shopper = Shopper()
    shopper.client = Client(raise_request_exception=False, REMOTE_ADDR="192.0.2.1")
    return shopper.checkout(
        checkout_body([line(product)], "60.00", customer={"email": f"hoarder{number}@example.com"})
    )


@pytest.fixture(autouse=True)
def _three_scarce_pieces(settings: Any) -> None:
    settings.UNPAID_SCARCE_LIMIT = 3


def hoard_together(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Each wants a piece of its own; all have taken it before the first is counted."""
    products = [make_product(f"Pièce {number}", "60.00", stock_quantity=1) for number in range(HOARDERS)]
    meeting = Meeting(HOARDERS)
    original = unpaid_holds.lock_names

    def meet(names: tuple[str, ...]) -> None:
        meeting.wait()
        original(names)

    monkeypatch.setattr(unpaid_holds, "lock_names", meet)
    return values(
        run_concurrently([partial(hoard, product, number) for number, product in enumerate(products)])
    )


def test_twenty_checkouts_of_one_address_at_once_hold_three_unique_pieces(fake_stripe, monkeypatch, figures):
    answers = hoard_together(monkeypatch)
    assert Counter((answer.status_code, answer.json().get("code")) for answer in answers) == {
        (201, None): 3,
        (409, "too_many_unpaid"): HOARDERS - 3,
    }
    assert (Order.objects.count(), StockHold.objects.count()) == (3, 3)
    assert Product.objects.filter(stock_quantity=1).count() == HOARDERS - 3
    figures(hoarders_at_once=HOARDERS, unique_pieces_held=3)


def test_control_without_the_lock_all_of_them_hold_a_piece(fake_stripe, monkeypatch, figures):
    monkeypatch.setattr(unpaid_holds, "lock_names", lambda names: None)
    answers = hoard_together(monkeypatch)
    held = sum(answer.status_code == 201 for answer in answers)
    assert held > 3
    figures(control_without_lock_unique_pieces_held=held)
