"""Pages of the catalogue: scopes, order, counts, searches whichever way they are carried out."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.core.cache import cache

from catalog.models import CategoryKind, Product
from catalog.selectors import listing, search
from catalog.selectors.listing import (
    PageOutOfRangeError,
    card_page,
    find_products,
    main_catalogue,
    of_category,
)
from catalog.tests.factories import make_category, make_image, make_product

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]
START = datetime(2026, 1, 1, tzinfo=UTC)


def make_many(count: int, **fields) -> list[Product]:
    """Plain rows, oldest first, one minute apart; every installment one is a dragon."""
    category = fields.pop("category", None) or make_category("mangas")
    rows = [
        Product(
            name_fr=f"Pièce {number}",
            slug_fr=f"piece-{number}",
            price=Decimal("40.00"),
            price_from=Decimal("40.00"),
            price_to=Decimal("40.00"),
            category=category,
            created_at=START + timedelta(minutes=number),
            search_text=search.index_text([f"Pièce {number}", "dragon" if number % 3 == 0 else "renard"]),
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
    assert names(find_products(scope=main_catalogue())) == ["Lame"]
    assert names(find_products(scope=of_category("noel"))) == ["Lutin"]
    assert names(find_products(scope=of_category("unknown"))) == []


def test_a_search_in_the_main_catalogue_leaves_collections_out():
    make_product("Dragon", category=make_category("mangas"))
    make_product("Dragon de Noël", category=make_category("noel", kind=CategoryKind.COLLECTION))
    assert names(find_products(scope=main_catalogue(), text="dragon")) == ["Dragon"]


def test_only_published_products_are_listed():
    make_product("Visible")
    make_product("Brouillon", is_published=False)
    assert names(find_products(scope=main_catalogue())) == ["Visible"]
    assert names(find_products(scope=main_catalogue(), text="brouillon")) == []


def test_newest_first_and_the_later_number_among_twins():
    old, twin, later_twin = make_many(3)
    Product.objects.filter(pk__in=[twin.pk, later_twin.pk]).update(created_at=START + timedelta(hours=1))
    assert names(find_products(scope=main_catalogue())) == ["Pièce 2", "Pièce 1", "Pièce 0"]
    assert old.pk < twin.pk < later_twin.pk


def test_pages_cut_the_list_without_gap_or_repetition():
    make_many(7)
    pages = [find_products(scope=main_catalogue(), number=number, size=3) for number in (1, 2, 3)]
    assert [names(page) for page in pages] == [
        ["Pièce 6", "Pièce 5", "Pièce 4"],
        ["Pièce 3", "Pièce 2", "Pièce 1"],
        ["Pièce 0"],
    ]
    assert [(page.count, page.page_count, page.capped) for page in pages] == [(7, 3, False)] * 3


@pytest.mark.parametrize("number", [0, -1, 4, 10**9])
@pytest.mark.parametrize("text", ["", "piece"])
def test_a_page_that_does_not_exist(number, text):
    make_many(7)
    with pytest.raises(PageOutOfRangeError):
        find_products(scope=main_catalogue(), number=number, size=3, text=text)


def test_the_first_page_of_nothing_exists():
    results = find_products(scope=main_catalogue())
    assert (results.products, results.count, results.page_count) == ([], 0, 1)


@pytest.mark.parametrize(("text", "number"), [("", 1), ("1", 1), ("12", 12), ("007", 7)])
def test_page_numbers(text, number):
    assert listing.page_number(text) == number


@pytest.mark.parametrize("text", ["0", "-1", "abc", "1.5", "1e3", "٣", " 1", "1" * 21, "²"])
def test_what_is_no_page_number(text):
    with pytest.raises(PageOutOfRangeError):
        listing.page_number(text)


def test_punctuation_alone_finds_nothing():
    make_many(3)
    results = find_products(scope=main_catalogue(), text="...", known_count=3)
    assert (results.count, results.products) == (0, [])


def test_the_page_as_templates_turn_it():
    make_many(7)
    page = card_page(find_products(scope=main_catalogue(), number=2, size=3), size=3)
    assert [card.name for card in page] == ["Pièce 3", "Pièce 2", "Pièce 1"]
    assert (page.number, page.paginator.num_pages, page.paginator.count) == (2, 3, 7)
    assert (page.has_previous(), page.has_next(), page.start_index(), page.end_index()) == (True, True, 4, 6)


@pytest.fixture
def small_numbers(monkeypatch):
    """The same plan with numbers that a test can fill."""
    monkeypatch.setattr(search, "SAMPLE", 6)
    monkeypatch.setattr(search, "COUNT_CAP", 10)


@pytest.mark.usefixtures("small_numbers")
@pytest.mark.parametrize("share", [0.01, 0.3, 2.0], ids=["reads on", "by share", "never reads on"])
@pytest.mark.parametrize("count", [0, 3, 6, 7, 20, 60])
@pytest.mark.parametrize("word", ["dragon", "renard", "piece", "zebu"])
def test_every_way_of_searching_gives_the_same(monkeypatch, share, count, word):
    monkeypatch.setattr(search, "_COMMON", share)
    make_many(count)
    expected = [
        f"Pièce {number}"
        for number in reversed(range(count))
        if word == "piece" or word == ("dragon" if number % 3 == 0 else "renard")
    ]
    shown = min(len(expected), 10)
    for number in range(1, max(1, -(-shown // 4)) + 1):
        results = find_products(scope=main_catalogue(), text=word, number=number, size=4)
        assert names(results) == expected[:shown][(number - 1) * 4 : number * 4]
        assert (results.count, results.capped) == (shown, len(expected) > 10)


@pytest.mark.usefixtures("small_numbers")
def test_hits_that_stop_are_still_counted_right(monkeypatch):
    """The newest are all dragons, the older ones none: the sample promises what reading on does not find."""
    monkeypatch.setattr(search, "_COMMON", 0.3)
    make_many(40)
    newest = Product.objects.order_by("-created_at").values("pk")[:7]
    Product.objects.update(search_text=" renard")
    Product.objects.filter(pk__in=list(newest.values_list("pk", flat=True))).update(search_text=" dragon")
    results = find_products(scope=main_catalogue(), text="dragon", size=4, number=2)
    assert names(results) == ["Pièce 35", "Pièce 34", "Pièce 33"]
    assert (results.count, results.capped) == (7, False)


def test_a_list_costs_two_queries(django_assert_num_queries):
    make_many(5)
    # the count, the keys of the page
    with django_assert_num_queries(2):
        find_products(scope=main_catalogue())
    # the keys of the page
    with django_assert_num_queries(1):
        find_products(scope=main_catalogue(), known_count=5)


@pytest.mark.usefixtures("small_numbers")
def test_a_search_costs_at_most_two_queries(django_assert_max_num_queries):
    make_many(40)
    # the sample, reading on or the index
    for word in ("dragon", "renard", "piece", "zebu"):
        with django_assert_max_num_queries(2):
            find_products(scope=main_catalogue(), text=word, size=4)


def test_a_search_in_a_small_shop_costs_one_query(django_assert_num_queries):
    make_many(5)
    # the sample, which is the whole shop
    with django_assert_num_queries(1):
        find_products(scope=main_catalogue(), text="dragon")


def test_cards_read_their_columns_and_photos_at_once(django_assert_num_queries):
    for product in make_many(5):
        make_image(product, 1)
        make_image(product, 2)
    results = find_products(scope=main_catalogue(), known_count=5)
    cache.clear()
    # rows, photos, the shop's delay
    with django_assert_num_queries(3):
        card_page(results)
