"""What holds for any cart, against a second reckoning written another way."""

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from orders.pricing.promotions import Promotion
from orders.pricing.quote import CartLine
from orders.pricing.tests.carts import EUROPE_COUNTRIES, PROMOTIONS, carts, quote

DESTINATIONS = (
    st.none()
    | st.sampled_from(sorted(EUROPE_COUNTRIES))
    | st.sampled_from(["US", "GB", "RE", "ZZ", "", "Autre"])
)

law = settings(deadline=None)


def units_at_the_till(cart: list[CartLine]) -> Counter[str]:
    """Free units by key, found as a cashier would, with every unit of an offer on the counter."""
    given_away: Counter[str] = Counter()
    for offer in {line.promotion for line in cart if line.promotion}:
        counter = [
            (line.unit_price, line.key)
            for line in cart
            if line.promotion == offer
            for _ in range(line.quantity)
        ]
        tokens = 0
        for position in range(1, len(counter) + 1):
            if position % (offer.buy + offer.get) == 0:
                tokens += offer.get
        for _ in range(tokens):
            cheapest = min(counter)
            counter.remove(cheapest)
            given_away[cheapest[1]] += 1
    return given_away


def bill(
    cart: list[CartLine], destination: str | None, postal_code: str = ""
) -> tuple[Fraction, Fraction, Fraction]:
    """Subtotal, delivery and total from the units one by one, in exact fractions."""
    free = units_at_the_till(cart)
    subtotal = Fraction(0)
    for line in cart:
        for unit in range(line.quantity):
            if unit >= free[line.key]:
                subtotal += Fraction(str(line.unit_price))
    if not cart:
        delivery = Fraction(0)
    elif destination == "RE" or (destination in (None, "FR") and postal_code.startswith("974")):
        grams = sum(
            500 if line.weight_grams is None else line.weight_grams
            for line in cart
            for _ in range(line.quantity)
        )
        cents = 1999 if grams <= 1000 else 2799 if grams <= 2000 else 3999
        delivery = Fraction(0) if subtotal >= 900 else Fraction(cents, 100)
    elif destination is not None and destination not in EUROPE_COUNTRIES:
        delivery = Fraction(4999, 100)
    else:
        delivery = Fraction(0) if subtotal >= 50 else Fraction(999, 100)
    return subtotal, delivery, subtotal + delivery


@given(carts(), DESTINATIONS, st.sampled_from(["", "69003", "97400", "97490", "9", "75974"]))
@law
def test_the_quote_is_what_the_till_says(
    cart: list[CartLine], destination: str | None, postal_code: str
) -> None:
    priced = quote(*cart, destination=destination, postal_code=postal_code)
    assert (
        Fraction(str(priced.subtotal)),
        Fraction(str(priced.shipping_cost)),
        Fraction(str(priced.total)),
    ) == bill(cart, destination, postal_code)
    assert {item.key: item.free_quantity for item in priced.lines if item.free_quantity} == units_at_the_till(
        cart
    )


@given(carts(), DESTINATIONS)
@law
def test_figures_agree_with_each_other(cart: list[CartLine], destination: str | None) -> None:
    priced = quote(*cart, destination=destination)
    for item, line in zip(priced.lines, cart, strict=True):
        assert (item.key, item.unit_price, item.quantity) == (line.key, line.unit_price, line.quantity)
        assert 0 <= item.free_quantity <= item.quantity
        assert item.gross == item.unit_price * item.quantity
        assert item.savings == item.unit_price * item.free_quantity
        assert item.line_total == item.gross - item.savings >= 0
    assert priced.item_count == sum(line.quantity for line in cart)
    assert priced.original_total == sum(item.gross for item in priced.lines)
    assert priced.promotion_savings == sum(item.savings for item in priced.lines) >= 0
    assert priced.subtotal == sum(item.line_total for item in priced.lines) >= 0
    assert priced.subtotal == priced.original_total - priced.promotion_savings
    assert priced.total == priced.subtotal + priced.shipping_cost >= priced.subtotal
    parts = priced.installments.plan
    assert bool(parts) is priced.installments.available is (priced.total >= Decimal("150.00"))
    assert not parts or sum(part.amount for part in parts) == priced.total
    assert (priced.lead_time is None) is (not cart)


