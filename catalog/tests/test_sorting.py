"""Orders of a list: rows, pages, searches, addresses, the API."""

import re
from decimal import Decimal
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.core.cache import cache
from django.db import connection, transaction
from django.utils import translation

from catalog.models import CategoryKind, Product
from catalog.selectors import listing
from catalog.selectors.listing import find_products, main_catalogue, search_products
from catalog.services.products import save_product
from catalog.tests.factories import make_category, make_product

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


@pytest.fixture(scope="module", autouse=True)
def products(module_rows):
    """Three pieces of the same category, in this order of age."""
    mangas = make_category("mangas")
    cheap = make_product("zèbre du soir", "20.00", category=mangas, name_de="Abendzebra")
    dear = make_product("Albatros du soir", "90.00", category=mangas)
    middle = make_product("Merle du soir", "50.00", category=mangas, name_de="Amsel")
    return [cheap, dear, middle]


def names(sort: str, text: str = "", **options) -> list[str]:
    order = listing.sort_columns(sort)
    if text:
        return [row.name_fr for row in search_products(text=text, order=order, **options).products]
    return [
        row.name_fr for row in find_products(category_ids=main_catalogue(), order=order, **options).products
    ]


@pytest.mark.parametrize("text", ["", "soir"])
@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("newest", ["Merle du soir", "Albatros du soir", "zèbre du soir"]),
        ("price", ["zèbre du soir", "Merle du soir", "Albatros du soir"]),
        ("price-desc", ["Albatros du soir", "Merle du soir", "zèbre du soir"]),
        ("name", ["Albatros du soir", "Merle du soir", "zèbre du soir"]),
    ],
)
def test_orders(products, sort, expected, text):
    assert names(sort, text=text) == expected
    pages = [names(sort, text=text, number=number, size=1) for number in (1, 2, 3)]
    assert [name for page in pages for name in page] == expected


def test_names_are_ordered_in_the_language_of_the_page(products):
    with translation.override("de"):
        # Abendzebra, Albatros (no German name), Amsel
        assert names("name") == ["zèbre du soir", "Albatros du soir", "Merle du soir"]


@pytest.fixture
def accented(products):
    """What reads Alphabet, Écureuil, Église, elfe, Œil, Ours, zèbre to whoever looks for it."""
    for name in ("Ours", "Œil", "Écureuil", "elfe", "Église"):
        make_product(name, category=products[0].category)
    return ["Albatros du soir", "Écureuil", "Église", "elfe", "Merle du soir", "Œil", "Ours", "zèbre du soir"]


def test_letters_with_accents_stand_beside_those_without(accented):
    assert names("name") == accented


def test_a_name_that_changes_moves_in_the_list(products):
    product = products[0]
    product.name_fr, product.name_de = "Âne du soir", "Ölmühle"
    save_product(product=product)
    assert names("name") == ["Albatros du soir", "Âne du soir", "Merle du soir"]
    with translation.override("de"):
        assert names("name") == ["Albatros du soir", "Merle du soir", "Âne du soir"]


def test_products_from_before_are_given_their_place(accented, monkeypatch):
    columns = [f"sort_name_{language}" for language in ("fr", "en", "es", "de")]
    written = list(Product.objects.order_by("pk").values_list(*columns))
    Product.objects.update(**dict.fromkeys(columns, ""))
    assert names("name") != accented
    migration = import_module("catalog.migrations.0009_fill_sort_names")
    # Several batches, the last one not full.
    monkeypatch.setattr(migration, "BATCH", 3)

    migration.fill(apps, SimpleNamespace(connection=connection))

    assert names("name") == accented
    assert list(Product.objects.order_by("pk").values_list(*columns)) == written


def test_equal_prices_keep_one_order_on_both_sides(products):
    Product.objects.update(price_from=Decimal("10.00"))
    assert names("price") == list(reversed(names("price-desc")))


@pytest.mark.parametrize("text", ["", "cheapest", "PRICE", "price\x00", "-price"])
def test_an_unknown_order_is_the_usual_one(text):
    assert listing.known_sort(text) == "newest"


