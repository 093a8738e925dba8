"""Filters of lists: which products they leave, and counts that are those of a reading one by one."""

from decimal import Decimal
from itertools import product as combinations

import pytest
from django.http import QueryDict
from django.urls import reverse
from django.utils import translation

from catalog.models import Category, CategoryKind, Product
from catalog.selectors import filters, listing
from catalog.selectors.filters import CHOICES, Filters, read_filters
from catalog.services.categories import save_category
from catalog.tests.factories import (
    change_variant,
    make_category,
    make_finish_category,
    make_product,
    make_variation,
    variant_of,
)

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]


@pytest.fixture(scope="module", autouse=True)
def shop(module_rows) -> dict[str, Product]:
    painted = make_finish_category("mangas", name_fr="Mangas")
    plain = make_category("bust", name_fr="Bustes", offers_formats=True)
    made = {
        "ready": make_product("Ready", "12.00", category=plain, stock_quantity=2, height_cm=Decimal("11.9")),
        "sold": make_product("Sold", "20.00", category=plain, stock_quantity=0, height_cm=Decimal(12)),
        "off": make_product("Off", "30.00", category=plain, in_stock=False, stock_quantity=4),
        "formats": make_product("Formats", "40.00", category=plain, height_cm=Decimal(18)),
        "both": make_product(
            "Both",
            "60.00",
            category=painted,
            painted_price="60.00",
            unpainted_price="40.00",
            height_cm=Decimal(30),
        ),
        "offer": make_product(
            "Offer",
            "90.00",
            category=painted,
            painted_price="90.00",
            promotion_active=True,
            promotion_type="buy_2_get_1",
        ),
        "ended": make_product("Ended", "95.00", category=painted, promotion_type="buy_2_get_1"),
    }
    make_variation(made["formats"], stock_quantity=1)
    return made


def shown(query: str) -> set[str]:
    asked = read_filters(QueryDict(query))
    found = listing.find_filtered(category_ids=listing.main_catalogue(), filters=asked)
    assert found.count == len(found.keys)
    return set(Product.objects.filter(pk__in=found.keys).values_list("name_fr", flat=True))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("availability=ready", {"Ready", "Formats"}),
        ("availability=available", {"Ready", "Formats", "Both", "Offer", "Ended"}),
        ("finish=painted", {"Both", "Offer"}),
        ("finish=unpainted", {"Both"}),
        ("finish=painted&finish=unpainted", {"Both", "Offer"}),
        ("size=small", {"Ready"}),
        ("size=medium", {"Sold"}),
        ("size=large", {"Formats", "Both"}),
        ("size=small&size=large&availability=ready", {"Ready", "Formats"}),
        ("promotion=yes", {"Offer"}),
        ("price_min=20&price_max=40", {"Sold", "Off", "Formats", "Both"}),
        ("price_max=12", {"Ready"}),
        # Typed the wrong way round: the same range.
        ("price_min=40&price_max=20", {"Sold", "Off", "Formats", "Both"}),
        # Cents, as prices have them.
        ("price_max=11.90", {"Ready"}),
        ("price_max=11,00", set()),
        ("price_min=40.5&price_max=60,", {"Formats", "Both"}),
        # What does not exist counts as not given.
        ("size=huge&availability=&price_min=-5&price_max=1e3&finish=%00", None),
        ("price_min=999999999999", None),
    ],
)
def test_a_filter_leaves(query, expected):
    everything = {"Ready", "Sold", "Off", "Formats", "Both", "Offer", "Ended"}
    assert shown(query) == (everything if expected is None else expected)


def test_size_reads_the_heights_of_what_the_page_offers(shop):
    """Of its own or the product's, sold out only where all are; not of a format that is not offered."""
    small, large = shop["formats"].variations.first(), make_variation(shop["formats"], "Grande", sort_order=2)
    change_variant(variant_of(shop["formats"], small), height_cm=Decimal("9.0"))
    change_variant(variant_of(shop["formats"], large), stock_quantity=0)
    assert shown("size=small") == {"Ready", "Formats"}
    assert shown("size=large") == {"Both"}
    change_variant(variant_of(shop["formats"], small), in_stock=False)
    assert shown("size=small") == {"Ready", "Formats"}
    assert shown("size=large") == {"Formats", "Both"}
    change_variant(variant_of(shop["formats"], large), stock_quantity=1, height_cm=Decimal("17.9"))
    assert shown("size=small") == {"Ready"}
    assert shown("size=medium") == {"Sold", "Formats"}
    assert shown("size=large") == {"Both"}
    busts = Category.objects.get(slug="bust")
    busts.offers_formats = False
    save_category(category=busts)
    assert shown("size=medium") == {"Sold"}


