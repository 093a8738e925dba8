"""Public pages are cached whole, dropped when what they show changes, and never those about a person."""

import gzip
from datetime import UTC, datetime, timedelta

import brotli
import pytest
import time_machine
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from catalog.tests.factories import make_product, make_promotion
from orders.tests.factories import make_zones
from shop.core.content_version import content_changed, content_version
from shop.core.fragment_cache import FragmentCache
from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

PUBLIC = ("/mentions-legales", "/de/agb", "/panier", "/checkout")


@pytest.fixture(autouse=True)
def page_cache(settings, monkeypatch):
    settings.PAGE_CACHE_SECONDS = 60
    page_cache = FragmentCache(10)
    monkeypatch.setattr("shop.core.public_pages.page_cache", page_cache)
    make_zones()
    return page_cache


def rename(name: str) -> None:
    shop = ShopSettings.load()
    shop.shop_name = name
    save_shop_settings(shop)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_kept_page_costs_no_query_and_is_the_same_bytes(client, address, django_assert_num_queries):
    first = client.get(address)
    with django_assert_num_queries(0):
        second = client.get(address)
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.content == second.content
    assert second.headers["Cache-Control"] == "public, no-cache"
    assert second.headers["Content-Language"] == ("de" if address.startswith("/de") else "fr")
    assert "Content-Security-Policy" in second.headers
    assert not second.cookies


def test_a_kept_page_is_dropped_the_moment_what_it_shows_changes(client):
    assert b"Atelier neuf" not in client.get("/mentions-legales").content
    rename("Atelier neuf")
    assert b"Atelier neuf" in client.get("/mentions-legales").content


def test_a_change_that_is_rolled_back_drops_nothing(client, django_assert_num_queries):
    client.get("/mentions-legales")
    with transaction.atomic():
        content_changed()
        transaction.set_rollback(True)
    with django_assert_num_queries(0):
        client.get("/mentions-legales")


def test_a_browser_that_has_the_page_is_told_so(client):
    etag = client.get("/mentions-legales").headers["ETag"]
    again = client.get("/mentions-legales", headers={"if-none-match": etag})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["ETag"] == etag
    rename("Atelier neuf")
    assert client.get("/mentions-legales", headers={"if-none-match": etag}).status_code == 200


def test_pages_travel_compressed(client):
    plain = client.get("/mentions-legales").content
    small = client.get("/mentions-legales", headers={"accept-encoding": "gzip, br"})
    assert small.headers["Content-Encoding"] == "br"
    assert "Accept-Encoding" in small.headers["Vary"]
    assert brotli.decompress(small.content) == plain


def test_unknown_parameters_are_never_kept(client):
    client.get("/panier?utm_source=x")
    with CaptureQueriesContext(connection) as queries:
        client.get("/panier?utm_source=x")
    assert len(queries) > 0


def test_what_is_about_a_person_is_never_kept(client):
    for address in ("/auth", reverse("members"), "/payment-success?session_id=x", "/api/me"):
        answer = client.get(address)
        assert "public" not in answer.headers.get("Cache-Control", "")
        assert "no-store" in answer.headers["Cache-Control"]


def test_a_foreign_host_gets_no_kept_page(client):
    client.get("/mentions-legales")
    answer = client.get("/mentions-legales", headers={"host": "evil.test"})
    assert answer.status_code == 400
    assert "default-src 'none'" in answer["Content-Security-Policy"]


def test_without_its_cache_the_shop_still_answers(client, settings):
    settings.CACHES = {
        name: {"BACKEND": "shop.core.redis_cache.TolerantRedisCache", "LOCATION": "redis://127.0.0.1:9"}
        for name in ("default", "shared")
    }
    assert client.get("/panier").status_code == 200


def test_a_head_request_is_answered_from_the_kept_page(client, django_assert_num_queries):
    size = len(client.get("/mentions-legales").content)
    with django_assert_num_queries(0):
        answer = client.head("/mentions-legales")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["Content-Length"] == str(size)


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip, br;q=0", "gzip"),
        ("GZIP", "gzip"),
        ("br; q=0.0, gzip;q=0", None),
        ("identity", None),
    ],
)
def test_the_coding_is_one_that_the_browser_asked_for(client, accepted, coding):
    for _ in ("made", "cached"):
        answer = client.get("/mentions-legales", headers={"accept-encoding": accepted})
        assert answer.headers.get("Content-Encoding") == coding
        assert answer.headers["Content-Length"] == str(len(answer.content))


