"""Where a parcel goes, as VAT, customs and carriers see it: one answer for a country and a postcode.

Inside the Union two areas differ. The VAT area leaves out the territories of art. 6 of Directive 2006/112/EC and takes
in those of art. 7; the customs area is that of art. 4 of Regulation (EU) 952/2013. A parcel between them needs a
customs declaration and bears import taxes if it leaves either.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache

from orders.pricing.vat import STANDARD_RATES
from shop.core.law import HOME_COUNTRY

UNION = frozenset(STANDARD_RATES)
"""Member states (ISO 3166-1). Which of their territories differ is said by rows: `Territory`."""

_SEPARATORS = re.compile(r"([\s.\-]+)")
_SIGN = re.compile(r"[A-Z]{1,3}")


class VatPosition(StrEnum):
    """The seller's own country, another member state, or outside the Union's VAT area (Directive 2006/112/EC, 5-7)."""

    HOME = "home"
    UNION = "union"
    OUTSIDE = "outside"


class PostcodesInvalid(ValueError):
    """A part of a list of postcodes can't be read; `part` is that part as it was written."""

    def __init__(self, part: str) -> None:
        super().__init__(f"“{part}” is neither the beginning of a postcode nor a range of them.")
        self.part = part


@dataclass(frozen=True, slots=True)
class PostcodeRange:
    """Postcodes that begin with `first`, with `last`, or with anything between; both are equally long."""

    first: str
    last: str

    def matches(self, postcode: str) -> bool:
        return self.first <= postcode[: len(self.first)] <= self.last and len(postcode) >= len(self.first)

    def overlaps(self, other: PostcodeRange) -> bool:
        """Return whether a postcode would match both equally well: the longer beginning wins over a shorter one."""
        return len(self.first) == len(other.first) and self.first <= other.last and other.first <= self.last


@dataclass(frozen=True, slots=True)
class Territory:
    """Addresses that differ from the rest of their country.

    They are those written with the country `within` and one of the postcodes (none: all of it), and those written with
    `country` where that is a code of its own: FR 974.. and RE are one territory. `country` (ISO 3166-1) is what both
    count as. `vat_percent` is its own rate, None for that of the country. `zone` is the code of a delivery zone of its
    own, "" for that of the country.
    """

    code: str
    country: str
    within: str
    postcodes: tuple[PostcodeRange, ...]
    vat: VatPosition
    in_customs_area: bool
    vat_percent: Decimal | None = None
    zone: str = ""

    def match_length(self, country: str, postcode: str) -> int | None:
        """Return how many characters of a normalised postcode decide for this territory, None if it isn't there."""
        if country == self.country != self.within:
            return 0
        if country != self.within:
            return None
        if not self.postcodes:
            return 0
        return max((len(each.first) for each in self.postcodes if each.matches(postcode)), default=None)


@dataclass(frozen=True, slots=True)
class Place:
    """What holds at an address. `country` is ISO 3166-1, ZZ where it is not known; `territory` is "" in the rest of a
    country; `vat_percent` and `zone` are as in `Territory`."""

    country: str
    vat: VatPosition
    in_customs_area: bool
    territory: str = ""
    vat_percent: Decimal | None = None
    zone: str = ""

    @property
    def meets_customs(self) -> bool:
        """Whether a parcel is declared to customs and its receiver owes import taxes or duties."""
        return self.vat == VatPosition.OUTSIDE or not self.in_customs_area


def find_place(country: str, postal_code: str, territories: Iterable[Territory]) -> Place:
    """Return where an address is, by its ISO code and its postcode as it was typed, "" when there is none.

    Of several territories the one with the longest matching postcode counts; a country's whole territory comes last.
    """
    # The letters before a hyphen are a country's sign (« F- 97400 ») or the postcode's own (« BT-1 1AA »).
    plain = _plain(postal_code)
    postcodes = {normalise_postcode(postal_code), plain, plain.removeprefix(country)}
    best: tuple[int, Territory] | None = None
    for territory in territories:
        for postcode in postcodes:
            length = territory.match_length(country, postcode)
            if length is not None and (best is None or length > best[0]):
                best = (length, territory)
    if best is None:
        vat = VatPosition.OUTSIDE
        if country in UNION:
            vat = VatPosition.HOME if country == HOME_COUNTRY else VatPosition.UNION
        return Place(country, vat, in_customs_area=country in UNION)
    found = best[1]
    return Place(
        found.country,
        found.vat,
        in_customs_area=found.in_customs_area,
        territory=found.code,
        vat_percent=found.vat_percent,
        zone=found.zone,
    )


def normalise_postcode(text: str) -> str:
    """Return a postcode without spaces, hyphens and the signs of its country before it, in capitals: « ax- 22 100 » is
    22100."""
    # Words, and between them what separates them.
    words = _words(text)
    start = 0
    while start + 2 < len(words) and "-" in words[start + 1] and _SIGN.fullmatch(words[start]):
        start += 2
    return "".join(words[start if words[start][:1].isdigit() else 0 :: 2])


def _plain(text: str) -> str:
    return "".join(_words(text)[::2])


def _words(text: str) -> list[str]:
    return _SEPARATORS.split(unicodedata.normalize("NFKC", text).upper().strip())


@lru_cache(maxsize=256)
def parse_postcodes(text: str) -> tuple[PostcodeRange, ...]:
    """Read beginnings of postcodes and ranges of them, separated by commas: « 971-978, 984 ».

    Raises PostcodesInvalid for anything else, and for a range whose ends are out of order or not equally long.
    """
    found: list[PostcodeRange] = []
    for part in filter(None, (piece.strip().upper() for piece in text.split(","))):
        first, dash, last = (piece.strip() for piece in part.partition("-"))
        last = last if dash else first
        if not (first.isalnum() and last.isalnum()) or len(first) != len(last) or first > last:
            raise PostcodesInvalid(part)
        found.append(PostcodeRange(first, last))
    return tuple(found)
