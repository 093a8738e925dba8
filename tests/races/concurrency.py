"""Many callers at one instant, and ways to make them meet where it hurts most."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Barrier, BrokenBarrierError, Event, Thread
from time import monotonic, perf_counter
from typing import Any

from django.db import connection

from tests.database import empty_tables

PATIENCE = 60.0
"""Seconds after which a test that hangs fails instead."""


@dataclass(slots=True)
class Outcome:
    """What one caller got: a value or an exception, and after how long."""

    value: Any = None
    error: BaseException | None = None
    seconds: float = 0.0


class Started:
    """A caller in a thread of its own, whose database connection is closed when it ends."""

    def __init__(self, call: Callable[[], Any], start: Barrier | None = None) -> None:
        self._outcome = Outcome()
        self._thread = Thread(target=self._run, args=(call, start), daemon=True)
        self._thread.start()

    def _run(self, call: Callable[[], Any], start: Barrier | None) -> None:
        if start is not None:
            start.wait(PATIENCE)
        began = perf_counter()
        try:
            self._outcome.value = call()
        except Exception as error:
            self._outcome.error = error
        finally:
            self._outcome.seconds = perf_counter() - began
            connection.close()

    def outcome(self) -> Outcome:
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive(), "a caller hangs"
        return self._outcome

    def value(self) -> Any:
        outcome = self.outcome()
        if outcome.error is not None:
            raise outcome.error
        return outcome.value


def run_concurrently(calls: Sequence[Callable[[], Any]]) -> list[Outcome]:
    """Run every call in a thread of its own; none begins before all are there."""
    start = Barrier(len(calls))
    return [started.outcome() for started in [Started(call, start) for call in calls]]


def values(outcomes: Iterable[Outcome]) -> list[Any]:
    """What the callers got, when none of them failed; otherwise the first failure is raised."""
    found = list(outcomes)
    for outcome in found:
        if outcome.error is not None:
            raise outcome.error
    return [outcome.value for outcome in found]


class Meeting:
    """Keeps the first `count` callers until all of them are there; later ones walk through."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._numbers = itertools.count()
        self._barrier = Barrier(count)

    def wait(self) -> None:
        if next(self._numbers) < self.count:
            self._barrier.wait(PATIENCE)


class Rendezvous:
    """Tells whether two callers are ever inside at the same time: one alone waits `seconds` for another."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._barrier = Barrier(2)
        self.together = 0

    def enter(self) -> None:
        try:
            self._barrier.wait(self._seconds)
            self.together += 1
        except BrokenBarrierError:
            self._barrier.reset()


def wait_until_blocked(count: int = 1) -> None:
    """Returns once so many connections to this database wait for a lock that another one holds."""
    give_up = monotonic() + PATIENCE
    pause = Event()
    while monotonic() < give_up:
        with connection.cursor() as cursor:
            # Within a transaction the view would show what it showed first.
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if cursor.fetchone()[0] >= count:
                return
        pause.wait(0.01)
    raise AssertionError("Nobody waits for a lock.")


@contextmanager
def without_constraint(name: str) -> Iterator[None]:
    """For controls: the database without one of its unique constraints, and empty afterwards."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = %s",
            [name],
        )
        found = cursor.fetchone()
        if found is not None:
            table, definition = found
            drop = f"ALTER TABLE {table} DROP CONSTRAINT {name}"
            restore = f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}"
        else:
            cursor.execute("SELECT tablename, indexdef FROM pg_indexes WHERE indexname = %s", [name])
            table, restore = cursor.fetchone()
            drop = f"DROP INDEX {name}"
        cursor.execute(drop)
    try:
        yield
    finally:
        empty_tables()
        with connection.cursor() as cursor:
            cursor.execute(restore)


def deadlocks() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        return cursor.fetchone()[0]
