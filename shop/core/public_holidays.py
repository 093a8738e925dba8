"""Public holidays of a country, from the `holidays` library."""

from __future__ import annotations

from datetime import date
from functools import lru_cache

# Départements with days of their own that a parcel to mainland France may meet; the others have country codes.
_MAINLAND = {"FR": ("57", "6AE")}


@lru_cache(maxsize=512)
def public_holidays(country: str, year: int) -> frozenset[date]:
    """Return the days of a year that are a public holiday in a country (ISO 3166-1 alpha-2), or in a part of it.

    A cart knows its country and not its region: a day on which a part of the country is closed counts for all of it,
    so that what is promised holds everywhere. Empty for a country that nobody has listed.
    """
    # Its register of all countries takes 3 MB, and not every process promises a date.
    from holidays import country_holidays, list_supported_countries

    regions = list_supported_countries().get(country)
    if regions is None:
        return frozenset()
    days = set(country_holidays(country, years=year))
    for region in _MAINLAND.get(country, regions):
        days.update(country_holidays(country, subdiv=region, years=year))
    # An observed holiday may fall into the year before or after.
    return frozenset(day for day in days if day.year == year)
