"""Pages of the catalogue: scopes, order, counts, searches whichever way they are carried out."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.core.cache import cache

from catalog.models import CategoryKind, Product
from catalog.selectors import listing
from catalog.selectors.listing import (
    PageOutOfRangeError,
    card_page,
    find_products,
    main_catalogue,
    search_products,
)
from catalog.services.search_index import index_products
from catalog.tests.factories import make_category, make_image, make_product

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]
START = datetime(2026, 1, 1, tzinfo=UTC)


def make_many(count: int, **fields) -> list[Product]:
    """Plain rows, oldest first, one minute apart."""
    category = fields.pop("category", None) or make_category("mangas")
    rows = [
        Product(
            name_fr=f"Pièce {number}",
            slug_fr=f"piece-{number}",
            price=Decimal("40.00"),
            price_from=Decimal("40.00"),
            price_to=Decimal("40.00"),
            category=category,
            published_at=START + timedelta(minutes=number),
            **fields,
        )
        for number in range(count)
    ]
    return Product.objects.bulk_create(rows)


def names(results: listing.Results) -> list[str]:
    return [product.name for product in results.products]


def test_the_main_catalogue_leaves_collections_out():
    main = make_category("mangas")
    noel = make_category("noel", kind=CategoryKind.COLLECTION)
    make_product("Lame", category=main)
    make_product("Lutin", category=noel)
    assert names(find_products(category_ids=main_catalogue())) == ["Lame"]
    assert names(find_products(category_ids=[noel.pk])) == ["Lutin"]
    assert names(find_products(category_ids=[])) == []


def test_only_published_products_are_listed():
    make_product("Visible")
    make_product("Brouillon", is_published=False)
    assert names(find_products(category_ids=main_catalogue())) == ["Visible"]
    assert names(search_products(text="brouillon")) == []


def test_newest_first_and_the_later_number_among_twins():
    old, twin, later_twin = make_many(3)
    Product.objects.filter(pk__in=[twin.pk, later_twin.pk]).update(published_at=START + timedelta(hours=1))
    assert names(find_products(category_ids=main_catalogue())) == ["Pièce 2", "Pièce 1", "Pièce 0"]
    assert old.pk < twin.pk < later_twin.pk


def test_pages_cut_the_list_without_gap_or_repetition():
    make_many(7)
    pages = [find_products(category_ids=main_catalogue(), number=number, size=3) for number in (1, 2, 3)]
    assert [names(page) for page in pages] == [
        ["Pièce 6", "Pièce 5", "Pièce 4"],
        ["Pièce 3", "Pièce 2", "Pièce 1"],
        ["Pièce 0"],
    ]
    assert [(page.count, page.page_count, page.capped) for page in pages] == [(7, 3, False)] * 3


@pytest.mark.parametrize("number", [0, -1, 4, 10**9])
def test_a_page_that_does_not_exist(number):
    index_products(products=make_many(7))
    with pytest.raises(PageOutOfRangeError):
        find_products(category_ids=main_catalogue(), number=number, size=3)
    with pytest.raises(PageOutOfRangeError):
        search_products(text="piece", number=number, size=3)


def test_a_search_covers_collections_and_is_cut_into_pages():
    noel = make_category("noel", kind=CategoryKind.COLLECTION)
    index_products(products=[*make_many(3), *make_many(4, category=noel)])
    pages = [search_products(text="pièces", number=number, size=3) for number in (1, 2, 3)]
    assert [len(page.keys) for page in pages] == [3, 3, 1]
    assert [(page.count, page.page_count, page.capped) for page in pages] == [(7, 3, False)] * 3
    assert search_products(text="pièces", category_id=noel.pk).count == 4
    cheapest = search_products(text="pièces", order=listing.sort_columns("price")).keys
    assert list(cheapest) == sorted(cheapest)
    assert search_products(text="...").keys == ()


def test_the_first_page_of_nothing_exists():
    results = find_products(category_ids=main_catalogue())
    assert (results.products, results.count, results.page_count) == ([], 0, 1)


@pytest.mark.parametrize(("text", "number"), [("", 1), ("1", 1), ("12", 12), ("007", 7)])
def test_page_numbers(text, number):
    assert listing.page_number(text) == number


@pytest.mark.parametrize("text", ["0", "-1", "abc", "1.5", "1e3", "٣", " 1", "1" * 21, "²"])
def test_what_is_no_page_number(text):
    with pytest.raises(PageOutOfRangeError):
        listing.page_number(text)


def test_the_page_as_templates_turn_it():
    make_many(7)
    page = card_page(find_products(category_ids=main_catalogue(), number=2, size=3), size=3)
    assert [card.name for card in page] == ["Pièce 3", "Pièce 2", "Pièce 1"]
    assert (page.number, page.paginator.num_pages, page.paginator.count) == (2, 3, 7)
    assert (page.has_previous(), page.has_next(), page.start_index(), page.end_index()) == (True, True, 4, 6)


def test_a_list_costs_three_queries(django_assert_num_queries):
    make_many(5)
    # the categories, the count, the keys of the page
    with django_assert_num_queries(3):
        find_products(category_ids=main_catalogue())
    # the categories, the keys of the page
    with django_assert_num_queries(2):
        find_products(category_ids=main_catalogue(), known_count=5)


def test_cards_read_their_columns_and_photos_at_once(django_assert_num_queries):
    for product in make_many(5):
        make_image(product, 1)
        make_image(product, 2)
    results = find_products(category_ids=main_catalogue(), known_count=5)
    cache.clear()
    # rows, photos, variants, the shop's delay
    with django_assert_num_queries(4):
        card_page(results)