def test_a_sorted_page(client, products):
    response = client.get("/produits?sort=price")
    html = response.content.decode()
    assert [card.price for card in response.context["page"]] == [
        Decimal("20.00"),
        Decimal("50.00"),
        Decimal("90.00"),
    ]
    select = html.partition('id="tri" name="sort">')[2].partition("</select>")[0]
    assert re.findall(r'<option value="([^"]*)"( selected)?>', select) == [
        ("", ""),
        ("price", " selected"),
        ("price-desc", ""),
        ("name", ""),
    ]
    assert '<link rel="canonical" href="http://localhost:8000/produits">' in html
    assert [card.url for card in response.context["categories"]] == ["/produits?category=mangas&sort=price"]


def test_pages_of_a_sorted_list_keep_the_order(client, products):
    Product.objects.bulk_create(
        Product(
            name_fr=f"Pièce {number}",
            slug_fr=f"piece-{number}",
            price=40,
            price_from=40,
            price_to=40,
            category=products[0].category,
        )
        for number in range(30)
    )
    html = client.get("/produits?category=mangas&sort=price-desc").content.decode()
    assert 'href="?category=mangas&amp;sort=price-desc&amp;page=2"' in html
    last = client.get("/produits?category=mangas&sort=price-desc&page=2").context["page"]
    assert [card.price for card in last][-1] == Decimal("20.00")


def test_a_collection_can_be_sorted(client):
    noel = make_category("noel", kind=CategoryKind.COLLECTION)
    for name, price in (("Lutin", "30.00"), ("Renne", "20.00"), ("Étoile", "50.00")):
        make_product(name, price, category=noel)
    # Three are seen at a glance.
    assert "<select" not in client.get("/noel").content.decode()
    cache.clear()
    make_product("Boule", "40.00", category=noel)
    response = client.get("/noel?sort=price")
    assert [card.name for card in response.context["page"]] == ["Renne", "Lutin", "Boule", "Étoile"]
    assert '<option value="price" selected>' in response.content.decode()


@pytest.mark.parametrize("sort", list(listing.SORT_LABELS))
def test_a_sorted_list_costs_no_more_queries(products, sort, django_assert_num_queries):
    order = listing.sort_columns(sort)
    # the categories, the keys of the page; its count is known
    with django_assert_num_queries(2):
        find_products(category_ids=main_catalogue(), known_count=3, order=order)
    # the synonyms, the vocabulary, the entries, the products, their order, their groups
    with django_assert_num_queries(5):
        search_products(text="soir", order=order)


def test_the_api_orders_too(client, products):
    answer = client.get("/api/products?ordering=price&page_size=2").json()
    assert [row["price"] for row in answer["results"]] == ["20.00", "50.00"]
    assert answer["next"] == "http://localhost:8000/api/products?ordering=price&page_size=2&page=2"
    unknown = client.get("/api/products?ordering=cheapest").json()
    assert [row["price"] for row in unknown["results"]] == ["50.00", "90.00", "20.00"]


@pytest.mark.parametrize(
    ("language", "first"), [("en", "Newest"), ("es", "Novedades"), ("de", "Neuheiten"), ("fr", "Nouveautés")]
)
def test_the_orders_are_in_the_pages_language(language, first):
    with translation.override(language):
        labels = [str(choice.label) for choice in listing.sort_choices("")]
    assert labels[0] == first
    with translation.override("fr"):
        assert (labels == [str(label) for label in listing.SORT_LABELS.values()]) is (language == "fr")


@pytest.mark.parametrize("language", ["fr", "en", "es", "de"])
def test_names_are_read_from_their_index(products, language):
    """In its order: a page of a hundred thousand names costs no sort."""
    with translation.override(language), transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # A handful of rows would be read and sorted.
            for way in ("seqscan", "bitmapscan", "sort"):
                cursor.execute(f"SET LOCAL enable_{way} = off")
        rows = Product.objects.filter(is_published=True).order_by(*listing.sort_columns("name")).values("pk")
        assert f"product_sort_{language}" in rows[:24].explain()
