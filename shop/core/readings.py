"""What is watched: how long ago something last went well, or how long the oldest of something has been waiting.

An app registers an age in its `ready()`, in one call::

    register_age(Age("backup", "Dernière sauvegarde", DAY, advice="…", since=last_backup, never_is_late=True))

It then stands in `/readyz`, `/metrics`, on the staff page « État » and in the alerts by mail. The words are French:
the people of the workshop read them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import DatabaseError

from shop.core.clocks import moment_is_misdated

logger = logging.getLogger(__name__)

Since = Callable[[datetime], datetime | None]


@dataclass(frozen=True, slots=True)
class Age:
    """One thing that is watched.

    `since` returns the moment from which the age counts, None where there is none: nothing waits, or, with
    `never_is_late`, it never went well. It is asked every few seconds by monitors: one cheap query, no call of
    another server. `advice` tells staff what to do when the age is over its `limit`. `name` is stable: metrics and
    incidents are called by it.
    """

    name: str
    label: str
    limit: timedelta
    advice: str
    since: Since
    never_is_late: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """An age as it is now. `age` is None where there is none, or where it could not be read (`failed`)."""

    of: Age
    since: datetime | None
    age: timedelta | None
    is_late: bool
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of `/metrics` that is read from the database when it is asked for, one a label's value.

    `label` is "" for a single number, then the key of the mapping is "" as well. Its values are few and our own words.
    """

    name: str
    meaning: str
    read: Callable[[datetime], Mapping[str, float]]
    label: str = ""


_ages: dict[str, Age] = {}
_figures: dict[str, Figure] = {}


def register_age(age: Age) -> None:
    """Watch something. A second registration of a name takes the place of the first."""
    _ages[age.name] = age


def register_figure(figure: Figure) -> None:
    """Add a number to the metrics."""
    _figures[figure.name] = figure


def registered_ages() -> list[Age]:
    """Return what is watched, in the order of registration."""
    return list(_ages.values())


def registered_figures() -> list[Figure]:
    """Return the numbers of the metrics, in the order of registration."""
    return list(_figures.values())


def read_ages(now: datetime) -> list[Reading]:
    """Return every age. One query each, most of them. Raises DatabaseError; an age that fails otherwise is late."""
    return [_read(age, now) for age in registered_ages()]


def _read(age: Age, now: datetime) -> Reading:
    try:
        since = age.since(now)
    except DatabaseError:
        raise
    except Exception:
        logger.exception("the age %s could not be read", age.name)
        return Reading(age, None, None, is_late=True, failed=True)
    # What went well on a date to come, by a clock that was wrong, says nothing of now.
    if since is None or (age.never_is_late and moment_is_misdated(since, now)):
        return Reading(age, None, None, is_late=age.never_is_late)
    # A clock that was set back makes nothing younger than now.
    passed = max(now - since, timedelta(0))
    return Reading(age, since, passed, is_late=passed > age.limit)
