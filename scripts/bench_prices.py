#!/usr/bin/env python
"""A second calculation of carts, written apart from the shop's, compared on random ones: `bench_prices.py [carts]`.

Prices under percent and amount reductions of random variants, free units of random offers, delivery and totals, in
whole cents and unit by unit. Stops at the first cart on which the two differ.
"""

from __future__ import annotations

import os
import random
import sys
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from time import perf_counter
from typing import Any

import django

DAY = date(2026, 11, 27)
NOW = datetime(2026, 11, 27, 8, 0, tzinfo=UTC)
OFFERS = ((2, 1), (3, 1), (4, 3), (5, 2), (1, 1))
CHUNK = 10_000


def check_carts(seed: int, count: int) -> int:
    """Compare so many random carts; returns how many units were free."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from catalog import pricing
    from catalog.models import Category, Product, ProductVariation, Promotion, Variant
    from catalog.pricing import ProductPromotion
    from orders.pricing import promotions as orders_promotions
    from orders.pricing.quote import CartLine
    from orders.pricing.tests.carts import quote

    dice = random.Random(seed)  # noqa: S311 - nothing secret
    # Rows take longer to make than to fill.
    product = Product(pk=1, category=Category(slug="bust", offers_finishes=True, offers_formats=True))
    variation = ProductVariation(pk=1)
    variant = Variant(product=product, variation=variation, finish="painted")
    rows = [Promotion(pk=key) for key in (1, 2, 3)]
    free_in_all = 0

    def cents(amount: int) -> Decimal:
        return Decimal(amount).scaleb(-2)

    def applied(key: int) -> tuple[ProductPromotion, tuple[Any, ...]]:
        """A promotion as the shop knows it, and the plain facts: is chosen, start, end, what it does."""
        start = dice.choice((None, -90, -1, 0, 1, 90))
        end = None if dice.random() < 0.5 else (start or 0) + dice.choice((1, 60, 500))
        does: tuple[str, Any] = dice.choice((
            ("percent", dice.randint(1, 99)), ("amount", dice.randint(1, 20_000)), ("buy", dice.choice(OFFERS)),
        ))  # fmt: skip
        buy, get = does[1] if does[0] == "buy" else (None, None)
        row = rows[key - 1]
        row.type = {"buy": "buy_n_get_m"}.get(does[0], does[0])
        row.buy_quantity, row.get_quantity = buy, get
        row.percent = does[1] if does[0] == "percent" else None
        row.amount = cents(does[1]) if does[0] == "amount" else None
        row.starts_at = None if start is None else NOW + timedelta(seconds=start)
        row.ends_at = None if end is None else NOW + timedelta(seconds=end)
        is_chosen = dice.random() < 0.5
        return ProductPromotion(row, is_chosen), (is_chosen, start, end, key, does)

    for _ in range(count):
        lines: list[CartLine] = []
        plain: list[tuple[str, int, int, tuple[int, int] | None]] = []
        for number in range(dice.randint(1, 6)):
            # A variant: its own price, else its format's, else the finish's with the format's difference.
            base, finish, difference = dice.randint(0, 30_000), dice.randint(0, 30_000), dice.randint(0, 3000)
            own = dice.choice((None, None, dice.randint(0, 30_000)))
            fixed = dice.choice((None, None, dice.randint(0, 30_000)))
            full = own if own is not None else fixed if fixed is not None else finish + difference
            product.price, product.painted_price = cents(base), cents(finish)
            variation.price_adjustment = cents(difference)
            variation.price_override = None if fixed is None else cents(fixed)
            variant.price = None if own is None else cents(own)
            found = [applied(key) for key in range(1, dice.randint(1, 4))]
            running = [
                facts for _row, facts in found
                if (facts[1] is None or facts[1] <= 0) and (facts[2] is None or facts[2] > 0)
            ]  # fmt: skip
            running.sort(key=lambda facts: (facts[0], -(10**9) if facts[1] is None else facts[1], facts[3]))
            value: Any
            kind, value = running[-1][4] if running else ("", None)
            price = full
            if kind == "percent":
                price = min(full, max(1, (full * (100 - value) * 2 + 100) // 200))
            elif kind == "amount":
                price = min(full, max(1, full - value))
            promotion = pricing.running_promotion([row for row, _facts in found], NOW)
            charged = pricing.unit_price(product, variant, promotion)
            assert charged is not None
            offered = promotion.quantities if promotion is not None else None
            key, quantity = f"{number:02}", dice.randint(1, 9)
            lines.append(CartLine(
                key=key, unit_price=charged, quantity=quantity, made_quantity=quantity,
                promotion=orders_promotions.Promotion(offered.buy, offered.get) if offered else None,
                production_days_min=1, production_days_max=2,
            ))  # fmt: skip
            plain.append((key, price, quantity, value if kind == "buy" else None))
        # Unit by unit: the cheapest of each pool are free.
        units = [(offer, price, key) for key, price, quantity, offer in plain for _unit in range(quantity)]
        free: list[tuple[int, str]] = []
        for offer in {unit[0] for unit in units if unit[0]}:
            pool = sorted((price, key) for of, price, key in units if of == offer)
            free += pool[: len(pool) // sum(offer) * offer[1]]
        goods = sum(price for _offer, price, _key in units)
        saved = sum(price for price, _key in free)
        priced = quote(*lines)
        answer = (
            [int(line.unit_price * 100) for line in priced.lines], [line.free_quantity for line in priced.lines],
            int(priced.original_total * 100), int(priced.promotion_savings * 100), int(priced.subtotal * 100),
            int(priced.total * 100),
        )  # fmt: skip
        delivery = 0 if goods - saved >= 5000 else 999
        expected = (
            [price for _key, price, _quantity, _offer in plain],
            [sum(key == given for _price, given in free) for key, *_rest in plain],
            goods, saved, goods - saved, goods - saved + delivery,
        )  # fmt: skip
        if answer != expected:
            raise SystemExit(f"Seed {seed}: {answer} is not {expected}.\n{lines}")
        free_in_all += len(free)
    return free_in_all


def main() -> None:
    """Spread the carts over this machine's processors."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    began = perf_counter()
    seeds = range(-(-count // CHUNK))
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as workers:
        free = sum(workers.map(check_carts, seeds, [CHUNK] * len(seeds)))
    seconds = perf_counter() - began
    print(f"{len(seeds) * CHUNK:,} carts, {free:,} free units, no difference; {seconds:.0f} s")


if __name__ == "__main__":
    main()
