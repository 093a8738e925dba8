"""Public pages are kept whole, dropped when what they show changes, and never those about a person."""

import brotli
import pytest
from django.core.cache import caches
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from orders.tests.factories import make_zones
from shop.core.models import ShopSettings
from shop.core.public_pages import content_changed
from shop.core.shop_settings import save_shop_settings

pytestmark = pytest.mark.django_db(transaction=True)

PUBLIC = ("/mentions-legales", "/de/cgv", "/panier", "/checkout")


@pytest.fixture(autouse=True)
def _kept(settings):
    settings.PAGE_CACHE_SECONDS = 60
    caches["shared"].clear()
    make_zones()


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
    assert client.get("/mentions-legales", headers={"host": "evil.test"}).status_code == 400


def test_without_its_cache_the_shop_still_answers(client, settings):
    settings.CACHES = {
        name: {"BACKEND": "shop.core.caches.TolerantRedisCache", "LOCATION": "redis://127.0.0.1:9"}
        for name in ("default", "shared")
    }
    assert client.get("/panier").status_code == 200
