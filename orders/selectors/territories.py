"""The territories that differ from the rest of their country, read from the rows that operators edit."""

from orders.models import Territory as TerritoryRow
from orders.pricing.territories import Territory, VatPosition, parse_postcodes
from shop.core.fragment_cache import cached_fragment


def load_territories() -> tuple[Territory, ...]:
    """Return every territory. One query; where cached fragments are used, none: whoever changes one drops them."""
    return cached_fragment(_read_territories, "territories")


def _read_territories() -> tuple[Territory, ...]:
    return tuple(
        Territory(
            code=row.code,
            country=str(row.country),
            within=str(row.within),
            postcodes=parse_postcodes(row.postcodes),
            vat=VatPosition(row.vat),
            in_customs_area=row.in_customs_area,
            vat_percent=row.vat_percent,
            zone=row.zone.code if row.zone is not None else "",
        )
        for row in TerritoryRow.objects.select_related("zone")
    )