@given(carts().flatmap(lambda cart: st.tuples(st.just(cart), st.permutations(cart))), DESTINATIONS)
@law
def test_the_order_of_lines_changes_nothing(
    carts_: tuple[list[CartLine], list[CartLine]], destination: str | None
) -> None:
    first, second = (quote(*cart, destination=destination) for cart in carts_)
    assert {item.key: item for item in first.lines} == {item.key: item for item in second.lines}
    for figure in ("item_count", "original_total", "promotion_savings", "subtotal", "shipping_cost", "total"):
        assert getattr(first, figure) == getattr(second, figure)
    assert first.next_free == second.next_free
    assert first.lead_time == second.lead_time
    assert first.installments == second.installments


@given(carts(), st.data())
@law
def test_splitting_a_line_changes_no_total(cart: list[CartLine], data: st.DataObject) -> None:
    splittable = [index for index, line in enumerate(cart) if line.quantity > 1]
    assume(splittable)
    index = data.draw(st.sampled_from(splittable))
    whole = cart[index]
    moved = data.draw(st.integers(1, whole.quantity - 1))
    made = min(moved, whole.made_quantity)
    halves = [
        replace(whole, quantity=whole.quantity - moved, made_quantity=whole.made_quantity - made),
        replace(whole, key=whole.key + "'", quantity=moved, made_quantity=made),
    ]
    before, after = quote(*cart), quote(*cart[:index], *halves, *cart[index + 1 :])
    for figure in ("item_count", "original_total", "promotion_savings", "subtotal", "total", "lead_time"):
        assert getattr(after, figure) == getattr(before, figure)
    assert [pool.missing for pool in after.next_free] == [pool.missing for pool in before.next_free]


@given(carts())
@law
def test_pools_do_not_touch_each_other(cart: list[CartLine]) -> None:
    together = {item.key: item for item in quote(*cart).lines}
    for promotion in {line.promotion for line in cart}:
        pool = [line for line in cart if line.promotion == promotion]
        for item in quote(*pool).lines:
            assert item == together[item.key]


@given(carts(PROMOTIONS))
@law
def test_no_free_unit_is_dearer_than_a_paid_one_of_its_pool(cart: list[CartLine]) -> None:
    items = {item.key: item for item in quote(*cart).lines}
    for promotion in {line.promotion for line in cart}:
        pool = [items[line.key] for line in cart if line.promotion == promotion]
        free = [item.unit_price for item in pool if item.free_quantity]
        paid = [item.unit_price for item in pool if item.free_quantity < item.quantity]
        assert paid, "a group always has a unit to pay"
        assert not free or max(free) <= min(paid)


@given(carts(PROMOTIONS))
@law
def test_the_missing_units_bring_exactly_the_next_free_ones(cart: list[CartLine]) -> None:
    before = quote(*cart)
    for pool in before.next_free:
        line = next(line for line in cart if line.key == pool.keys[0])
        for added, more_free in ((pool.missing - 1, 0), (pool.missing, pool.get)):
            grown = [replace(each, quantity=each.quantity + added) if each is line else each for each in cart]
            free = sum(item.free_quantity for item in quote(*grown).lines)
            assert free == sum(item.free_quantity for item in before.lines) + more_free


@given(carts(), st.data())
@law
def test_a_higher_price_never_lowers_the_subtotal(cart: list[CartLine], data: st.DataObject) -> None:
    assume(cart)
    line = data.draw(st.sampled_from(cart))
    dearer = replace(line, unit_price=line.unit_price + Decimal(data.draw(st.integers(1, 10_000))) / 100)
    after = quote(*[dearer if each is line else each for each in cart])
    assert after.subtotal >= quote(*cart).subtotal


@given(carts(st.none() | st.builds(Promotion, st.integers(1, 5), st.just(1))), st.data())
@law
def test_one_more_unit_never_lowers_the_subtotal_where_one_is_free(
    cart: list[CartLine], data: st.DataObject
) -> None:
    assume(cart)
    line = data.draw(st.sampled_from(cart))
    subtotals = [
        quote(
            *[replace(each, quantity=each.quantity + more) if each is line else each for each in cart]
        ).subtotal
        for more in range(7)
    ]
    assert all(fewer <= more for fewer, more in pairwise(subtotals))


@given(carts(), DESTINATIONS)
@law
def test_a_promotion_never_makes_the_goods_dearer(cart: list[CartLine], destination: str | None) -> None:
    without = quote(*[replace(line, promotion=None) for line in cart], destination=destination)
    priced = quote(*cart, destination=destination)
    assert priced.original_total == without.subtotal
    assert priced.subtotal <= without.subtotal
