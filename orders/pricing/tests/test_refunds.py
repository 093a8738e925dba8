"""What returned units are worth: exact figures, and what holds for any cart and any order of returns."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orders.pricing.promotions import free_units
from orders.pricing.quote import CartLine
from orders.pricing.refunds import PaidLine, line_shares, prorate, value_of_return
from orders.pricing.tests.carts import carts, line, quote
from shop.core.money import from_cents, to_cents

law = settings(deadline=None)
filled_carts = carts().filter(bool)


def sold(*lines: CartLine, **returned: int) -> list[PaidLine]:
    free = free_units(lines)
    return [
        PaidLine(
            line.key,
            line.unit_price,
            line.quantity,
            line.promotion,
            free[line.key],
            returned.get(line.key, 0),
        )
        for line in lines
    ]


def value(lines: list[PaidLine], shipping: str = "0.00", **units: int) -> tuple[dict[str, str], str]:
    found = value_of_return(lines, units, shipping=Decimal(shipping))
    assert found.total == sum(found.lines.values(), found.shipping)
    return {key: str(amount) for key, amount in found.lines.items()}, str(found.shipping)


def test_without_promotion_a_unit_is_worth_its_price():
    lines = sold(line("a", "40.00", 2), line("b", "12.50"))
    assert value(lines, "9.99", a=1) == ({"a": "40.00"}, "0.00")
    assert value(lines, "9.99", a=1, b=1) == ({"a": "40.00", "b": "12.50"}, "0.00")


def test_everything_brings_the_delivery_too():
    lines = sold(line("a", "40.00", 1))
    assert value(lines, "9.99", a=1) == ({"a": "40.00"}, "9.99")


def test_the_last_of_several_returns_brings_the_delivery():
    assert value(sold(line("a", "20.00", 2), a=1), "9.99", a=1) == ({"a": "20.00"}, "9.99")


def test_three_for_the_price_of_two_are_worth_two_installments_each():
    lines = sold(line("a", "30.00", 3, (2, 1)))
    assert line_shares(lines) == {"a": 6000}
    # The odd cents are the same lines', in whatever order the lines come.
    three = sold(*(line(key, "10.00", 1, (2, 1)) for key in "abc"))
    assert line_shares(three) == line_shares(three[::-1]) == {"a": 667, "b": 667, "c": 666}
    assert value(lines, a=1) == ({"a": "20.00"}, "0.00")


def test_the_offered_unit_of_another_line_is_worth_its_part_of_the_pool():
    # 30 + 30 + 10 for 60: each euro of price was paid with 6/7.
    lines = sold(line("big", "30.00", 2, (2, 1)), line("small", "10.00", 1, (2, 1)))
    assert line_shares(lines) == {"big": 5143, "small": 857}
    assert value(lines, small=1) == ({"small": "8.57"}, "0.00")
    assert value(lines, big=1) == ({"big": "25.71"}, "0.00")
    assert value(lines, big=2, small=1) == ({"big": "51.43", "small": "8.57"}, "0.00")


def test_odd_cents_come_with_the_last_unit():
    # 3 × 0.10 for 0.20: a third of it is 6.67 cents.
    lines = [line("a", "0.10", 3, (2, 1))]
    assert value(sold(*lines), a=1)[0] == {"a": "0.06"}
    assert value(sold(*lines, a=1), a=1)[0] == {"a": "0.07"}
    assert value(sold(*lines, a=2), a=1)[0] == {"a": "0.07"}
    assert value(sold(*lines), a=2)[0] == {"a": "0.13"}


def test_pools_do_not_lend_to_each_other():
    lines = sold(line("a", "30.00", 3, (2, 1)), line("b", "70.00", 7, (4, 3)), line("c", "5.00"))
    assert line_shares(lines) == {"a": 6000, "b": 28000, "c": 500}


def test_a_promotion_that_gave_nothing_takes_nothing():
    assert line_shares(sold(line("a", "30.00", 2, (2, 1)))) == {"a": 6000}


def test_given_away_goods_are_worth_nothing():
    assert value(sold(line("a", "0.00", 3, (2, 1))), a=2) == ({"a": "0.00"}, "0.00")


@pytest.mark.parametrize(
    ("units", "message"),
    [
        ({"x": 1}, "No line x was sold."),
        ({"a": 0}, "Line a: 0 of 1 units can't come back."),
        ({"a": 2}, "Line a: 2 of 1 units can't come back."),
        ({"a": -1}, "Line a: -1 of 1 units can't come back."),
    ],
)
def test_what_was_not_sold_can_not_come_back(units, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        value_of_return(sold(line("a", "9.00", 2), a=1), units, shipping=Decimal("0.00"))


def test_an_amount_is_spread_over_lines_in_proportion():
    parts = {"a": Decimal("20.00"), "b": Decimal("10.00"), "c": Decimal("0.00")}
    assert prorate(Decimal("10.00"), parts) == {
        "a": Decimal("6.67"), "b": Decimal("3.33"), "c": Decimal("0.00"),
    }  # fmt: skip
    assert prorate(Decimal("30.00"), parts) == parts
    assert prorate(Decimal("0.00"), {}) == {}
    for senseless in ("30.01", "-0.01"):
        with pytest.raises(ValueError, match=r"does not fit into 30\.00\.$"):
            prorate(Decimal(senseless), parts)


@law
@given(st.data())
def test_returns_in_any_order_add_up_to_exactly_what_was_paid(data):
    cart = data.draw(filled_carts)
    paid = quote(*cart)
    left = {line.key: line.quantity for line in cart}
    quantities = dict(left)
    prices = {line.key: line.unit_price for line in cart}
    back: dict[str, int] = {}
    total = Decimal("0.00")
    credited = {line.key: Fraction(0) for line in cart}
    shares = line_shares(sold(*cart))
    while left:
        step = data.draw(
            st.dictionaries(st.sampled_from(sorted(left)), st.integers(1, 3), min_size=1).map(
                lambda units: {key: min(count, left[key]) for key, count in units.items()}
            )
        )
        found = value_of_return(sold(*cart, **back), step, shipping=paid.shipping_cost)
        for key, count in step.items():
            # Never above the price of the units, and never more so far than the line's part of what was paid.
            assert Decimal("0.00") <= found.lines[key] <= prices[key] * count
            credited[key] += to_cents(found.lines[key])
            back[key] = back.get(key, 0) + count
            assert credited[key] <= Fraction(shares[key] * back[key], quantities[key])
            left[key] -= count
            if not left[key]:
                del left[key]
        assert found.shipping == (Decimal("0.00") if left else paid.shipping_cost)
        total += found.total
    assert total == paid.total


@law
@given(st.data())
def test_at_once_or_in_two_goes_is_the_same(data):
    cart = data.draw(filled_carts)
    first = {line.key: data.draw(st.integers(0, line.quantity)) for line in cart}
    second = {line.key: data.draw(st.integers(0, line.quantity - first[line.key])) for line in cart}
    nothing = Decimal("0.00")

    def worth(before: dict[str, int], units: dict[str, int]) -> Decimal:
        wanted = {key: count for key, count in units.items() if count}
        return value_of_return(sold(*cart, **before), wanted, shipping=nothing).total

    both = {key: first[key] + second[key] for key in first}
    assert worth({}, first) + worth(first, second) == worth({}, both)


@law
@given(filled_carts)
def test_shares_are_what_was_paid_and_below_the_price(cart):
    shares = line_shares(sold(*cart))
    assert from_cents(sum(shares.values())) == quote(*cart).subtotal
    for item in cart:
        assert 0 <= shares[item.key] <= to_cents(item.unit_price) * item.quantity


@law
@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=6), st.data())
def test_a_spread_adds_up_and_never_exceeds_a_part(cents, data):
    parts = {str(index): from_cents(part) for index, part in enumerate(cents)}
    amount = from_cents(data.draw(st.integers(0, sum(cents))))
    found = prorate(amount, parts)
    assert sum(found.values()) == amount
    assert all(Decimal("0.00") <= found[key] <= parts[key] for key in parts)
