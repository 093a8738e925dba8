"""Some histories at every run; `scripts/play_histories.py 1000 7 catalog` plays a thousand others."""

from __future__ import annotations

import pytest

from catalog.tests.histories import CatalogueHistories
from shop.core.tests.histories import play


@pytest.mark.django_db
def test_no_history_of_the_catalogue_shows_what_it_does_not_sell() -> None:
    CatalogueHistories.played.clear()
    histories = play(CatalogueHistories, usually=6, steps=14)
    played = CatalogueHistories.played
    assert played["histories"] >= histories
    # The histories went where they were meant to go; a handful of them need not have.
    for kind in ("changed", "formats added", "promoted", "held", "waited", "crossed out"):
        assert played[kind] > 0 or histories < 30, played
