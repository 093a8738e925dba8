"""Going through rows of which none may keep the others waiting."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import TypeVar

logger = logging.getLogger(__name__)

Row = TypeVar("Row")


def each_row(
    rows: Iterable[Row],
    act: Callable[[Row], object],
    *,
    most: int | None = None,
    ends: tuple[type[Exception], ...] = (),
) -> int:
    """Act on each of the rows, which may be keys or calls as well; return for how many `act` returned something true.

    `act` opens its own transaction. A row that fails is logged by its key, and the others have their turn; the first
    failure is raised after them, so that a scheduled job is tried again soon and staff see that it failed. Rows that
    fail are not counted among the `most` after which it stops: however many do, those behind them are reached.

    Raises one of `ends` at once: what would stop every other row too.
    """
    done, first = 0, None
    for row in rows:
        try:
            done += bool(act(row))
        except ends:
            raise
        except Exception as error:
            logger.exception("%s failed for %s", act.__qualname__, getattr(row, "pk", row))
            first = first or error
        if done == most:
            break
    if first is not None:
        raise first
    return done


def each_step(*steps: Callable[[], object], ends: tuple[type[Exception], ...] = ()) -> None:
    """Take each of the steps of a job, as `each_row` acts on rows."""
    each_row(steps, lambda step: step(), ends=ends)
