"""Which VAT a sale bears: none (art. 293 B CGI), or that of the country of destination (art. 258 A CGI)."""

from dataclasses import replace
from decimal import Decimal

from django.db.models import Sum

from orders.models import Invoice, InvoiceKind, VatRate
from orders.pricing.vat import ABROAD_IN_UNION, HOME, STANDARD_RATES, Tax, Treatment, split_vat
from shop.core.models import ShopSettings
from shop.core.money import ZERO, quantize

THIS_YEAR, LAST_YEAR = "this_year", "last_year"


def decide_tax(*, country: str, total: Decimal, year: int) -> Tax:
    """Return how a sale of `total` euros to a consumer in `country` is taxed.

    Call it with the year's series locked: two sales that both believe to be the last below the threshold are then
    impossible. The sale that crosses it is taxed at destination, and so are all after it, in the next year too.
    """
    if country in HOME:
        return Tax(Treatment.FRANCHISE, ZERO, total, ZERO)
    if country not in ABROAD_IN_UNION:
        return Tax(Treatment.EXPORT, ZERO, total, ZERO)
    beyond = _beyond(year, total)
    if not beyond:
        return Tax(Treatment.FRANCHISE, ZERO, total, ZERO)
    row = VatRate.objects.filter(country=country).first()
    percent = row.percent if row is not None else STANDARD_RATES[country]
    return replace(split_vat(total, percent), beyond=beyond)


def union_sales(year: int) -> Decimal:
    """Return a year's sales without VAT to consumers of the other countries of the Union, less credit notes."""
    sums = Invoice.objects.filter(year=year, country__in=ABROAD_IN_UNION).aggregate(
        total=Sum("total"), vat=Sum("vat")
    )
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
    taxed = Invoice.objects.filter(
        year=year, kind=InvoiceKind.INVOICE, country__in=ABROAD_IN_UNION, vat__gt=0
    )
    return taxed.filter(data__tax__beyond=THIS_YEAR).exists()
