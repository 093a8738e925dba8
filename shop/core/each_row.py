"""Going through rows of which none may keep the others waiting."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from time import monotonic
from typing import TypeVar

logger = logging.getLogger(__name__)

Row = TypeVar("Row")

STEP_SECONDS = 20
"""How long one of ten steps of a job may take that another server answers: CELERY_TASK_TIME_LIMIT ends all of them."""


def each_row(
    rows: Iterable[Row],
    act: Callable[[Row], object],
    *,
    most: int | None = None,
    seconds: float | None = None,
    ends: tuple[type[Exception], ...] = (),
) -> int:
    """Act on each of the rows, which may be keys or calls as well; return for how many `act` returned something true.

    `act` opens its own transaction. A row that fails is logged by its key, and the others have their turn; the first
    failure is raised after them, so that a scheduled job is tried again soon and staff see that it failed. Rows that
    fail are not counted among the `most` after which it stops: however many do, those behind them are reached. After
    so many `seconds` it begins no other one: rows that stay what they were come in any order then, or the same ones
    have every turn.

    Raises one of `ends` at once: what would stop every other row too.
    """
    done, first = 0, None
    until = None if seconds is None else monotonic() + seconds
    for row in rows:
        try:
            done += bool(act(row))
        except ends:
            raise
        except Exception as error:
            logger.exception("%s failed for %s", act.__qualname__, getattr(row, "pk", row))
            first = first or error
        if done == most or (until is not None and monotonic() >= until):
            break
    if first is not None:
        raise first
    return done


def each_step(*steps: Callable[[], object], ends: tuple[type[Exception], ...] = ()) -> None:
    """Take each of the steps of a job, as `each_row` acts on rows."""
    each_row(steps, lambda step: step(), ends=ends)
