"""Carts that share pieces and name them in opposite orders: nobody waits in a circle, no unit is lost."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import pytest
from django.db.models import Sum

from catalog.models import Product
from catalog.services import stock
from orders.models import Order, StockHold
from orders.tests.factories import checkout_body, line, make_product, make_variation
from tests.races.concurrency import Meeting, deadlocks, run_concurrently, values
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

CARTS = 100
PIECES = 6
IN_STOCK = 30


def order_cart(lines: list[dict[str, Any]], number: int) -> Any:
    # Every line is 60.00, from 50.00 delivery is free.
    return Buyer(number).checkout(
        checkout_body(lines, f"{60 * len(lines)}.00", customer={"email": f"buyer{number}@example.com"})
    )


def test_carts_of_two_to_five_lines_in_opposite_orders(fake_stripe, settings, figures):
    # The last carts hold nothing but last pieces.
    settings.UNPAID_SCARCE_LIMIT = 5
    products = [make_product(f"Pièce {n}", "60.00", stock_quantity=IN_STOCK) for n in range(PIECES)]
    # The last one is sold in a format that counts its own units.
    format_ = make_variation(products[-1], "18 cm", stock_quantity=IN_STOCK - 5, is_default=True)
    before = deadlocks()
    carts = []
    for number in range(CARTS):
        size = 2 + number % 4
        chosen = [products[(number + step) % PIECES] for step in range(size)]
        lines = [
            line(product, variation_id=format_.pk) if product == products[-1] else line(product)
            for product in chosen
        ]
        carts.append(lines if number % 2 else lines[::-1])
    outcomes = run_concurrently([partial(order_cart, lines, number) for number, lines in enumerate(carts)])
    answers = Counter((answer.status_code, answer.json().get("code")) for answer in values(outcomes))
    assert set(answers) <= {(201, None), (409, "out_of_stock")}
    sold = answers[201, None]
    assert 0 < sold < CARTS
    assert Order.objects.count() == sold
    held = dict(StockHold.objects.values_list("product_id").annotate(units=Sum("quantity")))
    for product in Product.objects.exclude(pk=products[-1].pk):
        assert product.stock_quantity >= 0
        assert IN_STOCK - product.stock_quantity == held[product.pk]
    assert IN_STOCK - 5 - format_.variants.get().stock_quantity == held[products[-1].pk]
    assert Product.objects.get(pk=products[-1].pk).stock_quantity == IN_STOCK
    assert deadlocks() == before
    figures(
        opposite_carts=CARTS, carts_sold=sold, carts_refused_409=CARTS - sold, carts_5xx=0, deadlocks=0,
        units_held=sum(held.values()), slowest_cart_seconds=round(max(o.seconds for o in outcomes), 1),
    )  # fmt: skip


def test_control_without_the_order_of_the_keys_two_carts_wait_in_a_circle(fake_stripe, monkeypatch, figures):
    first, second = (make_product(name, "60.00", stock_quantity=5) for name in ("Lune", "Soleil"))
    meeting = Meeting(2)

    def lock_as_they_come(levels: Any) -> dict[int, int | None]:
        """Between the two pieces every cart waits until the other has locked its first one."""
        found = {}
        for number, (_kind, variant) in enumerate(levels):
            if number == 1:
                meeting.wait()
            product = Product.objects.select_for_update().get(variants=variant)
            found[product.pk] = product.stock_quantity
        return found

    monkeypatch.setattr(stock, "_lock_products", lock_as_they_come)
    carts = ([line(first), line(second)], [line(second), line(first)])
    answers = values(run_concurrently([partial(order_cart, lines, n) for n, lines in enumerate(carts)]))
    assert sorted(answer.status_code for answer in answers) == [201, 503]
    figures(control_without_order_of_keys_deadlocked_carts=1)