def test_counts_are_those_of_reading_each_choice_alone(shop):
    """Of every combination of one value or none of each filter, in each category and in all."""
    values = {name: ["", *(c.value for c in CHOICES if c.name == name)] for name in filters.TITLES}
    groups = filters.product_groups()
    for combination in combinations(*values.values()):
        asked = Filters({name: (v,) for name, v in zip(values, combination, strict=True) if v})
        for category_id in (None, shop["both"].category_id):
            rows = Product.objects.filter(is_published=True)
            rows = rows if category_id is None else rows.filter(category_id=category_id)
            assert filters.count_shown(groups, asked, category_id) == rows.filter(asked.condition()).count()
            for form in filters.option_groups(groups, asked, category_id):
                others = Filters({name: v for name, v in asked.chosen.items() if name != form.name})
                for option in form.options:
                    alone = Filters({form.name: (option.value,)})
                    expected = rows.filter(others.condition(), alone.condition()).count()
                    assert option.count == expected, (asked, form.name, option.value)


def test_filters_and_their_counts_cost_four_queries(django_assert_num_queries):
    # the categories, for their kind and for their finishes, the groups, the keys of the page
    with django_assert_num_queries(4):
        listing.find_filtered(
            category_ids=listing.main_catalogue(), filters=read_filters(QueryDict("size=large"))
        )


def test_a_filtered_page_is_not_indexed_and_leads_to_the_whole_list(client):
    html = client.get("/produits?availability=ready&size=small").content.decode()
    assert '<meta name="robots" content="noindex, follow">' in html
    assert '<link rel="canonical" href="http://localhost:8000/produits">' in html
    assert "1 figurine" in html
    assert 'href="/produits?size=small"' not in html
    assert 'href="?size=small" data-refine' in html
    assert 'href="/produits" data-refine>Effacer les filtres' in html
    assert 'value="ready" checked' in html
    html = client.get("/produits?category=mangas").content.decode()
    assert "noindex" not in html
    assert '<link rel="canonical" href="http://localhost:8000/produits?category=mangas">' in html


@pytest.mark.parametrize(
    ("address", "left"),
    [
        ("/produits?size=small", "/produits"),
        ("/produits?category=bust&size=small&sort=price", "/produits?sort=price&amp;category=bust"),
        ("/produits?search=ready&size=small&sort=name", "/produits?search=ready&amp;sort=name"),
        ("/goodies?size=small&sort=price", "/goodies?sort=price"),
        # With nothing left, the button says the same.
        ("/produits?size=small&sort=price&price_min=999", "/produits?sort=price"),
    ],
)
def test_without_its_filters_a_list_keeps_its_order(client, address, left):
    goodies = make_category("goodies", name_fr="Nos Goodies", kind=CategoryKind.COLLECTION)
    make_product("Key ring", "9.00", category=goodies, height_cm=Decimal(5))
    html = client.get(address).content.decode()
    assert f'href="{left}" data-refine>Effacer les filtres' in html


def test_an_answer_draws_the_filters_but_no_field_that_is_typed_in(client):
    fields = 'name="price_min" value="20"'
    assert fields in client.get("/produits?price_min=20").content.decode()
    answer = client.get("/produits?price_min=20", headers={"X-Fragment": "results"}).content.decode()
    assert 'value="ready"' in answer
    assert 'type="number"' not in answer


@pytest.mark.parametrize(
    ("query", "link"),
    [
        ("price_max=10", '<a class="chip" href="/goodies?price_max=10">Nos Goodies (1)</a>'),
        (
            "category=mangas&price_max=20",
            '<a class="chip" href="/produits?category=bust&amp;price_max=20">Bustes (2)</a>',
        ),
    ],
)
def test_filters_that_leave_nothing_lead_to_where_they_leave_something(client, query, link):
    goodies = make_category("goodies", name_fr="Nos Goodies", kind=CategoryKind.COLLECTION)
    make_product("Key ring", "9.00", category=goodies)

    html = client.get(f"/produits?{query}").content.decode()
    assert "0 figurine" in html
    assert link in html


def test_a_search_is_filtered_too(client):
    make_product("Dragon prêt", category=make_category("noel", kind="collection"), stock_quantity=1)
    make_product("Dragon long", category=make_category("bust"))
    page = client.get("/produits?search=dragon&availability=ready").content.decode()
    assert "Dragon prêt" in page
    assert "Dragon long" not in page
    page = client.get("/produits?search=dragon&category=noel").content.decode()
    assert "Dragon prêt" in page
    assert "Dragon long" not in page


