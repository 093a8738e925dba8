"""How many queries an order costs, whatever the size of the cart."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from orders.tests.factories import checkout_body, line, make_product

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def statements(queries: CaptureQueriesContext) -> int:
    """Reads and writes; what begins and ends transactions differs between databases."""
    return sum(query["sql"].startswith(("SELECT", "INSERT", "UPDATE", "DELETE")) for query in queries)


def test_an_order_of_twenty_pieces_costs_the_queries_of_an_order_of_one(fake_stripe, shopper):
    # The network's limit 1 (its guarded write is not counted here); the key and the same demand 1, the shop's mentions
    # 1 when not cached; the quote 6 (territories, which also say whether it may go there, zones with weight steps,
    # closures, products, variants, pictures); earlier unpaid orders 1; terms 1; written 6 (order, lines, what staff
    # find it by, payment, attempt, journal); stock 2 (variants, holds); the page 1 before the call (sent) and 4 after
    # it (order, attempt, saved, journal); the browser's session 1 = 25. Counted stock adds one guarded update a piece,
    # and at most 5 that count what its customer holds.
    products = [make_product(f"Pièce {number}", "5.00") for number in range(20)]
    counts = []
    for wanted, total in ((products[:1], "14.99"), (products, "100.00")):
        shopper.client.cookies.clear()
        with CaptureQueriesContext(connection) as queries:
            answer = shopper.checkout(checkout_body([line(product) for product in wanted], total))
        assert answer.status_code == 201
        counts.append(statements(queries))
    assert counts == [25, 24]


def test_a_repeated_order_costs_five_queries(fake_stripe, shopper):
    # The network's limit 1, the key 1, its attempt 1, the browser's session 2 (read, row).
    body = checkout_body([line(make_product(price="60.00"))], "60.00")
    shopper.checkout(body, "the-same-key")
    with CaptureQueriesContext(connection) as queries:
        assert shopper.checkout(body, "the-same-key").status_code == 201
    assert statements(queries) == 5
