from __future__ import annotations

import sys
from datetime import date

import pytest

from shop.core.public_holidays import holidays_of_region, public_holidays


def test_a_day_of_one_part_of_a_country_counts_for_all_of_it():
    saint_stephen = date(2026, 12, 26)
    assert saint_stephen in holidays_of_region("FR", "6AE", 2026)
    assert saint_stephen not in holidays_of_region("FR", None, 2026)
    assert saint_stephen in public_holidays("FR", 2026)
    # Of Réunion, which has a code of its own.
    assert date(2026, 12, 20) not in public_holidays("FR", 2026)
    assert date(2026, 12, 20) in public_holidays("RE", 2026)


def test_a_country_that_nobody_has_listed_has_none():
    assert public_holidays("XX", 2026) == frozenset()
    with pytest.raises(NotImplementedError):
        holidays_of_region("FR", "XX", 2026)


def test_a_country_is_loaded_without_the_other_250():
    public_holidays("FR", 2026)
    loaded = [name for name in sys.modules if name.startswith("holidays.countries.")]
    assert "holidays.countries.france" in loaded
    assert len(loaded) < 100
