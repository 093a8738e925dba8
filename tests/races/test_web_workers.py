"""Web workers are copies of one process that made the first pages: none of its connections may be left to them."""

from __future__ import annotations

import pytest
import requests
from django.db import connection

from orders.tests.factories import line, make_product
from tests.races.concurrency import run_concurrently, values
from tests.races.conftest import SHOP_CONNECTIONS

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

OPEN = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = %s"
VISITORS, CALLS = 16, 10


def connections_of_the_shop() -> int:
    with connection.cursor() as cursor:
        cursor.execute(OPEN, [SHOP_CONNECTIONS])
        return int(cursor.fetchone()[0])


def test_workers_begin_without_a_connection_and_answer_each_visitor_their_own_quote(
    fake_stripe, shop_address
):
    products = [make_product(price=f"{20 + number}.00") for number in range(VISITORS)]
    assert connections_of_the_shop() == 0

    def ask(number: int) -> set[str]:
        body = {"lines": [line(products[number])], "country": "FR"}
        answers = [
            requests.post(f"{shop_address}/api/cart/quote", json=body, timeout=60) for _ in range(CALLS)
        ]
        assert {answer.status_code for answer in answers} == {200}
        return {answer.json()["subtotal"] for answer in answers}

    subtotals = values(run_concurrently([lambda number=number: ask(number) for number in range(VISITORS)]))
    assert subtotals == [{f"{20 + number}.00"} for number in range(VISITORS)]
    # Both workers were asked, each by connections of its own.
    assert connections_of_the_shop() >= 2
