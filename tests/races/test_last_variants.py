"""The last units of a product's variants, bought at one instant: each is sold once, and what lists say of the product
is right when everybody is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import pytest
from django.db import transaction

from catalog.models import Product, Variant
from catalog.selectors.availability import Level
from catalog.services import products, stock
from catalog.services.products import save_variant
from catalog.services.stock import OutOfStock, StockUnit, hold_stock, release_stock
from catalog.tests.factories import (
    change_product,
    change_variant,
    make_finish_category,
    make_product,
    make_variation,
    variant_of,
)
from tests.races.concurrency import Meeting, Rendezvous, deadlocks, run_concurrently, values

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

BUYERS = 12
ROUNDS = 6


def painted_and_raw(name: str = "Lame", **fields: Any) -> tuple[Product, Variant, Variant]:
    product = make_product(
        name,
        "129.00",
        category=make_finish_category(),
        painted_price="129.00",
        unpainted_price="62.00",
        **fields,
    )
    return product, variant_of(product, finish="painted"), variant_of(product, finish="unpainted")


@transaction.atomic
def buy(*rows: Variant) -> list[StockUnit] | None:
    """The held units, None when they are not there."""
    try:
        return hold_stock(units=[StockUnit(row.pk, 1) for row in rows])
    except OutOfStock:
        return None


@transaction.atomic
def give_back(units: list[StockUnit]) -> None:
    release_stock(units=units)


def without_lock(levels: Iterable[Level]) -> dict[int, int | None]:
    """For controls: the same products, which anybody else may change meanwhile."""
    found = list(levels)
    variants = Variant.objects.filter(pk__in=[pk for kind, pk in found if kind == "variant"])
    own = {pk for kind, pk in found if kind == "product"}
    rows = Product.objects.filter(pk__in=own | set(variants.values_list("product", flat=True)))
    return dict(rows.values_list("pk", "stock_quantity"))


def state(product: Product) -> tuple[bool, bool]:
    return Product.objects.values_list("is_available", "is_ready").get(pk=product.pk)


def meet_before_locking(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Everybody asks for the lock of the products at one instant."""
    meeting = Meeting(count)
    original = stock._lock_products

    def together(levels: Iterable[Level]) -> dict[int, int | None]:
        meeting.wait()
        return original(levels)

    monkeypatch.setattr(stock, "_lock_products", together)


def test_the_last_painted_piece_has_one_buyer_while_raw_is_made_to_order(monkeypatch, figures):
    product, painted, raw = painted_and_raw()
    change_variant(painted, stock_quantity=1)
    meet_before_locking(monkeypatch, 2 * BUYERS)
    calls = [partial(buy, row) for row in (painted, raw) for _ in range(BUYERS)]
    answers = values(run_concurrently(calls))
    sold = Counter(units[0] for units in answers if units)
    assert sold == {
        StockUnit(painted.pk, 1, ("variant", painted.pk)): 1,
        StockUnit(raw.pk, 1, None): BUYERS,
    }
    painted.refresh_from_db()
    assert (painted.stock_quantity, state(product)) == (0, (True, False))
    figures(last_painted_buyers=BUYERS, painted_sold=1, raw_sold=BUYERS)


def test_control_without_lock_and_guarded_update_the_last_painted_piece_is_sold_many_times(
    monkeypatch, figures
):
    _product, painted, _raw = painted_and_raw()
    change_variant(painted, stock_quantity=1)
    meeting = Meeting(BUYERS)

    def read_then_write(wanted: Mapping[Level, int], before: Mapping[Level, int | None]) -> set[Level]:
        [(kind, pk)] = wanted
        left = before[kind, pk]
        meeting.wait()
        if not left:
            return {(kind, pk)}
        Variant.objects.filter(pk=pk).update(stock_quantity=left - 1)
        return set()

    monkeypatch.setattr(stock, "_lock_products", without_lock)
    monkeypatch.setattr(stock, "_take", read_then_write)
    answers = values(run_concurrently([partial(buy, painted)] * BUYERS))
    sold = sum(units is not None for units in answers)
    assert sold == BUYERS
    figures(control_last_painted_sold=sold)


def test_variants_that_share_the_products_number_never_sell_more(monkeypatch):
    product = make_product(stock_quantity=3)
    rows = [variant_of(product, make_variation(product, name)) for name in ("Petite", "Grande")]
    meet_before_locking(monkeypatch, 2 * BUYERS)
    answers = values(run_concurrently([partial(buy, row) for row in rows for _ in range(BUYERS)]))
    assert sum(units is not None for units in answers) == 3
    product.refresh_from_db()
    assert (product.stock_quantity, state(product)) == (0, (False, False))


