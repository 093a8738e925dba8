"""A whole cart: every figure, every threshold, every refusal."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from orders.pricing.delivery import LeadTime
from orders.pricing.installments import Installment
from orders.pricing.promotions import NextFree
from orders.pricing.quote import InstallmentOffer, Quote, QuoteLine
from orders.pricing.territories import Place, VatPosition
from orders.pricing.tests.carts import EUROPE, RULES, WORLD, line, quote


def test_a_cart_with_a_promotion_shows_every_figure() -> None:
    assert quote(
        line("1::painted", "59.90", 2, (2, 1)),
        line("2::", "24.50", 2, (2, 1), production=(7, 10)),
        line("3:4:", "12.00", 3),
    ) == Quote(
        lines=(
            QuoteLine(
                "1::painted", Decimal("59.90"), 2, 0, Decimal("119.80"), Decimal("0.00"), Decimal("119.80")
            ),
            QuoteLine("2::", Decimal("24.50"), 2, 1, Decimal("49.00"), Decimal("24.50"), Decimal("24.50")),
            QuoteLine("3:4:", Decimal("12.00"), 3, 0, Decimal("36.00"), Decimal("0.00"), Decimal("36.00")),
        ),
        item_count=7,
        original_total=Decimal("204.80"),
        promotion_savings=Decimal("24.50"),
        subtotal=Decimal("180.30"),
        place=Place("FR", VatPosition.HOME, in_customs_area=True),
        zone_code="france-europe",
        shipping_cost=Decimal("0.00"),
        total=Decimal("180.30"),
        free_shipping_missing=Decimal("0.00"),
        next_free=(NextFree(2, 1, 2, ("1::painted", "2::")),),
        lead_time=LeadTime(
            18,
            38,
            date(2026, 11, 21),
            date(2026, 12, 7),
            date(2026, 12, 21),
            date(2026, 12, 9),
            date(2026, 12, 29),
        ),
        christmas_until=None,
        installments=InstallmentOffer(
            available=True,
            minimum=Decimal("150.00"),
            plan=(
                Installment(date(2026, 11, 21), Decimal("60.10")),
                Installment(date(2026, 12, 21), Decimal("60.10")),
                Installment(date(2027, 1, 20), Decimal("60.10")),
            ),
        ),
    )


@pytest.mark.parametrize("destination", [None, "US"])
def test_an_empty_cart_costs_nothing(destination: str | None) -> None:
    empty = quote(destination=destination)
    assert empty.lines == ()
    assert empty.item_count == 0
    assert [str(amount) for amount in (empty.subtotal, empty.shipping_cost, empty.total)] == ["0.00"] * 3
    assert empty.lead_time is None
    assert empty.next_free == ()
    assert empty.installments == InstallmentOffer(available=False, minimum=Decimal("150.00"), plan=())


def test_an_empty_cart_is_never_split_even_without_minimum() -> None:
    assert quote(rules=replace(RULES, installments_minimum=Decimal("0.00"))).installments.plan == ()


@pytest.mark.parametrize(
    ("price", "shipping", "total", "missing"),
    [
        ("49.99", "9.99", "59.98", "0.01"),
        ("50.00", "0.00", "50.00", "0.00"),
        ("50.01", "0.00", "50.01", "0.00"),
    ],
)
@pytest.mark.parametrize("destination", [None, *sorted(EUROPE.countries)])
def test_delivery_in_the_home_zone_is_free_from_50(
    destination: str | None, price: str, shipping: str, total: str, missing: str
) -> None:
    priced = quote(line("a", price), destination=destination)
    assert priced.zone_code == "france-europe"
    assert str(priced.shipping_cost) == shipping
    assert str(priced.total) == total
    assert str(priced.free_shipping_missing) == missing


@pytest.mark.parametrize(
    ("price", "total"), [("49.99", "99.98"), ("50.00", "99.99"), ("50.01", "100.00"), ("1000.00", "1049.99")]
)
@pytest.mark.parametrize(
    "destination", ["GB", "US", "CA", "JP", "AU", "ZZ", "", "France", "FRANCE ", "Autre"]
)
def test_delivery_elsewhere_is_never_free(destination: str, price: str, total: str) -> None:
    priced = quote(line("a", price), destination=destination)
    assert priced.zone_code == "rest-of-world"
    assert str(priced.shipping_cost) == "49.99"
    assert str(priced.total) == total
    assert priced.free_shipping_missing is None


@pytest.mark.parametrize(
    ("dearest", "subtotal", "shipping"),
    [("29.99", "49.99", "9.99"), ("30.00", "50.00", "0.00"), ("30.01", "50.01", "0.00")],
)
def test_the_free_delivery_threshold_counts_after_promotions(
    dearest: str, subtotal: str, shipping: str
) -> None:
    priced = quote(line("a", dearest, 1, (2, 1)), line("b", "20.00", 2, (2, 1)))
    assert priced.original_total > Decimal("50.00")
    assert str(priced.subtotal) == subtotal
    assert str(priced.shipping_cost) == shipping


def test_the_home_country_is_where_a_cart_without_destination_goes() -> None:
    assert quote(line("a", "10.00"), rules=replace(RULES, home_country="CA")).zone_code == "rest-of-world"


def test_operators_decide_zones_and_rates() -> None:
    islands = replace(
        EUROPE, code="islands", countries=frozenset({"JP", "GB"}), rate=Decimal("20"), free_from=Decimal("80")
    )
    rules = replace(RULES, zones=(EUROPE, islands), fallback_zone=replace(WORLD, rate=Decimal("30")))
    assert str(quote(line("a", "79.99"), destination="JP", rules=rules).shipping_cost) == "20.00"
    assert str(quote(line("a", "79.99"), destination="JP", rules=rules).total) == "99.99"
    assert str(quote(line("a", "80.00"), destination="GB", rules=rules).total) == "80.00"
    assert str(quote(line("a", "80.00"), destination="US", rules=rules).total) == "110.00"


@pytest.mark.parametrize(
    ("price", "amounts"),
    [
        ("149.99", []),
        ("150.00", ["50.00", "50.00", "50.00"]),
        ("150.01", ["50.01", "50.00", "50.00"]),
    ],
)
def test_installments_start_at_150(price: str, amounts: list[str]) -> None:
    offer = quote(line("a", price)).installments
    assert offer.available is bool(amounts)
    assert [str(part.amount) for part in offer.plan] == amounts


@pytest.mark.parametrize(("price", "available"), [("100.00", False), ("100.01", True), ("100.02", True)])
def test_the_installment_minimum_includes_delivery(price: str, available: bool) -> None:
    priced = quote(line("a", price), destination="US")
    assert priced.total == Decimal(price) + Decimal("49.99")
    assert priced.installments.available is available


def test_switched_off_installments_keep_their_plan_but_are_not_available() -> None:
    offer = quote(line("a", "150.00"), rules=replace(RULES, installments_enabled=False)).installments
    assert offer.available is False
    assert [str(part.amount) for part in offer.plan] == ["50.00", "50.00", "50.00"]


@pytest.mark.parametrize(
    ("price", "amounts"),
    [
        ("100.00", ["33.34", "33.33", "33.33"]),
        ("100.01", ["33.35", "33.33", "33.33"]),
        ("150.00", ["50.00"] * 3),
    ],
)
def test_the_parts_of_a_plan_add_up_to_the_total(price: str, amounts: list[str]) -> None:
    priced = quote(line("a", price), rules=replace(RULES, installments_minimum=Decimal("100.00")))
    assert [str(part.amount) for part in priced.installments.plan] == amounts
    assert sum(part.amount for part in priced.installments.plan) == priced.total == Decimal(price)


def test_two_of_each_price_give_the_two_cheapest() -> None:
    priced = quote(
        line("a", "10.00", 2, (2, 1)), line("b", "20.00", 2, (2, 1)), line("c", "30.00", 2, (2, 1))
    )
    assert [(item.key, item.free_quantity, str(item.line_total)) for item in priced.lines] == [
        ("a", 2, "0.00"),
        ("b", 0, "40.00"),
        ("c", 0, "60.00"),
    ]
    assert (str(priced.original_total), str(priced.promotion_savings)) == ("120.00", "20.00")
    assert str(priced.total) == "100.00"


def test_taking_out_a_free_unit_prices_the_rest_anew() -> None:
    priced = quote(
        line("a", "10.00", 1, (2, 1)), line("b", "20.00", 2, (2, 1)), line("c", "30.00", 2, (2, 1))
    )
    assert [item.free_quantity for item in priced.lines] == [1, 0, 0]
    assert (str(priced.promotion_savings), str(priced.total)) == ("10.00", "100.00")


def test_a_promotion_that_has_ended_gives_nothing() -> None:
    priced = quote(line("a", "10.00", 2), line("b", "20.00", 2), line("c", "30.00", 2))
    assert (str(priced.promotion_savings), str(priced.total)) == ("0.00", "120.00")


def test_a_cheap_unit_in_the_pool_takes_the_place_of_a_dear_free_one() -> None:
    assert str(quote(line("a", "30.00", 3, (2, 1))).total) == "60.00"
    assert str(quote(line("a", "30.00", 3, (2, 1)), line("b", "10.00", 1, (2, 1))).total) == "90.00"


def test_completing_a_group_that_gives_several_can_lower_the_total() -> None:
    assert str(quote(line("a", "30.00", 6, (4, 3))).total) == "180.00"
    assert str(quote(line("a", "30.00", 7, (4, 3))).total) == "120.00"


def test_a_free_of_charge_product_still_has_to_be_sent() -> None:
    priced = quote(line("a", "0.00"))
    assert (str(priced.subtotal), str(priced.shipping_cost), str(priced.total)) == ("0.00", "9.99", "9.99")


def test_amounts_come_back_with_two_places() -> None:
    priced = quote(line("a", "7", 3), line("b", "1.5", 2, (1, 1)), line("c", "-0"))
    assert [str(item.unit_price) for item in priced.lines] == ["7.00", "1.50", "0.00"]
    assert [str(item.gross) for item in priced.lines] == ["21.00", "3.00", "0.00"]
    assert str(priced.total) == "32.49"


@pytest.mark.parametrize("quantity", [0, -1, -(10**9)])
def test_a_quantity_below_one_is_refused(quantity: int) -> None:
    with pytest.raises(ValueError, match=f"Line a: the quantity is {quantity}, not at least 1"):
        quote(line("a", "10.00", quantity))


@pytest.mark.parametrize("made", [-1, 3])
def test_more_units_to_make_than_are_sold_or_fewer_than_none_are_refused(made: int) -> None:
    with pytest.raises(ValueError, match=f"Line a: {made} of 2 units can't be made"):
        quote(replace(line("a", "10.00", 2), made_quantity=made))


def test_a_negative_price_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Line a: the price -0\.01 is negative"):
        quote(line("b", "10.00"), line("a", "-0.01"))


@pytest.mark.parametrize("price", ["19.999", "0.001", "NaN", "Infinity", "1E+400"])
def test_a_price_that_is_no_amount_is_refused(price: str) -> None:
    with pytest.raises(ValueError, match="is not a whole number of cents"):
        quote(line("a", price))


def test_a_repeated_key_is_refused() -> None:
    with pytest.raises(ValueError, match="Two lines of the cart have the same key"):
        quote(line("a", "10.00"), line("a", "10.00"))


@pytest.mark.parametrize("production", [(-1, 5), (6, 5)])
def test_production_days_out_of_order_are_refused(production: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="Line a: production days are out of order"):
        quote(line("a", "10.00", production=production))


def test_a_total_too_large_to_hold_exactly_is_refused() -> None:
    with pytest.raises(ValueError, match=r"The amount is too large\."):
        quote(line("a", "99999999.99", 10**20))
