"""Which VAT a sale bears: none (art. 293 B CGI), the French one, or that of the country of destination (art. 258 A)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from orders.models import Invoice, InvoiceKind, Order, OrderStatus, VatRate
from orders.pricing.shares import share_out
from orders.pricing.territories import Place, VatPosition
from orders.pricing.vat import STANDARD_RATES, RateShare, Tax, Treatment, split_vat, tax_lines, untaxed
from orders.selectors.company_numbers import to_consumers
from orders.selectors.destinations import place_of
from orders.selectors.invoices import first_invoice
from orders.selectors.territories import load_territories
from shop.core.law import HOME_COUNTRY
from shop.core.models import ShopSettings
from shop.core.money import ZERO, from_cents, quantize, to_cents

_NO_EXPORT = (Treatment.FRANCHISE.value, Treatment.DOMESTIC.value, Treatment.DESTINATION.value)
_FRANCE = ("FR", "MC", "GP", "MQ", "GF", "RE", "YT")
THIS_YEAR, LAST_YEAR = "this_year", "last_year"


@dataclass(frozen=True, slots=True)
class SoldLine:
    """What a line costs, VAT included, and the category that its rate depends on (None: the country's own rate)."""

    total: Decimal
    category_id: int | None = None


def decide_tax(
    *, place: Place, lines: Sequence[SoldLine], shipping: Decimal, day: date, to_business: bool = False
) -> Tax:
    """Return how a sale of a day to `place` is taxed. One to a business is no distance sale, which art. 258 A is about,
    and is taxed at home.

    Call it with the year's series locked: two sales that both believe to be the last below the threshold are then
    impossible. The sale that crosses it is taxed at destination, and so are all after it, in the next year too.
    """
    total = sum((line.total for line in lines), shipping)
    is_liable = ShopSettings.load().is_vat_liable(day)
    if place.vat == VatPosition.OUTSIDE:
        return untaxed(Treatment.EXPORT, total, is_liable=is_liable)
    is_distant = place.vat == VatPosition.UNION and not to_business
    if not is_liable:
        beyond = _beyond(day.year, total) if is_distant else ""
        if not beyond:
            return untaxed(Treatment.FRANCHISE, total)
        return _taxed(Treatment.DESTINATION, place, lines, shipping, day, beyond=beyond)
    at_home = _taxed(Treatment.DOMESTIC, None, lines, shipping, day, is_liable=True)
    beyond = _beyond(day.year, at_home.net) if is_distant else ""
    if not beyond:
        return at_home
    return _taxed(Treatment.DESTINATION, place, lines, shipping, day, is_liable=True, beyond=beyond)


def _taxed(
    treatment: Treatment,
    place: Place | None,
    lines: Sequence[SoldLine],
    shipping: Decimal,
    day: date,
    **values: Any,
) -> Tax:
    """At the rates of a place, of France for None."""
    rates = _Rates(place, day)
    return tax_lines(
        treatment, [(line.total, rates.of(line.category_id)) for line in lines], shipping=shipping, **values
    )


class _Rates:
    """The rates of a place on a day. One query."""

    def __init__(self, place: Place | None, day: date) -> None:
        country = HOME_COUNTRY if place is None else place.country
        self._own = None if place is None else place.vat_percent
        self._standard = STANDARD_RATES.get(country, ZERO)
        self._of_category: dict[int | None, Decimal] = {}
        for row in VatRate.objects.filter(country=country, starts_on__lte=day).order_by("starts_on"):
            self._of_category[row.category_id] = row.percent

    @property
    def lowest(self) -> Decimal:
        """The lowest rate of any goods there."""
        return min([self.of(None), *self._of_category.values()])

    def of(self, category_id: int | None) -> Decimal:
        """Return the rate of goods of a category. A territory's own rate counts for all of them."""
        if self._own is not None:
            return self._own
        standard = self._of_category.get(None, self._standard)
        return self._of_category.get(category_id, standard)


def tax_of_credit(
    charged: dict[str, Any],
    lines: Sequence[tuple[Decimal, Decimal]],
    *,
    shipping: Decimal,
    shipped_with: Sequence[tuple[Decimal, Decimal]],
    left: Sequence[RateShare],
    total: Decimal,
) -> Tax:
    """Return the tax of what is given back of a document whose frozen tax is `charged`; `lines` are (total, percent).
    `left` is what its credit notes left at each rate, `shipped_with` says which rates the delivery bears.

    It bears what was charged on it, whatever threshold, regime and rates say today.
    """
    treatment, is_liable = Treatment(charged["treatment"]), charged.get("regime") == LIABLE
    if not treatment.is_taxed:
        return untaxed(treatment, total, is_liable=is_liable)
    return tax_lines(
        treatment,
        lines,
        shipping=shipping,
        shipped_with=shipped_with,
        left=left,
        is_liable=is_liable,
        beyond=charged.get("beyond", ""),
    )


LIABLE = "liable"
"""What a document's frozen tax says as its `regime` when the seller was liable for VAT; else it says none."""


def tax_rates(tax: dict[str, Any]) -> list[RateShare]:
    """Return a document's frozen tax by rate; one share at 0 % without VAT. Positive amounts, of credit notes too."""
    rates = tax.get("rates")
    if rates is None:
        percent, net, vat = (Decimal(tax[name]) for name in ("percent", "net", "vat"))
        return [RateShare(percent, net, vat, Decimal(tax.get("shipping_net", "0")))]
    return [
        RateShare(*(Decimal(rate[name]) for name in ("percent", "net", "vat", "shipping_net")))
        for rate in rates
    ]


def net_lines(data: dict[str, Any]) -> Iterator[tuple[dict[str, Any], Decimal]]:
    """Return each line of a document's frozen content with its total without VAT, euros."""
    nets = data["tax"].get("line_nets") or [line["total"] for line in data["lines"]]
    return zip(data["lines"], map(Decimal, nets), strict=True)


def share_by_rate(amount: Decimal, rates: Sequence[RateShare]) -> list[Decimal]:
    """Share a positive or negative amount out over rates, in proportion to what each bears."""
    sign = -1 if amount < 0 else 1
    if len(rates) == 1:
        return [amount]
    return [
        sign * from_cents(cents)
        for cents in share_out(to_cents(abs(amount)), [to_cents(rate.total) for rate in rates])
    ]


def lacks_oss_number(*, place: Place, total: Decimal, day: date) -> bool:
    """Return whether a sale to a consumer at `place` would be declared to the one-stop shop, which has no registration
    of that day.

    What is sold before the registration counts is declared in each country instead (regulation (EU) 282/2011, 57d).
    Unpaid orders to the Union count as sold: each may be paid before this one. Like the threshold, all count without
    the VAT that prices of a liable seller include: at the lowest rate of France, so that none is counted for less than
    it will be. No query but for another country of the Union without a registration; then up to five.
    """
    if place.vat != VatPosition.UNION or ShopSettings.load().is_oss_registered(day):
        return False
    territories = load_territories()
    totals = [total] + [
        order.total
        for order in Order.objects.filter(status=OrderStatus.PENDING, billing_company_number="").exclude(
            country__in=_FRANCE
        )
        if place_of(order, territories).vat == VatPosition.UNION
    ]
    if ShopSettings.load().is_vat_liable(day):
        lowest = _Rates(None, day).lowest
        totals = [split_vat(each, lowest).net for each in totals]
    return bool(_beyond(day.year, sum(totals, ZERO)))


def is_oss_number_needed(day: date) -> bool:
    """Return whether every further sale to another country of the Union is refused for want of a registration."""
    return not ShopSettings.load().is_oss_registered(day) and bool(_beyond(day.year, from_cents(1)))


def against_threshold(year: int, more: Decimal = ZERO) -> tuple[Decimal, str]:
    """Return a year's sales without VAT to consumers of other countries of the Union, less credit notes, and why one of
    `more` would be taxed at destination: the threshold is passed this year, was passed the year before, or "". Up to
    two queries."""
    threshold = ShopSettings.load().eu_sales_threshold
    sold, was_passed = _sums_of(year)
    if was_passed or sold + more > threshold:
        return sold, THIS_YEAR
    before, was_passed = _sums_of(year - 1)
    return sold, LAST_YEAR if was_passed or before > threshold else ""


def _beyond(year: int, more: Decimal) -> str:
    return against_threshold(year, more)[1]


def _sums_of(year: int) -> tuple[Decimal, bool]:
    """A year's sales, and whether one of them passed the threshold: the year stays beyond it though that sale without
    its VAT stays below, or a credit note brings the sum back."""
    crossing = Q(kind=InvoiceKind.INVOICE, data__tax__beyond=THIS_YEAR)
    sums = _sold_in_union(year).aggregate(
        total=Sum("total"), vat=Sum("vat"), crossing=Count("pk", filter=crossing)
    )
    return quantize((sums["total"] or ZERO) - (sums["vat"] or ZERO)), sums["crossing"] > 0


def _sold_in_union(year: int) -> QuerySet[Invoice]:
    """The documents of a year's sales, whenever they were issued: what is credited or issued anew later is no sale of
    that later year. As each sale was taxed: the Canary Islands are Spain, but no sale in the Union."""
    sales = Invoice.objects.filter(first_invoice(), to_consumers(), year=year)
    documents = Invoice.objects.filter(order__in=sales.values("order"))
    return documents.filter(data__tax__treatment__in=_NO_EXPORT).exclude(country__in=_FRANCE)
