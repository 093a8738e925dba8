"""VAT by destination: standard rates, and the VAT that a price includes.

Pure: no database, no clock. Whose VAT a place has: `orders.pricing.territories`. Whether a sale bears VAT at all
depends on the year's sales: `orders.invoices.tax`.
"""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from shop.core.money import quantize

STANDARD_RATES: dict[str, Decimal] = {
    code: Decimal(percent)
    for code, percent in (
        ("AT", "20"), ("BE", "21"), ("BG", "20"), ("CY", "19"), ("CZ", "21"), ("DE", "19"), ("DK", "25"),
        ("EE", "24"), ("ES", "21"), ("FI", "25.5"), ("FR", "20"), ("GR", "24"), ("HR", "25"), ("HU", "27"),
        ("IE", "23"), ("IT", "22"), ("LT", "21"), ("LU", "17"), ("LV", "21"), ("MT", "18"), ("NL", "21"),
        ("PL", "23"), ("PT", "23"), ("RO", "21"), ("SE", "25"), ("SI", "22"), ("SK", "23"),
    )
}  # fmt: skip
"""What the shop starts with; operators keep the `VatRate` rows up to date, and these answer for a deleted one."""


class Treatment(StrEnum):
    """Exempt small business (art. 293 B CGI), VAT of the country of destination, or export without VAT."""

    FRANCHISE = "franchise"
    DESTINATION = "destination"
    EXPORT = "export"


@dataclass(frozen=True, slots=True)
class Tax:
    """How a sale is taxed. Prices include `vat` euros at `percent`; both are 0 unless taxed at destination.

    `beyond` says why it is: the threshold was passed this year, or the year before.
    """

    treatment: Treatment
    percent: Decimal
    net: Decimal
    vat: Decimal
    beyond: str = ""


def split_vat(total: Decimal, percent: Decimal) -> Tax:
    """Split a price into net and VAT, which add up to it to the cent."""
    net = quantize(total / (1 + percent / 100))
    return Tax(Treatment.DESTINATION, percent, net, total - net)
