"""A cart, priced: what the browser asked for, joined with what the catalogue sells now."""

import uuid
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from catalog.selectors.availability import Level
from catalog.selectors.sellables import Sellable, SellableKey, find_sellables
from orders.pricing.promotions import NextFree, Promotion
from orders.pricing.quote import CartLine, Quote, QuoteLine, price_cart
from orders.selectors.destinations import country_code
from orders.selectors.rules import load_pricing_rules, today
from orders.selectors.workshop import queued_units

MAX_LINES = 40
"""With its free units on a row of their own and delivery, such a cart still fits the payment page (100 rows)."""
MAX_QUANTITY = 99


@dataclass(frozen=True, slots=True)
class RequestedLine:
    """A line as the browser sends it. `finish` is "" where none is named."""

    product_id: int
    variation_id: int | None
    finish: str
    quantity: int


@dataclass(frozen=True, slots=True)
class QuotedLine:
    """A line of a quote. One that can't be bought has a `problem`, and counts for nothing.

    `key` is `product:variation:finish` with the defaults filled in. `available_quantity` is how many units could
    be bought, None when there is no limit. `reserved`: units of it are held for who asks. `made_quantity` of its units
    are not in stock.
    """

    key: str
    sellable: Sellable
    quantity: int
    priced: QuoteLine | None
    problem: str | None
    problem_detail: str
    available_quantity: int | None
    reserved: bool = False
    made_quantity: int = 0

    @property
    def available(self) -> bool:
        return self.priced is not None


@dataclass(frozen=True, slots=True)
class _Refusal:
    """Why a line can't be bought, and how many units of it could be."""

    problem: str | None
    detail: str
    left: int | None


@dataclass(frozen=True, slots=True)
class OfferHint:
    """What a pool of lines lacks for its next free units: `pool.missing` more of `suggestion`, the cheapest of its
    `lines` of which so many are left (None: of none), make them free."""

    pool: NextFree
    lines: tuple[QuotedLine, ...]
    suggestion: QuotedLine | None


@dataclass(frozen=True, slots=True)
class CartQuote:
    """`quote` counts the available lines only. `country` is the ISO code of the address that was asked for, that of a
    country named under « Autre » when it is known. `hints` are those of the quote's `next_free`."""

    lines: tuple[QuotedLine, ...]
    quote: Quote
    destination: str | None
    country: str
    postal_code: str
    hints: tuple[OfferHint, ...]

    @property
    def all_available(self) -> bool:
        return all(line.available for line in self.lines)


def quote_cart(
    lines: Sequence[RequestedLine],
    *,
    destination: str | None = None,
    custom_country: str = "",
    postal_code: str = "",
    own: Mapping[Level, int] | None = None,
    own_orders: Collection[uuid.UUID] = (),
    now: datetime | None = None,
) -> CartQuote:
    """Price a cart for an address: its country (ISO 3166-1 alpha-2, ZZ for « Autre » named by `custom_country`, None:
    the shop's own) and its postcode as far as it is known.

    `own` are units that the unpaid `own_orders` of the same customer hold: a new order takes their place, so they count
    as available, and what was to be made for them doesn't delay it. `now` is the moment of the order, whose promotions
    count. Lines that name the same article are joined. Seven queries whatever the size of the cart; one more for pieces
    to make where the workshop's capacity is limited.
    """
    rules = load_pricing_rules()
    found = find_sellables(
        [SellableKey(line.product_id, line.variation_id, line.finish) for line in lines] if lines else [],
        own=own,
        now=now,
    )
    joined = _joined(lines, found)
    stock = _SharedStock()
    accepted: list[CartLine] = []
    refusals: dict[str, _Refusal] = {}
    for key, (sellable, quantity) in joined.items():
        left = stock.left(sellable)
        refusal = _refusal(sellable, quantity, left)
        if refusal is not None:
            refusals[key] = refusal
            continue
        stock.take(sellable, quantity)
        accepted.append(_cart_line(key, sellable, quantity, left))
    country = rules.home_country if destination is None else country_code(destination, custom_country)
    quote = price_cart(
        accepted,
        destination=country,
        postal_code=postal_code,
        rules=rules,
        today=today() if now is None else timezone.localdate(now),
        queued_units=queued_units(rules.workshop, but=own_orders)
        if any(line.made_quantity for line in accepted)
        else 0,
    )
    priced = {line.key: line for line in quote.lines}
    made = {line.key: line.made_quantity for line in accepted}
    bought = _Refusal(None, "", None)
    quoted = tuple(
        QuotedLine(
            key=key,
            sellable=sellable,
            quantity=quantity,
            priced=priced.get(key),
            made_quantity=made.get(key, 0),
            problem=refusals.get(key, bought).problem,
            problem_detail=refusals.get(key, bought).detail,
            available_quantity=refusals[key].left if key in refusals else sellable.available_quantity,
            reserved=sellable.stock_level in (own or {}),
        )
        for key, (sellable, quantity) in joined.items()
    )
    return CartQuote(
        lines=quoted,
        quote=quote,
        destination=destination,
        country=country,
        postal_code=postal_code,
        hints=tuple(_hint(pool, quoted, stock) for pool in quote.next_free),
    )