@pytest.mark.parametrize(
    ("query", "orders"),
    [
        ("", '<option value="" selected>Nouveautés</option><option value="price">'),
        (
            "search=both",
            '<option value="" selected>Pertinence</option><option value="newest">Nouveautés</option>',
        ),
        ("search=both&sort=newest", '<option value="">Pertinence</option><option value="newest" selected>'),
    ],
)
def test_an_answer_draws_the_orders_of_its_list(client, query, orders):
    for headers in ({}, {"X-Fragment": "results"}):
        html = client.get(f"/produits?{query}", headers=headers).content.decode()
        assert f'<template data-replace="tri">{orders}' in html


def test_a_search_leads_to_the_categories_in_which_it_finds_something(client):
    make_product("Dragon", category=make_category("noel", kind="collection"))
    make_product("Dragon long", category=make_category("bust"))

    def shown(query: str) -> list[tuple[str, int]]:
        found = client.get(f"/produits?{query}").context["categories"]
        return [(card.slug, card.count) for card in found]

    assert shown("search=dragon") == [("bust", 1), ("noel", 1)]
    assert shown("search=offer") == [("mangas", 1)]
    assert shown("search=offer&category=bust") == [("mangas", 1), ("bust", 0)]
    assert shown("search=xyzzy") == []


@pytest.mark.parametrize(
    ("query", "counts"),
    [
        # Those that can be bought.
        ("", {"mangas": "3 figurines disponibles", "bust": "2 figurines disponibles"}),
        (
            "category=mangas&sort=price",
            {"mangas": "3 figurines disponibles", "bust": "2 figurines disponibles"},
        ),
        # Those that the list shows, sold out or not; collections too in a search.
        ("size=medium", {"mangas": "0 figurine", "bust": "1 figurine"}),
        ("size=large&category=bust", {"mangas": "1 figurine", "bust": "1 figurine"}),
        ("search=sold", {"mangas": "0 figurine", "bust": "1 figurine", "goodies": "1 pièce"}),
    ],
)
def test_the_cards_of_categories_count_what_the_list_shows_whenever_it_is_drawn_anew(client, query, counts):
    goodies = make_category("goodies", name_fr="Nos Goodies", kind=CategoryKind.COLLECTION)
    make_product("Sold out ring", "9.00", category=goodies, stock_quantity=0)
    whole = client.get(f"/produits?{query}").content.decode()
    answer = client.get(f"/produits?{query}", headers={"X-Fragment": "results"}).content.decode()
    for slug, text in counts.items():
        part = f'<template data-replace="nombre-{slug}">{text}</template>'
        assert part in whole
        assert part in answer
    shown = [slug for slug, text in counts.items() if "search" not in query or not text.startswith("0")]
    assert [slug for slug in counts if f'id="nombre-{slug}">{counts[slug]}</span>' in whole] == shown
    assert "category-card" not in answer


def test_a_search_that_finds_nothing_leads_on(client):
    make_product("Dragon", featured=True)
    page = client.get("/produits?search=dragon+offer").content.decode()
    assert "Vouliez-vous dire <a" in page
    assert "</a>\u00a0?</p>" in page
    for language, begins in (
        ("en", "Did you mean <a"),
        ("es", "¿Quizá quería decir <a"),
        ("de", "Meinten Sie <a"),
    ):
        with translation.override(language):
            found = client.get(f"{reverse('catalog:list')}?search=dragon+offer").content.decode()
        assert (begins in found, "</a>?</p>" in found) == (True, True)
    assert 'href="/produits?search=dragon"' in page
    assert "Parcourir les catégories" in page
    assert "Nos plus belles pièces" in page
    assert '<meta name="robots" content="noindex, follow">' in page


def test_suggestions(client):
    category = make_category("dragons", name_fr="Dragons")
    for number in range(8):
        make_product(f"Dragon {number}", "40.00", category=category)
    answer = client.get("/api/search/suggestions?q=dragn")
    body = answer.json()
    assert [row["name"] for row in body["products"]] == [f"Dragon {number}" for number in range(7, 1, -1)]
    assert body["products"][0]["price_from"] == "40.00"
    assert body["links"] == [{"name": "Dragons", "url": "/produits?category=dragons"}]
    assert (body["count"], body["summary"], body["corrected"]) == (8, "8 figurines", "dragon")
    assert body["url"] == "/produits?search=dragn"
    assert answer["Cache-Control"] == "public, max-age=60"
    assert "Accept-Language" in answer["Vary"]
    assert client.get("/api/search/suggestions?q=d").json()["products"] == []
    assert client.get("/api/search/suggestions").status_code == 200