def two_last_units() -> tuple[Product, Variant, Variant]:
    product, painted, raw = painted_and_raw(stock_quantity=0)
    for row in (painted, raw):
        change_variant(row, stock_quantity=1)
    assert state(product) == (True, True)
    return product, painted, raw


def take_off_sale(row: Variant) -> None:
    row.in_stock = False
    save_variant(variant=row)


def restock(row: Variant) -> None:
    give_back([StockUnit(row.pk, 1, ("variant", row.pk))])


Moves = list[Callable[[], Any]]
BOTH_SOLD = "both sold"
SOLD_AND_TAKEN_OFF = "sold and taken off sale"
SOLD_AND_RETURNED = "sold and returned"


def moves_of(case: str, painted: Variant, raw: Variant) -> tuple[Moves, tuple[bool, bool]]:
    """What happens at one instant, and what lists must say afterwards."""
    if case == BOTH_SOLD:
        return [partial(buy, painted), partial(buy, raw)], (False, False)
    if case == SOLD_AND_TAKEN_OFF:
        return [partial(buy, painted), partial(take_off_sale, raw)], (False, False)
    assert buy(raw)
    return [partial(buy, painted), partial(restock, raw)], (True, True)


@pytest.fixture
def refreshes(monkeypatch) -> Rendezvous:
    """Tells whether two callers ever work out at the same time what lists say."""
    found = Rendezvous(0.3)
    original = stock.listed_columns

    def together(*shown: Any) -> Any:
        found.enter()
        return original(*shown)

    for module in (stock, products):
        monkeypatch.setattr(module, "listed_columns", together)
    return found


@pytest.mark.parametrize("case", [BOTH_SOLD, SOLD_AND_TAKEN_OFF, SOLD_AND_RETURNED])
def test_lists_are_right_after_the_last_units_of_two_variants_moved_at_one_instant(refreshes, case):
    for _ in range(2):
        product, painted, raw = two_last_units()
        moves, expected = moves_of(case, painted, raw)
        refreshes.together = 0
        values(run_concurrently(moves))
        assert (state(product), refreshes.together) == (expected, 0)


@pytest.mark.parametrize("case", [BOTH_SOLD, SOLD_AND_RETURNED])
def test_control_without_the_lock_of_the_product_lists_are_wrong(monkeypatch, case, figures):
    product, painted, raw = two_last_units()
    # At one price, which neither writes: the second would wait for the first one's row.
    change_product(product, unpainted_price=product.painted_price)
    moves, expected = moves_of(case, painted, raw)
    before, after = Meeting(2), Meeting(2)
    original = stock.refresh_availability

    def together(**keys: Any) -> None:
        before.wait()
        original(**keys)
        after.wait()

    monkeypatch.setattr(stock, "refresh_availability", together)
    monkeypatch.setattr(stock, "_lock_products", without_lock)
    values(run_concurrently(moves))
    assert state(product) == (not expected[0], not expected[1])
    figures(control_case=case, lists_said_available=not expected[0])


def test_holds_in_opposite_orders_returns_and_staff_never_wait_in_a_circle(figures):
    rows = []
    for number in range(4):
        _product, painted, raw = painted_and_raw(f"Pièce {number}", stock_quantity=40)
        rows += [change_variant(painted, stock_quantity=40), raw]
    before = deadlocks()

    def churn(number: int) -> None:
        for step in range(ROUNDS):
            turned = rows[(number + step) % len(rows) :] + rows[: (number + step) % len(rows)]
            held = buy(*(turned if number % 2 else turned[::-1]))
            if held:
                give_back(held[::-1])
            if number % 5 == 0:
                with transaction.atomic():
                    row = Variant.objects.select_related("variation").get(pk=turned[0].pk)
                    Product.objects.select_for_update().get(pk=row.product_id)
                    row.refresh_from_db()
                    save_variant(variant=row)

    values(run_concurrently([partial(churn, number) for number in range(BUYERS)]))
    assert deadlocks() == before
    assert {row.stock_quantity for row in Variant.objects.filter(finish="painted")} == {40}
    assert {row.stock_quantity for row in Product.objects.all()} == {40}
    figures(callers=BUYERS, moves=BUYERS * ROUNDS * 2, deadlocks=0)
