"""The VAT that prices include: standard rates, and a sale split by rate.

Pure: no database, no clock. Whose VAT a place has: `orders.pricing.territories`. Whether a sale bears VAT at all
depends on the seller's regime and the year's sales: `orders.invoices.tax`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from orders.pricing.shares import share_out
from shop.core.money import ZERO, from_cents, quantize, to_cents

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
    """Exempt small business (art. 293 B CGI), French VAT, VAT of the country of destination (art. 258 A CGI), or export
    without VAT (art. 262 I CGI)."""

    FRANCHISE = "franchise"
    DOMESTIC = "domestic"
    DESTINATION = "destination"
    EXPORT = "export"

    @property
    def is_taxed(self) -> bool:
        """Whether prices include VAT."""
        return self in (Treatment.DOMESTIC, Treatment.DESTINATION)


@dataclass(frozen=True, slots=True)
class RateShare:
    """What a document bears at one rate: `net` and `vat` euros, of which `shipping_net` is delivery."""

    percent: Decimal
    net: Decimal
    vat: Decimal
    shipping_net: Decimal = ZERO

    @property
    def total(self) -> Decimal:
        return self.net + self.vat


@dataclass(frozen=True, slots=True)
class Tax:
    """How a sale is taxed. Prices include `vat` euros; it is 0 unless the treatment is taxed.

    `rates` has a share for each rate, the highest first; `line_percents` and `line_nets` are those of each line; all
    are empty without VAT. `is_liable`: the seller was liable for VAT. `beyond` says why a sale is taxed at destination:
    the threshold was passed this year, or the year before.
    """

    treatment: Treatment
    net: Decimal
    vat: Decimal
    rates: tuple[RateShare, ...] = ()
    line_percents: tuple[Decimal, ...] = ()
    line_nets: tuple[Decimal, ...] = ()
    is_liable: bool = False
    beyond: str = ""

    @property
    def percent(self) -> Decimal:
        """The rate of a sale that has one; 0 without VAT and where there are several."""
        return self.rates[0].percent if len(self.rates) == 1 else ZERO


def untaxed(treatment: Treatment, total: Decimal, *, is_liable: bool = False) -> Tax:
    """Return the tax of a sale without VAT."""
    return Tax(treatment, total, ZERO, is_liable=is_liable)


def split_vat(total: Decimal, percent: Decimal) -> RateShare:
    """Split a price into net and VAT, which add up to it to the cent."""
    net = quantize(total / (1 + percent / 100))
    return RateShare(percent, net, total - net)


def _take(total: Decimal, left: RateShare) -> RateShare:
    """Split what is taken of `left` so that the rest is split as if it stood alone: parts taken one after the other add
    up to the whole, and the last one takes what rounding left."""
    rest = split_vat(left.total - total, left.percent)
    net = min(max(left.net - rest.net, ZERO), total)
    return RateShare(left.percent, net, total - net)


def tax_lines(
    treatment: Treatment,
    lines: Sequence[tuple[Decimal, Decimal]],
    *,
    shipping: Decimal,
    shipped_with: Sequence[tuple[Decimal, Decimal]] | None = None,
    left: Sequence[RateShare] = (),
    is_liable: bool = False,
    beyond: str = "",
) -> Tax:
    """Take the VAT out of lines of (total, percent) and of their delivery.

    Delivery follows the goods: it is shared out over the rates in proportion to what is sold at each, or to
    `shipped_with` of (total, percent). VAT is rounded once a rate, or taken of what is `left` at it; the nets of lines
    and delivery add up to that of their rate, nets and VAT to the total.
    Raises ValueError when there is delivery and no line.
    """
    parcel = lines if shipped_with is None else shipped_with
    percents = sorted({percent for _total, percent in (*lines, *parcel)}, reverse=True)
    sold = [_sum_at(rate, lines) for rate in percents]
    weights = [to_cents(_sum_at(rate, parcel)) for rate in percents]
    if not any(weights):
        # All units are free: the delivery alone bears the highest rate.
        weights = [int(index == 0) for index in range(len(percents))]
    of_rate = {rate.percent: rate for rate in left}
    parts = [from_cents(cents) for cents in share_out(to_cents(shipping), weights)]
    nets = [ZERO] * len(lines)
    rates = []
    for percent, goods, part in zip(percents, sold, parts, strict=True):
        places = [index for index, (_total, each) in enumerate(lines) if each == percent]
        if not places and not part:
            continue
        total = goods + part
        share = _take(total, of_rate[percent]) if left else split_vat(total, percent)
        cents = [to_cents(lines[index][0]) for index in places]
        *of_lines, of_shipping = map(from_cents, share_out(to_cents(share.net), [*cents, to_cents(part)]))
        for index, net in zip(places, of_lines, strict=True):
            nets[index] = net
        rates.append(RateShare(percent, share.net, share.vat, of_shipping))
    return Tax(
        treatment,
        net=sum((rate.net for rate in rates), ZERO),
        vat=sum((rate.vat for rate in rates), ZERO),
        rates=tuple(rates),
        line_percents=tuple(percent for _total, percent in lines),
        line_nets=tuple(nets),
        is_liable=is_liable,
        beyond=beyond,
    )


def _sum_at(rate: Decimal, lines: Sequence[tuple[Decimal, Decimal]]) -> Decimal:
    return sum((total for total, percent in lines if percent == rate), ZERO)
