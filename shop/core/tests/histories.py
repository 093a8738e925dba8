"""Random histories: how they are played at every run of the tests, and by `scripts/play_histories.py`."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test


def play(machine: type[RuleBasedStateMachine], *, usually: int, steps: int) -> int:
    """Play `usually` histories of so many steps, the same ones each time, or as many as `HISTORIES` says, others each
    time. Return how many; raise what the first one raises that breaks a law."""
    asked = os.environ.get("HISTORIES")
    histories = int(asked or usually)
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=histories,
            stateful_step_count=steps,
            derandomize=asked is None,
            database=None,
            suppress_health_check=list(HealthCheck),
            # The first history found is told as it is: making it shorter takes minutes.
            phases=(Phase.generate,),
        ),
    )
    return histories