def test_a_kept_page_holds_no_plain_bytes(client, page_cache):
    plain = client.get("/mentions-legales").content
    for coding in ("gzip", "br"):
        client.get("/mentions-legales", headers={"accept-encoding": coding})
    [entry] = [*page_cache._asked.values(), *page_cache._new.values()]
    held = [entry.value.compressed, *(body for body, _headers in entry.value._encoded.values())]
    assert sorted(entry.value._encoded) == ["br", "gzip"]
    assert max(map(len, held)) < len(plain) / 2


def test_gzip_unpacks_to_the_page(client):
    plain = client.get("/mentions-legales").content
    assert (
        gzip.decompress(client.get("/mentions-legales", headers={"accept-encoding": "gzip"}).content) == plain
    )


def test_a_kept_page_has_the_headers_of_a_new_one(client):
    first = client.get("/mentions-legales")
    second = client.get("/mentions-legales")
    assert dict(first.headers) == dict(second.headers)
    assert first.headers["X-Frame-Options"] == "DENY"


def test_plain_http_is_sent_to_https_though_the_page_is_kept(client, settings):
    settings.SECURE_SSL_REDIRECT = True
    assert client.get("/mentions-legales", secure=True).status_code == 200
    answer = client.get("/mentions-legales")
    assert (answer.status_code, answer.headers["Location"]) == (301, "https://testserver/mentions-legales")


def test_every_process_sees_a_change(client, page_cache):
    """Each has its own memory; the version is what they share."""
    client.get("/mentions-legales")
    before = content_version()
    rename("Atelier neuf")
    assert content_version() != before
    address = next(iter(page_cache._new))
    assert page_cache.find(address, content_version()) is None


def test_pages_that_nobody_asks_for_make_room():
    page_cache = FragmentCache(2)
    for name in ("a", "b"):
        page_cache.put(name, name.upper(), "1", seconds=60)
    assert page_cache.find("a", "1") == "A"
    page_cache.put("c", "C", "1", seconds=60)
    assert [page_cache.find(name, "1") for name in "abc"] == ["A", None, "C"]


def test_a_page_ends_with_its_time(monkeypatch):
    moments = iter([0.0, 4.0, 5.0])
    monkeypatch.setattr("shop.core.fragment_cache.monotonic", lambda: next(moments))
    page_cache = FragmentCache(2)
    page_cache.put("a", "A", "1", seconds=5)
    assert page_cache.find("a", "1") == "A"
    assert page_cache.find("a", "1") is None


def test_while_redis_is_away_pages_are_kept_and_a_change_drops_them_on_this_machine(
    client, settings, django_assert_num_queries
):
    """Made anew for every visitor they would cost ten times as much, at the moment when the shop has no cache."""
    settings.REDIS_URL = "redis://127.0.0.1:9"
    settings.CACHES = {
        name: {"BACKEND": "shop.core.redis_cache.TolerantRedisCache", "LOCATION": settings.REDIS_URL}
        for name in ("default", "shared")
    }
    first = client.get("/mentions-legales")
    with django_assert_num_queries(0):
        assert client.get("/mentions-legales").content == first.content
    before = content_version()
    rename("Atelier neuf")
    assert content_version() != before
    assert b"Atelier neuf" in client.get("/mentions-legales").content


def test_a_page_ends_when_a_promotion_starts_and_when_it_ends(client, page_cache, monkeypatch):
    """Nobody presses anything, and no job has run yet."""
    start = datetime(2026, 11, 27, 8, 0, tzinfo=UTC)
    monkeypatch.setattr("shop.core.boundaries._known", None)
    clock = {"now": 0.0}
    monkeypatch.setattr("shop.core.fragment_cache.monotonic", lambda: clock["now"])
    with time_machine.travel(start - timedelta(seconds=5), tick=False) as traveller:
        make_zones()
        product = make_product(price="100.00")
        make_promotion(product, starts_at=start, ends_at=start + timedelta(seconds=7))
        url = client.get(f"/produit/{product.pk}").headers["Location"]

        def price(seconds: float) -> str:
            clock["now"] = seconds
            traveller.move_to(start + timedelta(seconds=seconds - 5), tick=False)
            page = client.get(url).content.decode()
            return page.split('property="product:price:amount" content="')[1].split('"')[0]

        assert [price(seconds) for seconds in (0, 4.9, 5, 11.9, 12)] == [
            "100.00", "100.00", "80.00", "80.00", "100.00",
        ]  # fmt: skip
        assert len(page_cache) == 1
