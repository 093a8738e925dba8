"""Which VAT a sale bears: none (art. 293 B CGI), or that of the country of destination (art. 258 A CGI)."""

from dataclasses import replace
from decimal import Decimal

from django.db.models import QuerySet, Sum

from orders.models import Invoice, InvoiceKind, VatRate
from orders.pricing.territories import Place, VatPosition
from orders.pricing.vat import STANDARD_RATES, Tax, Treatment, split_vat
from shop.core.models import ShopSettings
from shop.core.money import ZERO, quantize

_NO_EXPORT = (Treatment.FRANCHISE.value, Treatment.DESTINATION.value)
_FRANCE = ("FR", "MC", "GP", "MQ", "GF", "RE", "YT")
THIS_YEAR, LAST_YEAR = "this_year", "last_year"


def decide_tax(*, place: Place, total: Decimal, year: int) -> Tax:
    """Return how a sale of `total` euros to a consumer at `place` is taxed.

    Call it with the year's series locked: two sales that both believe to be the last below the threshold are then
    impossible. The sale that crosses it is taxed at destination, and so are all after it, in the next year too.
    """
    if place.vat == VatPosition.HOME:
        return Tax(Treatment.FRANCHISE, ZERO, total, ZERO)
    if place.vat == VatPosition.OUTSIDE:
        return Tax(Treatment.EXPORT, ZERO, total, ZERO)
    beyond = _beyond(year, total)
    if not beyond:
        return Tax(Treatment.FRANCHISE, ZERO, total, ZERO)
    return replace(split_vat(total, _percent(place)), beyond=beyond)


def _percent(place: Place) -> Decimal:
    if place.vat_percent is not None:
        return place.vat_percent
    row = VatRate.objects.filter(country=place.country).first()
    return row.percent if row is not None else STANDARD_RATES[place.country]


def union_sales(year: int) -> Decimal:
    """Return a year's sales without VAT to consumers of the other countries of the Union, less credit notes."""
    sums = _sold_in_union(year).aggregate(total=Sum("total"), vat=Sum("vat"))
    return quantize((sums["total"] or ZERO) - (sums["vat"] or ZERO))


def _beyond(year: int, total: Decimal) -> str:
    threshold = ShopSettings.load().eu_sales_threshold
    if _was_passed(year) or union_sales(year) + total > threshold:
        return THIS_YEAR
    if _was_passed(year - 1) or union_sales(year - 1) > threshold:
        return LAST_YEAR
    return ""


def _was_passed(year: int) -> bool:
    """A credit note may bring the sum back below the threshold; the year stays beyond it."""
    taxed = _sold_in_union(year).filter(kind=InvoiceKind.INVOICE, vat__gt=0)
    return taxed.filter(data__tax__beyond=THIS_YEAR).exists()


def _sold_in_union(year: int) -> QuerySet[Invoice]:
    """As each sale was taxed: the Canary Islands are Spain, but no sale in the Union."""
    return Invoice.objects.filter(year=year, data__tax__treatment__in=_NO_EXPORT).exclude(country__in=_FRANCE)
