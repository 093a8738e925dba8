"""Public holidays of a country, from the `holidays` library."""

from __future__ import annotations

import sys
from datetime import date
from functools import cache, lru_cache
from importlib.util import find_spec, module_from_spec

# Départements with days of their own that a parcel to mainland France may meet; the others have country codes.
_MAINLAND = {"FR": ("57", "6AE")}


@lru_cache(maxsize=512)
def public_holidays(country: str, year: int) -> frozenset[date]:
    """Return the days of a year that are a public holiday in a country (ISO 3166-1 alpha-2), or in a part of it.

    A cart knows its country and not its region: a day on which a part of the country is closed counts for all of it,
    so that what is promised holds everywhere. Empty for a country that nobody has listed.
    """
    _load_countries_by_name()
    # Not every process counts days.
    from holidays import country_holidays

    try:
        regions = _MAINLAND.get(country, country_holidays(country).subdivisions)
    except NotImplementedError:
        return frozenset()
    return frozenset().union(*(holidays_of_region(country, region, year) for region in (None, *regions)))


@lru_cache(maxsize=512)
def holidays_of_region(country: str, region: str | None, year: int) -> frozenset[date]:
    """Return the days of a year that are a public holiday in a region, by its code; without one, in all of the country.

    :raises NotImplementedError: nobody has listed such a country or region.
    """
    _load_countries_by_name()
    from holidays import country_holidays

    # An observed holiday may fall into the year before or after.
    return frozenset(day for day in country_holidays(country, region, years=year) if day.year == year)


@cache
def _load_countries_by_name() -> None:
    """Keep the library from loading all 250 countries with the first, 8 MB in each process: its package of countries
    imports every one of them, but it finds each by the name of its module."""
    spec = find_spec("holidays.countries")
    assert spec is not None
    sys.modules.setdefault(spec.name, module_from_spec(spec))
