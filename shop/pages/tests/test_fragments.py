"""Pages are made of cached fragments, which change no byte of them and are dropped with the pages."""

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalog.models import CategoryKind, Product
from catalog.services.products import save_product
from catalog.tests.factories import make_category, make_image, make_product
from orders.tests.factories import make_zones
from shop.core.fragment_cache import (
    FragmentCache,
    cached_fragment,
    find_fragment,
    fragments_of,
    store_fragment,
)
from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _empty(settings, monkeypatch):
    settings.FRAGMENT_CACHE_SECONDS = 60
    monkeypatch.setattr("shop.core.fragment_cache._fragments", FragmentCache(500))
    monkeypatch.setattr("shop.core.fragment_cache._listings", FragmentCache(50))
    cache.clear()


@pytest.fixture
def pieces():
    make_zones()
    mangas = make_category("mangas")
    make_category("pokeball", kind=CategoryKind.COLLECTION)
    products = [make_product(f"Lame {number}", category=mangas) for number in range(4)]
    for product in products:
        make_image(product, 1)
    return products


ADDRESSES = (
    *("/", "/en", "/de/produkte", "/produits", "/produits?sort=price", "/produits?search=lame"),
    # Each of these shows other pieces, another order, other counts or other links than the ones before it.
    *("/produits?search=lame&sort=price-desc", "/produits?search=lame&category=mangas"),
    *("/produits?search=lame&availability=ready", "/produits?availability=ready", "/produits?price_max=20"),
    *("/produits?price_min=20", "/produits?category=mangas&price_max=20", "/pokeball?availability=ready"),
    *(
        "/produits?category=mangas",
        "/pokeball",
        "/faq",
        "/cgv",
        "/panier",
        "/notre-histoire",
        "/produits?utm_source=x",
    ),
)


def test_fragments_change_no_byte_of_a_page(client, pieces, settings):
    addresses = [*ADDRESSES, *(client.get(f"/produit/{piece.pk}").headers["Location"] for piece in pieces)]
    settings.FRAGMENT_CACHE_SECONDS = 0
    plain = {address: client.get(address).content for address in addresses}
    settings.FRAGMENT_CACHE_SECONDS = 60
    for _ in ("made", "cached"):
        assert {address: client.get(address).content for address in addresses} == plain


def test_a_list_made_of_fragments_costs_the_query_for_its_keys_once(
    client, pieces, django_assert_num_queries, django_assert_max_num_queries
):
    client.get("/produits")
    with django_assert_num_queries(0):
        client.get("/produits?utm_source=letter")
    with django_assert_num_queries(1):
        client.get("/produits?sort=price")
    # synonyms, vocabulary, entries, the products found and their groups
    with django_assert_max_num_queries(5):
        client.get("/produits?search=lame")
    with django_assert_num_queries(0):
        client.get("/produits?search=lame&utm_source=letter")


def test_what_visitors_search_drives_no_other_fragment_out(client, pieces, monkeypatch):
    cards, searches = FragmentCache(50), FragmentCache(6)
    monkeypatch.setattr("shop.core.fragment_cache._fragments", cards)
    monkeypatch.setattr("shop.core.fragment_cache._listings", searches)
    client.get("/produits?search=lame")
    client.get("/produits?search=lame+0")
    before = {*cards._new, *cards._asked}
    for number in range(1, 10):
        assert client.get(f"/produits?search=lame+{number}").status_code == 200
    assert before <= {*cards._new, *cards._asked}
    assert len(searches) == 6


def test_a_product_made_of_fragments_costs_no_query(client, pieces, django_assert_num_queries):
    address = client.get(f"/produit/{pieces[0].pk}").headers["Location"]
    client.get(address)
    with django_assert_num_queries(0):
        client.get(f"{address}?utm_source=letter")


def test_a_change_is_seen_at_once(client, pieces):
    client.get("/produits")
    piece = Product.objects.get(pk=pieces[0].pk)
    piece.name = "Lame neuve"
    save_product(product=piece)
    assert b"Lame neuve" in client.get("/produits").content
    shop = ShopSettings.load()
    shop.shop_name = "Atelier neuf"
    save_shop_settings(shop)
    assert b"Atelier neuf" in client.get("/produits").content


def test_an_unpublished_product_leaves_its_list(client, pieces):
    client.get("/produits")
    piece = Product.objects.get(pk=pieces[0].pk)
    piece.is_published = False
    save_product(product=piece)
    assert b"Lame 0" not in client.get("/produits").content
    assert b"Lame 1" in client.get("/produits").content


def test_calls_read_the_rows_themselves(client, pieces):
    client.get("/produits")
    for _ in ("first", "again"):
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/api/products/{pieces[0].pk}")
        assert len(queries) >= 4


def test_fragments_are_cached_while_a_public_page_is_made_and_not_elsewhere():
    assert store_fragment("outside", "name") == "outside"
    with fragments_of("1"):
        assert find_fragment("name") is None
        assert cached_fragment(lambda: "first", "name") == "first"
        assert cached_fragment(lambda: "second", "name") == "first"
    assert find_fragment("name") is None
    with fragments_of("2"):
        assert cached_fragment(lambda: "second", "name") == "second"
    with fragments_of(None):
        assert cached_fragment(lambda: "third", "name") == "third"
