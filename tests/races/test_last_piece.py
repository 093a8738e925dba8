"""Two hundred buyers of the only piece: one gets it, everybody else is told so, and nobody pays for nothing."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable
from functools import partial
from threading import Barrier
from typing import Any

import pytest
import requests

from catalog.models import Product, Variant
from catalog.services import stock
from orders.models import Attempt, LedgerEntry, Order, OrderStatus, StockHold
from orders.services.checkout import placement
from orders.services.payments.settlement import settle
from orders.tests.factories import checkout_body, line, make_product
from shop.core.problems import CONTENT_TYPE
from tests.races.concurrency import Meeting, Started, run_concurrently, values
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

BUYERS = 80
AT_THE_GUARD = 20


def buy(product: Product, number: int) -> Any:
    body = checkout_body([line(product)], "60.00", customer={"email": f"buyer{number}@example.com"})
    return Buyer(number).checkout(body)


def sold_once(fake_stripe, product: Product) -> None:
    product.refresh_from_db()
    assert product.stock_quantity == 0
    order = Order.objects.get()
    assert order.status == OrderStatus.PENDING
    assert [hold.quantity for hold in StockHold.objects.all()] == [1]
    assert len(fake_stripe.requests("/v1/checkout/sessions")) == 1


def charged_once(fake_stripe) -> None:
    order = Order.objects.get()
    assert fake_stripe.pay(order)["result"] == "complete"
    attempt = Attempt.objects.get()
    values(run_concurrently([partial(settle, attempt.pk)] * 5))
    assert fake_stripe.pay(order)["result"] == "closed"
    assert LedgerEntry.objects.count() == 1
    charges = requests.get(
        f"{fake_stripe.api_base}/v1/charges",
        headers={"Authorization": "Bearer sk_test_shop_tests"},
        timeout=30,
    ).json()["data"]
    assert [(charge["amount"], charge["paid"]) for charge in charges] == [(6000, True)]


def test_many_buyers_of_the_last_piece_make_one_order(fake_stripe, monkeypatch, figures):
    product = make_product(price="60.00", stock_quantity=1)
    meeting = Meeting(AT_THE_GUARD)
    original = placement.hold_for_order

    def hold_together(*order: Any, **holder: str) -> bool:
        # Everybody here has read that one piece is left.
        meeting.wait()
        return original(*order, **holder)

    monkeypatch.setattr(placement, "hold_for_order", hold_together)
    outcomes = run_concurrently([partial(buy, product, number) for number in range(BUYERS)])
    answers = values(outcomes)
    assert Counter(answer.status_code for answer in answers) == {201: 1, 409: BUYERS - 1}
    refused = [answer for answer in answers if answer.status_code == 409]
    assert {answer["Content-Type"] for answer in refused} == {CONTENT_TYPE}
    assert {(answer.json()["code"], answer.json()["detail"]) for answer in refused} == {
        ("out_of_stock", "Rupture de stock")
    }
    assert {answer.json()["quote"]["lines"][0]["problem"] for answer in refused} == {"out_of_stock"}
    sold_once(fake_stripe, product)
    charged_once(fake_stripe)
    figures(
        last_piece_buyers=BUYERS, sold=1, refused_409=BUYERS - 1, answers_5xx=0,
        at_the_guard_at_once=AT_THE_GUARD, pages_at_stripe=1, charges=1,
        slowest_seconds=round(max(outcome.seconds for outcome in outcomes), 1),
    )  # fmt: skip


@pytest.mark.parametrize("case", ["taken off sale", "not published any more", "deleted"])
def test_a_piece_that_staff_take_away_between_the_quote_and_the_hold_is_not_sold(
    fake_stripe, monkeypatch, case
):
    product = make_product(price="60.00")
    changes = {
        "taken off sale": partial(Variant.objects.filter(product=product).update, in_stock=False),
        "not published any more": partial(Product.objects.filter(pk=product.pk).update, is_published=False),
        "deleted": Variant.objects.filter(product=product).delete,
    }
    original = placement.hold_for_order

    def hold_late(*order: Any, **holder: str) -> bool:
        Started(changes[case]).value()
        return original(*order, **holder)

    monkeypatch.setattr(placement, "hold_for_order", hold_late)
    answer = buy(product, 1)
    assert (answer.status_code, answer.json()["code"]) == (409, "out_of_stock")
    assert not Order.objects.exists()
    assert not StockHold.objects.exists()
    assert fake_stripe.requests("/v1/checkout/sessions") == []


def test_control_without_lock_and_guarded_update_the_last_piece_is_sold_many_times(
    fake_stripe, monkeypatch, figures
):
    product = make_product(price="60.00", stock_quantity=1)
    meeting = Meeting(AT_THE_GUARD)

    def without_lock(_levels: Iterable[Any]) -> dict[int, int | None]:
        return dict(Product.objects.values_list("pk", "stock_quantity"))

    def read_then_write(wanted: dict[Any, int], before: dict[Any, int]) -> set[Any]:
        lacking = {level for level, quantity in wanted.items() if before[level] < quantity}
        meeting.wait()
        for level in wanted.keys() - lacking:
            Product.objects.filter(pk=level[1]).update(stock_quantity=before[level] - wanted[level])
        return lacking

    monkeypatch.setattr(stock, "_lock_products", without_lock)
    monkeypatch.setattr(stock, "_take", read_then_write)
    answers = values(run_concurrently([partial(buy, product, number) for number in range(40)]))
    sold = sum(answer.status_code == 201 for answer in answers)
    assert sold >= AT_THE_GUARD
    assert Order.objects.count() == sold
    figures(control_without_guard_buyers=40, control_without_guard_sold=sold)


def test_many_buyers_over_http_before_gunicorn(fake_stripe, shop_address, figures):
    product = make_product(price="60.00", stock_quantity=1)
    start = Barrier(BUYERS)

    def buy_over_http(number: int) -> requests.Response:
        with requests.Session() as session:
            # Kept open, the connection might be closed by the server before everybody is ready.
            me = session.get(f"{shop_address}/api/me", headers={"Connection": "close"}, timeout=60)
            start.wait(60)
            return session.post(
                f"{shop_address}/api/checkout",
                json=checkout_body([line(product)], "60.00", customer={"email": f"b{number}@example.com"}),
                headers={
                    "X-CSRFToken": me.json()["csrf_token"],
                    "Idempotency-Key": str(uuid.uuid4()),
                    "Origin": shop_address,
                },
                timeout=60,
            )

    outcomes = run_concurrently([partial(buy_over_http, number) for number in range(BUYERS)])
    answers = values(outcomes)
    assert Counter((answer.status_code, answer.json().get("code")) for answer in answers) == {
        (201, None): 1,
        (409, "out_of_stock"): BUYERS - 1,
    }
    assert {answer.headers["Content-Type"] for answer in answers if answer.status_code == 409} == {
        CONTENT_TYPE
    }
    sold_once(fake_stripe, product)
    charged_once(fake_stripe)
    figures(
        gunicorn_last_piece_buyers=BUYERS, gunicorn_sold=1, gunicorn_refused_409=BUYERS - 1,
        gunicorn_answers_5xx=0, gunicorn_slowest_seconds=round(max(o.seconds for o in outcomes), 1),
    )  # fmt: skip
