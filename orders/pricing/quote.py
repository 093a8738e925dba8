"""The one place where a total is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from orders.pricing import installments
from orders.pricing.delivery import LeadTime, Route, Workshop, christmas_eve, last_order_day, lead_time
from orders.pricing.installments import Installment
from orders.pricing.promotions import NextFree, Promotion, free_units, units_missing_for_next
from orders.pricing.shipping import ShippingZone, find_zone, free_shipping_missing, shipping_cost
from orders.pricing.territories import Place, Territory, find_place
from shop.core.money import from_cents, to_cents


@dataclass(frozen=True, slots=True)
class CartLine:
    """What one line of a cart asks for, at the price the catalogue gives now.

    `key` names the line and is unique in the cart. `made_quantity` of its units are not in stock. Production days are
    the product's own, else the shop's default. `weight_grams` is that of one packed unit, None when nobody weighed it.
    """

    key: str
    unit_price: Decimal
    quantity: int
    made_quantity: int
    promotion: Promotion | None
    production_days_min: int
    production_days_max: int
    weight_grams: int | None = None


@dataclass(frozen=True, slots=True)
class PricingRules:
    """What the shop has set: zones, first match wins, installments, and when the workshop works.

    `home_country` is where a cart goes that has no destination yet; `default_weight_grams` is what a unit of unknown
    weight counts for.
    """

    zones: tuple[ShippingZone, ...]
    fallback_zone: ShippingZone
    home_country: str
    installments_enabled: bool
    installments_minimum: Decimal
    workshop: Workshop
    territories: tuple[Territory, ...] = ()
    default_weight_grams: int = 0


@dataclass(frozen=True, slots=True)
class QuoteLine:
    """A priced line: `gross` = unit price x quantity, `line_total` = gross - savings, savings = its free
    units."""

    key: str
    unit_price: Decimal
    quantity: int
    free_quantity: int
    gross: Decimal
    savings: Decimal
    line_total: Decimal


@dataclass(frozen=True, slots=True)
class InstallmentOffer:
    """Whether the cart may be paid in parts, from which total, and the parts.

    `plan` is filled as soon as the total reaches the minimum, even while the shop doesn't offer installments;
    only `available` says that they may be chosen.
    """

    available: bool
    minimum: Decimal
    plan: tuple[Installment, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """A priced cart; lines in the order they came.

    Always holds, to the cent: subtotal = sum of line totals = original_total - promotion_savings;
    total = subtotal + shipping_cost; the parts of an installment plan add up to total; no figure is negative.

    `christmas_until` is the last day on which this cart can be ordered for a delivery before Christmas; None out of
    season and when it is too late.
    `free_shipping_missing` is 0.00 once delivery is free and None where no subtotal makes it free.
    """

    lines: tuple[QuoteLine, ...]
    item_count: int
    original_total: Decimal
    promotion_savings: Decimal
    subtotal: Decimal
    place: Place
    zone_code: str
    shipping_cost: Decimal
    total: Decimal
    free_shipping_missing: Decimal | None
    next_free: tuple[NextFree, ...]
    lead_time: LeadTime | None
    christmas_until: date | None
    installments: InstallmentOffer


def price_cart(
    lines: Sequence[CartLine],
    *,
    destination: str | None,
    postal_code: str = "",
    rules: PricingRules,
    today: date,
    queued_units: int = 0,
) -> Quote:
    """Price a cart sent to a country, and to a postcode of it where one is known.

    `destination` is an upper-case ISO 3166-1 alpha-2 code, None for the home country; any text that no zone
    lists gets the fallback zone. `today` is the day of the order where the shop is, `queued_units` what it had to make
    before. Free units weigh as much as the others.

    Lines are expected to be validated: a quantity below 1, a negative or fractional-cent price, production
    days out of order or a repeated key raises `ValueError`.
    """
    _refuse_invalid(lines)
    free = free_units(lines)
    priced = tuple(_price_line(line, free[line.key]) for line in lines)
    item_count = sum(line.quantity for line in lines)
    original_cents = sum(to_cents(line.gross) for line in priced)
    savings_cents = sum(to_cents(line.savings) for line in priced)
    subtotal_cents = original_cents - savings_cents
    subtotal = from_cents(subtotal_cents)

    weight = sum(
        (rules.default_weight_grams if line.weight_grams is None else line.weight_grams) * line.quantity
        for line in lines
    )
    place = find_place(
        rules.home_country if destination is None else destination, postal_code, rules.territories
    )
    zone = find_zone(place, rules.zones, rules.fallback_zone)
    route = Route(zone, place.country, rules.workshop, queued_units)
    eve = christmas_eve(today)
    shipping_cents = to_cents(shipping_cost(zone, subtotal, item_count, weight))
    total = from_cents(subtotal_cents + shipping_cents)
    return Quote(
        lines=priced,
        item_count=item_count,
        original_total=from_cents(original_cents),
        promotion_savings=from_cents(savings_cents),
        subtotal=subtotal,
        place=place,
        zone_code=zone.code,
        shipping_cost=from_cents(shipping_cents),
        total=total,
        free_shipping_missing=free_shipping_missing(zone, subtotal, weight),
        next_free=units_missing_for_next(lines),
        lead_time=lead_time(lines, route, today=today),
        christmas_until=None if eve is None else last_order_day(lines, route, by=eve, today=today),
        installments=_offer_installments(total, rules, today),
    )


def _refuse_invalid(lines: Sequence[CartLine]) -> None:
    if len({line.key for line in lines}) != len(lines):
        raise ValueError("Two lines of the cart have the same key.")
    for line in lines:
        if line.quantity < 1:
            raise ValueError(f"Line {line.key}: the quantity is {line.quantity}, not at least 1.")
        if not 0 <= line.made_quantity <= line.quantity:
            raise ValueError(f"Line {line.key}: {line.made_quantity} of {line.quantity} units can't be made.")
        if to_cents(line.unit_price) < 0:
            raise ValueError(f"Line {line.key}: the price {line.unit_price} is negative.")
        if not 0 <= line.production_days_min <= line.production_days_max:
            raise ValueError(f"Line {line.key}: production days are out of order.")


def _price_line(line: CartLine, free_quantity: int) -> QuoteLine:
    unit_cents = to_cents(line.unit_price)
    return QuoteLine(
        key=line.key,
        unit_price=from_cents(unit_cents),
        quantity=line.quantity,
        free_quantity=free_quantity,
        gross=from_cents(unit_cents * line.quantity),
        savings=from_cents(unit_cents * free_quantity),
        line_total=from_cents(unit_cents * (line.quantity - free_quantity)),
    )


def _offer_installments(total: Decimal, rules: PricingRules, today: date) -> InstallmentOffer:
    reached = installments.reaches_minimum(total, rules.installments_minimum)
    return InstallmentOffer(
        available=reached and rules.installments_enabled,
        minimum=rules.installments_minimum,
        plan=installments.plan(total, today) if reached else (),
    )
