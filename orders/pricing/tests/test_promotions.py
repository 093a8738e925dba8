"""Buy N, get M: pools, ties and what is missing."""

import pytest

from orders.pricing.promotions import NextFree, Promotion, free_units, units_missing_for_next
from orders.pricing.tests.carts import line


@pytest.mark.parametrize(("buy", "get"), [(0, 1), (-1, 1), (2, 0), (2, -1), (0, 0)])
def test_a_promotion_buys_and_gives_at_least_one(buy: int, get: int) -> None:
    with pytest.raises(ValueError, match=f"at least 1 unit, not {buy} and {get}"):
        Promotion(buy, get)


@pytest.mark.parametrize(
    ("promotion", "quantity", "free"),
    [
        ((2, 1), 1, 0),
        ((2, 1), 2, 0),
        ((2, 1), 3, 1),
        ((2, 1), 5, 1),
        ((2, 1), 6, 2),
        ((3, 1), 3, 0),
        ((3, 1), 4, 1),
        ((3, 1), 7, 1),
        ((3, 1), 8, 2),
        ((4, 3), 6, 0),
        ((4, 3), 7, 3),
        ((4, 3), 13, 3),
        ((4, 3), 14, 6),
        ((1, 1), 2, 1),
        ((1, 5), 6, 5),
        ((5, 2), 7, 2),
        ((2, 1), 3_000_000_000, 1_000_000_000),
    ],
)
def test_each_full_group_gives_its_free_units(promotion: tuple[int, int], quantity: int, free: int) -> None:
    assert free_units([line("a", "10.00", quantity, promotion)]) == {"a": free}


def test_a_line_without_promotion_gets_nothing() -> None:
    assert free_units([line("a", "1.00", 30), line("b", "10.00", 3, (2, 1))]) == {"a": 0, "b": 1}


def test_an_empty_cart_has_no_free_units() -> None:
    assert free_units([]) == {}


def test_different_products_of_one_promotion_share_a_pool_and_the_cheapest_is_free() -> None:
    lines = [line("a", "30.00", 1, (2, 1)), line("b", "10.00", 1, (2, 1)), line("c", "20.00", 1, (2, 1))]
    assert free_units(lines) == {"a": 0, "b": 1, "c": 0}


def test_different_promotions_never_share_a_pool() -> None:
    lines = [line("a", "30.00", 2, (2, 1)), line("b", "10.00", 2, (3, 1)), line("c", "20.00", 3, (2, 2))]
    assert free_units(lines) == {"a": 0, "b": 0, "c": 0}


def test_free_units_spill_over_to_the_next_cheapest_line() -> None:
    lines = [line("a", "30.00", 5, (4, 3)), line("b", "20.00", 1, (4, 3)), line("c", "10.00", 1, (4, 3))]
    assert free_units(lines) == {"a": 1, "b": 1, "c": 1}


def test_at_equal_price_the_smaller_key_gives_first_whatever_the_order() -> None:
    tied = [
        line("2:3", "10.00", 2, (2, 1)),
        line("10:1", "10.00", 2, (2, 1)),
        line("2:1", "10.00", 2, (2, 1)),
    ]
    assert free_units(tied) == {"10:1": 2, "2:1": 0, "2:3": 0}
    assert free_units(reversed(tied)) == {"10:1": 2, "2:1": 0, "2:3": 0}


@pytest.mark.parametrize(("quantity", "missing"), [(1, 2), (2, 1), (3, 3), (4, 2), (5, 1), (6, 3)])
def test_missing_units_lead_to_the_next_full_group(quantity: int, missing: int) -> None:
    assert units_missing_for_next([line("a", "10.00", quantity, (2, 1))]) == (
        NextFree(2, 1, missing, ("a",)),
    )


def test_each_pool_says_what_it_lacks() -> None:
    lines = [
        line("d", "10.00", 5, (4, 3)),
        line("c", "10.00", 1, (2, 1)),
        line("x", "10.00", 9),
        line("a", "15.00", 1, (2, 1)),
    ]
    assert units_missing_for_next(lines) == (NextFree(2, 1, 1, ("a", "c")), NextFree(4, 3, 2, ("d",)))


def test_nothing_is_missing_without_promotion() -> None:
    assert units_missing_for_next([line("a", "10.00", 2)]) == ()
