"""Some histories at every run; `scripts/play_histories.py 1000 7 catalog` plays a thousand others."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from catalog.tests.histories import CatalogueHistories

HISTORIES = int(os.environ.get("HISTORIES", "6"))
STEPS = 14


@pytest.mark.django_db
def test_no_history_of_the_catalogue_shows_what_it_does_not_sell() -> None:
    CatalogueHistories.played.clear()
    run_state_machine_as_test(
        CatalogueHistories,
        settings=settings(
            max_examples=HISTORIES,
            stateful_step_count=STEPS,
            # Every test run plays the same ones.
            derandomize="HISTORIES" not in os.environ,
            database=None,
            suppress_health_check=list(HealthCheck),
            # The first history found is told as it is: making it shorter takes minutes.
            phases=(Phase.generate,),
        ),
    )
    played = CatalogueHistories.played
    assert played["histories"] >= HISTORIES
    # The histories went where they were meant to go; a handful of them need not have.
    for kind in ("changed", "formats added", "promoted", "held", "waited", "crossed out"):
        assert played[kind] > 0 or HISTORIES < 30, played
