"""Delivery: zone by country code, rate, free threshold."""

from dataclasses import replace
from decimal import Decimal

import pytest

from orders.pricing.shipping import RateStep, ShippingZone, find_zone, free_shipping_missing, shipping_cost
from orders.pricing.territories import Place, find_place
from orders.pricing.tests.carts import EUROPE, EUROPE_COUNTRIES, WORLD

BY_WEIGHT = replace(
    WORLD, steps=(RateStep(1000, Decimal("19.99")), RateStep(2000, Decimal("27.99"))), rate=Decimal("39.99")
)


def at(country: str) -> Place:
    return find_place(country, "", ())


@pytest.mark.parametrize("country", sorted(EUROPE_COUNTRIES))
def test_each_of_the_14_countries_is_in_the_zone(country: str) -> None:
    assert len(EUROPE_COUNTRIES) == 14
    assert find_zone(at(country), (EUROPE,), WORLD) is EUROPE


@pytest.mark.parametrize("country", ["US", "CA", "GB", "JP", "AU", "PL", "IE", "RE", "ZZ"])
def test_a_country_of_no_zone_gets_the_fallback(country: str) -> None:
    assert find_zone(at(country), (EUROPE,), WORLD) is WORLD


@pytest.mark.parametrize(
    "text", ["", "France", "FRANCE ", "FR ", "fr", "Autre", "F", "FR,DE", "\x00", "ＦＲ"]
)
def test_only_a_country_code_opens_a_zone(text: str) -> None:
    assert find_zone(at(text), (EUROPE,), WORLD) is WORLD


def test_the_first_of_two_zones_that_list_a_country_wins() -> None:
    near = replace(EUROPE, code="near", countries=frozenset({"BE"}))
    assert find_zone(at("BE"), (near, EUROPE), WORLD) is near
    assert find_zone(at("BE"), (EUROPE, near), WORLD) is EUROPE
    assert find_zone(at("FR"), (near, EUROPE), WORLD) is EUROPE


@pytest.mark.parametrize(
    ("subtotal", "cost", "missing"),
    [
        ("0.00", "9.99", "50.00"),
        ("0.01", "9.99", "49.99"),
        ("49.99", "9.99", "0.01"),
        ("50.00", "0.00", "0.00"),
        ("50.01", "0.00", "0.00"),
    ],
)
def test_delivery_is_free_from_the_threshold_on(subtotal: str, cost: str, missing: str) -> None:
    assert str(shipping_cost(EUROPE, Decimal(subtotal), 1)) == cost
    assert str(free_shipping_missing(EUROPE, Decimal(subtotal))) == missing


@pytest.mark.parametrize("subtotal", ["0.00", "50.00", "99999.99"])
def test_a_zone_without_threshold_is_never_free(subtotal: str) -> None:
    assert shipping_cost(WORLD, Decimal(subtotal), 1) == Decimal("49.99")
    assert free_shipping_missing(WORLD, Decimal(subtotal)) is None


@pytest.mark.parametrize("zone", [EUROPE, WORLD])
def test_an_empty_cart_ships_for_nothing(zone: ShippingZone) -> None:
    assert str(shipping_cost(zone, Decimal("0.00"), 0)) == "0.00"


def test_a_zone_without_rate_is_free_at_once() -> None:
    pickup = replace(WORLD, rate=Decimal("0.00"))
    assert shipping_cost(pickup, Decimal("1.00"), 1) == 0
    assert free_shipping_missing(pickup, Decimal("1.00")) == 0


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("rate", Decimal("-0.01"), "an amount can't be negative"),
        ("free_from", Decimal("-0.01"), "an amount can't be negative"),
        ("rate", Decimal("9.999"), "not a whole number of cents"),
        ("rate", Decimal("NaN"), "not a whole number of cents"),
        ("free_from", Decimal("Infinity"), "not a whole number of cents"),
        ("delivery_days_min", -1, "delivery days are out of order"),
        ("delivery_days_min", 6, "delivery days are out of order"),
    ],
)
def test_a_zone_refuses_what_makes_no_sense(field: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(EUROPE, **{field: value})


def test_a_zone_may_deliver_on_the_day_and_begin_its_weights_with_a_gram() -> None:
    zone = replace(WORLD, delivery_days_min=0, delivery_days_max=0, steps=(RateStep(1, Decimal("9.99")),))
    assert (zone.delivery_days_min, zone.delivery_days_max) == (0, 0)
    assert [zone.rate_for(grams) for grams in (1, 2)] == [Decimal("9.99"), WORLD.rate]


@pytest.mark.parametrize(
    ("grams", "cost"),
    [(0, "19.99"), (1, "19.99"), (1000, "19.99"), (1001, "27.99"), (2000, "27.99"), (2001, "39.99"), (10**9, "39.99")],
)  # fmt: skip
def test_the_first_step_that_carries_the_weight_counts(grams: int, cost: str) -> None:
    assert str(shipping_cost(BY_WEIGHT, Decimal("500.00"), 1, grams)) == cost


def test_a_free_step_lacks_nothing_and_the_next_does() -> None:
    letter = replace(BY_WEIGHT, steps=(RateStep(100, Decimal("0.00")),), free_from=Decimal("50.00"))
    assert free_shipping_missing(letter, Decimal("10.00"), 100) == 0
    assert free_shipping_missing(letter, Decimal("10.00"), 101) == Decimal("40.00")


@pytest.mark.parametrize("grams", [(1000, 1000), (2000, 1000), (0, 1000)])
def test_a_zone_refuses_weights_out_of_order(grams: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="weights are out of order"):
        replace(WORLD, steps=tuple(RateStep(each, Decimal("9.99")) for each in grams))


def test_a_territory_s_own_zone_comes_before_its_country_s() -> None:
    place = replace(at("FR"), zone="rest-of-world")
    assert find_zone(place, (EUROPE,), WORLD) is WORLD
