"""How many queries an order costs, whatever the size of the cart."""

from decimal import Decimal

import pytest
from django.core.cache.backends.dummy import DummyCache
from django.core.cache.backends.locmem import LocMemCache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from orders.models import Attempt, Order, ShippingZone
from orders.services.payments.settlement import settle
from orders.tests.factories import checkout_body, line, make_product
from shop.core.content_version import save_shown

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

ANOTHER = {"email": "another@example.com"}


def statements(queries: CaptureQueriesContext) -> int:
    """Reads and writes; what begins and ends transactions differs between databases."""
    return sum(query["sql"].startswith(("SELECT", "INSERT", "UPDATE", "DELETE")) for query in queries)


def test_an_order_of_twenty_pieces_costs_the_queries_of_an_order_of_one(fake_stripe, shopper):
    # The network's limit 1 (its guarded write is not counted here); the key and the same demand 1, the shop's mentions
    # 1 when not cached; whether it may go there 1 (territories); the quote 6 (territories once more, since the order
    # may have waited, zones with weight steps, closures, products, variants, pictures); earlier unpaid orders 1; terms
    # 1; written 6 (order, lines, what staff find it by, payment, attempt, journal); stock 3 (products, variants,
    # holds); the page 1 before the call (sent) and 3 after it (order, saved, journal); the browser's session 1 = 26.
    products = [make_product(f"Pièce {number}", "5.00") for number in range(20)]
    counts = []
    for wanted, total in ((products[:1], "14.99"), (products, "100.00")):
        shopper.client.cookies.clear()
        with CaptureQueriesContext(connection) as queries:
            answer = shopper.checkout(checkout_body([line(product) for product in wanted], total))
        assert answer.status_code == 201
        counts.append(statements(queries))
    assert counts == [26, 25]


@pytest.mark.parametrize(("stock", "most"), [(None, 20), (50, 23)])
def test_rules_and_photos_that_pages_have_cached_cost_an_order_no_query(
    fake_stripe, shopper, settings, stock, most
):
    # The 25 of above without territories (twice), zones, closures and pictures. Counted stock adds its guarded update,
    # the lock of who holds and what they hold.
    settings.FRAGMENT_CACHE_SECONDS = 60
    lines = [line(make_product(price="60.00", stock_quantity=stock))]
    assert shopper.checkout(checkout_body(lines, "60.00")).status_code == 201
    shopper.client.cookies.clear()
    other = checkout_body(lines, "60.00", customer=ANOTHER)
    with CaptureQueriesContext(connection) as queries:
        assert shopper.checkout(other).status_code == 201
    assert statements(queries) == most


def test_a_price_of_delivery_that_was_just_changed_counts_for_the_next_order(fake_stripe, shopper, settings):
    settings.FRAGMENT_CACHE_SECONDS = 60
    lines = [line(make_product(price="5.00"))]
    assert shopper.checkout(checkout_body(lines, "14.99")).status_code == 201
    zone = ShippingZone.objects.get(code="france-europe")
    zone.rate = Decimal("11.00")
    save_shown(zone)
    answer = shopper.checkout(checkout_body(lines, "14.99", customer=ANOTHER))
    assert (answer.status_code, answer.json()["code"]) == (409, "total_changed")
    assert answer.json()["quote"]["total"] == "16.00"
    assert Order.objects.count() == 1


def test_while_redis_is_away_an_order_reads_the_rules(fake_stripe, shopper, settings):
    """A change on another machine is not heard of then."""
    settings.FRAGMENT_CACHE_SECONDS = 60
    settings.REDIS_URL = "redis://127.0.0.1:9"
    settings.CACHES = {
        name: {"BACKEND": "shop.core.redis_cache.TolerantRedisCache", "LOCATION": settings.REDIS_URL}
        for name in ("default", "shared")
    }
    lines = [line(make_product(price="5.00"))]
    assert shopper.checkout(checkout_body(lines, "14.99")).status_code == 201
    ShippingZone.objects.filter(code="france-europe").update(rate=Decimal("11.00"))
    answer = shopper.checkout(checkout_body(lines, "14.99", customer=ANOTHER))
    assert (answer.status_code, answer.json()["code"]) == (409, "total_changed")
    assert Order.objects.count() == 1


def test_what_was_changed_while_redis_was_away_counts_for_the_next_order(
    fake_stripe, shopper, settings, monkeypatch, tmp_path
):
    """Redis itself has not gone: it still has the version of before, and the process the rules of that version."""
    settings.FRAGMENT_CACHE_SECONDS = 60
    settings.REDIS_URL, settings.DATA_DIR = "redis://127.0.0.1:9", tmp_path
    shared, away = LocMemCache("shared", {}), DummyCache("away", {})
    monkeypatch.setattr("shop.core.content_version.caches", {"shared": shared})
    lines = [line(make_product(price="5.00"))]
    assert shopper.checkout(checkout_body(lines, "14.99")).status_code == 201
    zone = ShippingZone.objects.get(code="france-europe")
    zone.rate = Decimal("11.00")
    with monkeypatch.context() as outage:
        outage.setattr("shop.core.content_version.caches", {"shared": away})
        save_shown(zone)
    answer = shopper.checkout(checkout_body(lines, "14.99", customer=ANOTHER))
    assert (answer.status_code, answer.json()["code"]) == (409, "total_changed")
    assert Order.objects.count() == 1


def test_a_payment_that_confirms_its_order_costs_36_queries(fake_stripe, shopper, settings):
    # Attempt 1, locks 3, intent and outcome 2, ledger 1, journal 1; stock 3 (products, released ones, taken), order 1,
    # lines 1, pieces to make 1, journal 1, tracking 1, payment 1; invoice 9 (known one, draft, series, date of the
    # last, lines, payments, written, series, journal); what staff find it by 3; contract 2; two mails 4; what became
    # of it 1. The territories are those that pages have cached.
    settings.FRAGMENT_CACHE_SECONDS = 60
    for customer in ({}, ANOTHER):
        shopper.client.cookies.clear()
        lines = [line(make_product(price="60.00", stock_quantity=50))]
        answer = shopper.checkout(checkout_body(lines, "60.00", customer=customer))
        order = Order.objects.get(pk=answer.json()["order_id"])
        fake_stripe.pay(order)
        attempt = Attempt.objects.get(payment__order=order)
        with CaptureQueriesContext(connection) as queries:
            assert settle(attempt.pk) == "paid"
    assert statements(queries) == 36


def test_a_repeated_order_costs_six_queries(fake_stripe, shopper):
    # The network's limit 1, the key 1, its order 1, its attempt 1, the browser's session 2 (read, row).
    body = checkout_body([line(make_product(price="60.00"))], "60.00")
    shopper.checkout(body, "the-same-key")
    with CaptureQueriesContext(connection) as queries:
        assert shopper.checkout(body, "the-same-key").status_code == 201
    assert statements(queries) == 6