def _joined(
    lines: Sequence[RequestedLine], found: Mapping[SellableKey, Sellable]
) -> dict[str, tuple[Sellable, int]]:
    joined: dict[str, tuple[Sellable, int]] = {}
    for line in lines:
        sellable = found[SellableKey(line.product_id, line.variation_id, line.finish)]
        key = line_key(sellable)
        before = joined.get(key)
        joined[key] = (sellable, line.quantity + (before[1] if before else 0))
    return joined


def _refusal(sellable: Sellable, quantity: int, left: int | None) -> _Refusal | None:
    problem = sellable.problem
    if problem is None and (sellable.unit_price is None or not sellable.available):
        problem = "out_of_stock"
    if problem is None and quantity > MAX_QUANTITY:
        problem, left = "too_many", MAX_QUANTITY if left is None else min(left, MAX_QUANTITY)
    if problem is None and left is not None and quantity > left:
        problem = "insufficient_stock" if left else "out_of_stock"
    return None if problem is None else _Refusal(problem, problem_text(problem, left), left)


def _cart_line(key: str, sellable: Sellable, quantity: int, left: int | None) -> CartLine:
    assert sellable.unit_price is not None
    return CartLine(
        key=key,
        unit_price=sellable.unit_price,
        quantity=quantity,
        made_quantity=quantity if left is None else 0,
        promotion=Promotion(sellable.buy, sellable.get) if sellable.buy and sellable.get else None,
        production_days_min=sellable.production_days_min,
        production_days_max=sellable.production_days_max,
        weight_grams=sellable.weight_grams,
    )


def _hint(pool: NextFree, lines: Sequence[QuotedLine], stock: "_SharedStock") -> OfferHint:
    own = tuple(line for line in lines if line.key in pool.keys)

    def has_enough(line: QuotedLine) -> bool:
        left = stock.left(line.sellable)
        return (left is None or left >= pool.missing) and line.quantity + pool.missing <= MAX_QUANTITY

    fitting = [line for line in own if line.priced is not None and has_enough(line)]
    suggestion = min(fitting, key=_price_and_key, default=None)
    return OfferHint(pool, own, suggestion)


def _price_and_key(line: QuotedLine) -> tuple[Decimal, str]:
    assert line.priced is not None
    return line.priced.unit_price, line.key


def columns_of(quote: Quote) -> dict[str, Any]:
    """Return what an order keeps of its quote: the sums and the promise."""
    assert quote.lead_time is not None
    return {
        "original_total": quote.original_total,
        "promotion_savings": quote.promotion_savings,
        "subtotal": quote.subtotal,
        "shipping_zone": quote.zone_code,
        "shipping_cost": quote.shipping_cost,
        "total": quote.total,
        "promised_by": quote.lead_time.latest,
        "start_by": quote.lead_time.start_by,
    }


def line_key(sellable: Sellable) -> str:
    """Return the key of a line: `product:variation:finish`, with "" for no variation."""
    return f"{sellable.product_id}:{sellable.variation_id or ''}:{sellable.finish}"


def problem_text(problem: str, left: int | None) -> str:
    """Return the sentence that a customer reads about a line that can't be bought."""
    if problem == "insufficient_stock" and left:
        return ngettext(
            "Il n'en reste qu'un exemplaire.", "Il n'en reste que %(count)d exemplaires.", left
        ) % {"count": left}
    if problem == "too_many":
        return _("Au plus %(count)d exemplaires par article. Écrivez-nous pour une commande plus grande.") % {
            "count": MAX_QUANTITY
        }
    texts = {
        "unknown_product": _("Cette pièce n'est plus au catalogue."),
        "unknown_variation": _("Ce format n'est plus proposé pour cette pièce."),
        "finish_unavailable": _("Cette finition n'est pas proposée pour cette pièce."),
        "out_of_stock": _("Rupture de stock"),
    }
    return texts.get(problem, _("Cette pièce ne peut pas être commandée."))


class _SharedStock:
    """Lines of one cart may draw on one number of units: two finishes of a unique piece, counted with the product."""

    def __init__(self) -> None:
        self._used: Counter[Level] = Counter()

    def left(self, sellable: Sellable) -> int | None:
        """Return units still to be had by this line, None when they are not counted."""
        if sellable.stock_level is None or sellable.available_quantity is None:
            return None
        return max(0, sellable.available_quantity - self._used[sellable.stock_level])

    def take(self, sellable: Sellable, quantity: int) -> None:
        if sellable.stock_level is not None:
            self._used[sellable.stock_level] += quantity
