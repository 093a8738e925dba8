"""Two tabs that order the same at one instant, without a session and under two keys, make one order."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from orders.models import Attempt, Order, OrderStatus
from orders.services.checkout import placement
from orders.tests.factories import checkout_body, line, make_product
from tests.races.concurrency import Meeting, run_concurrently, values, without_constraint
from tests.races.conftest import Buyer

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

TABS = 8


@pytest.fixture
def together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every tab has looked for an order of its demand before the first one writes it."""
    meeting, quote = Meeting(TABS), placement.quote_cart

    def quoted(*lines: Any, **options: Any) -> Any:
        found = quote(*lines, **options)
        meeting.wait()
        return found

    monkeypatch.setattr(placement, "quote_cart", quoted)


def answers(body: dict[str, Any]) -> list[Any]:
    return values(run_concurrently([partial(Buyer().checkout, body) for _tab in range(TABS)]))


@pytest.mark.usefixtures("together")
def test_tabs_at_once_get_one_order_and_one_page(fake_stripe, figures):
    product = make_product(price="60.00", stock_quantity=TABS)
    given = answers(checkout_body([line(product)], "60.00"))
    assert {answer.status_code for answer in given} <= {201, 503}
    order = Order.objects.get()
    assert {answer.json()["order_id"] for answer in given if answer.status_code == 201} == {str(order.pk)}
    assert {answer.json()["url"] for answer in given if answer.status_code == 201} == {
        Attempt.objects.get().checkout_session_url
    }
    product.refresh_from_db()
    assert product.stock_quantity == TABS - 1
    figures(tabs=TABS, orders=1, answered=sum(answer.status_code == 201 for answer in given))


@pytest.mark.usefixtures("together")
def test_without_the_constraint_every_tab_makes_an_order(fake_stripe):
    """Control."""
    product = make_product(price="60.00")
    with without_constraint("order_one_unpaid_demand"):
        answers(checkout_body([line(product)], "60.00"))
        assert Order.objects.count() == TABS


def test_another_cart_address_network_or_a_paid_order_makes_a_new_order(fake_stripe):
    product = make_product(price="60.00")
    body = checkout_body([line(product)], "60.00")
    assert Buyer().checkout(body).json()["order_id"] == Buyer().checkout(body).json()["order_id"]
    other = [
        Buyer().checkout(checkout_body([line(product, 2)], "120.00")),
        Buyer().checkout(checkout_body([line(product)], "60.00", customer={"address": "4 rue des Carmes"})),
        Buyer(300).checkout(body),
    ]
    assert Order.objects.count() == 4
    assert [answer.status_code for answer in other] == [201, 201, 201]
    first = Order.objects.earliest("created_at")
    # Nor does a page answer that has less than ten minutes left.
    for minutes, same in ((11, True), (9, False)):
        Attempt.objects.filter(payment__order=first).update(
            expires_at=timezone.now() + timedelta(minutes=minutes)
        )
        assert (Buyer().checkout(body).json()["order_id"] == str(first.pk)) is same
    second = Order.objects.latest("created_at")
    Order.objects.filter(pk=second.pk).update(status=OrderStatus.CONFIRMED)
    again = Buyer().checkout(body)
    assert again.status_code == 201
    assert again.json()["order_id"] not in {str(first.pk), str(second.pk)}
