"""Credit notes that give a whole sale back, in whatever parts, give back its net and its VAT at each rate."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from orders.invoices.content import tax_data
from orders.invoices.credit_content import uncredited_of, with_rates
from orders.invoices.tax import tax_of_credit, tax_rates
from orders.pricing.vat import Treatment, tax_lines
from shop.core.money import ZERO, from_cents, to_cents

PERCENTS = [Decimal("20.00"), Decimal("5.50"), Decimal("19.00"), Decimal("25.50")]
AMOUNTS = st.integers(0, 9999).map(from_cents)
SOLD = st.lists(st.tuples(AMOUNTS, st.sampled_from(PERCENTS)), min_size=1, max_size=4)


@given(SOLD, AMOUNTS, st.integers(1, 6), st.data())
def test_credit_notes_of_a_whole_sale_add_up_to_it_at_each_rate(sold, shipping, count, data):
    charged = {
        "lines": [row(total, item=number) for number, (total, _percent) in enumerate(sold)],
        "tax": tax_data(tax_lines(Treatment.DOMESTIC, sold, shipping=shipping)),
    }
    goods, notes = [total for total, _percent in sold], []
    left = sum(goods, shipping)
    for number in range(count):
        is_last = number == count - 1
        # Of each line and of the delivery a part, then a gesture; the last note takes what is left.
        taken = []
        for place, total in enumerate(goods):
            part = min(total if is_last else part_of(total, data), left)
            goods[place] -= part
            left -= part
            taken.append(part)
        delivery = min(shipping if is_last else part_of(shipping, data), left)
        shipping -= delivery
        left -= delivery
        gesture = left if is_last else part_of(left, data) if data.draw(st.booleans()) else ZERO
        left -= gesture
        lines = [row(part, item=place) for place, part in enumerate(taken) if part]
        if lines or delivery or gesture:
            notes.append(credit(charged, notes, lines, delivery, gesture))
    returned: defaultdict[Decimal, list[Decimal]] = defaultdict(lambda: [ZERO, ZERO])
    for rate in (rate for note in notes for rate in tax_rates(note["tax"])):
        assert rate.net >= 0 <= rate.vat
        returned[rate.percent][0] += rate.net
        returned[rate.percent][1] += rate.vat
    for rate in tax_rates(charged["tax"]):
        assert returned[rate.percent] == [rate.net, rate.vat]


def credit(
    charged: dict[str, Any],
    notes: list[dict[str, Any]],
    lines: list[dict[str, Any]],
    delivery: Decimal,
    gesture: Decimal,
) -> dict[str, Any]:
    left = uncredited_of(charged, notes)
    amount = sum((total for total, _percent in with_rates(charged, lines)), delivery + gesture)
    totals = left.within(with_rates(charged, lines))
    lines = [{**line, "total": str(total)} for line, total in zip(lines, totals, strict=True)]
    if rest := amount - delivery - sum(totals, ZERO):
        beside = with_rates(charged, lines)
        beside += left.share(delivery, beside, is_delivery=True)
        lines += [row(part, percent=f"{percent}") for part, percent in left.share(rest, beside) if part]
    if not lines:
        shares = left.share(delivery, [], is_delivery=True)
        lines = [row(part, percent=f"{percent}", is_shipping=True) for part, percent in shares if part]
        delivery = ZERO
    sums = with_rates(charged, lines)
    tax = tax_of_credit(
        charged["tax"],
        sums,
        shipping=delivery,
        shipped_with=left.share(delivery, sums, is_delivery=True),
        left=left.rates,
        total=amount,
    )
    assert tax.net + tax.vat == amount
    return {"lines": lines, "tax": tax_data(tax)}


def row(total: Decimal, *, item: int | None = None, **values: Any) -> dict[str, Any]:
    return {"item": item, "total": str(total), **values}


def part_of(total: Decimal, data: st.DataObject) -> Decimal:
    return from_cents(data.draw(st.integers(0, to_cents(total))))
