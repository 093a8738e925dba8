"""The territories that differ from the rest of their country, read from the rows that operators edit."""

from orders.models import Territory as TerritoryRow
from orders.pricing.territories import Territory, VatPosition, parse_postcodes
from shop.core.fragment_cache import cached_fragment


def load_territories() -> tuple[Territory, ...]:
    """Return every territory. One query; where cached fragments are used, none: whoever changes one drops them."""
    return cached_fragment(_read_territories, "territories")


def _read_territories() -> tuple[Territory, ...]:
    # Values: a checkout reads all of them, and rows of models take four times as long to make.
    rows = TerritoryRow.objects.values_list(
        "code", "country", "within", "postcodes", "vat", "in_customs_area", "vat_percent", "zone__code"
    )
    return tuple(
        Territory(
            code=code,
            country=country,
            within=within,
            postcodes=parse_postcodes(postcodes),
            vat=VatPosition(vat),
            in_customs_area=in_customs_area,
            vat_percent=vat_percent,
            zone=zone or "",
        )
        for code, country, within, postcodes, vat, in_customs_area, vat_percent, zone in rows
    )
