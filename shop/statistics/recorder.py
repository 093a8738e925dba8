"""Takes events without making a page wait: they are added up in memory, and a thread writes the sums once a second.

What was counted in the last second before a process is killed is lost; what an orderly end leaves is written.
"""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable
from datetime import date
from threading import Event as Signal
from threading import Lock, Thread
from time import sleep

from django.conf import settings
from django.db import DatabaseError, connection

from shop.statistics.batch import Batch, Labels
from shop.statistics.events import Event, Vital
from shop.statistics.writing import write_batch

logger = logging.getLogger(__name__)


class Recorder:
    """The events of one process that are not written yet."""

    def __init__(self, write: Callable[[Batch], None] = write_batch) -> None:
        self._write = write
        self._batch = Batch()
        self._labels = Labels()
        self._adding, self._writing = Lock(), Lock()
        self._due = Signal()
        self._thread: Thread | None = None

    def record_event(self, day: date, key: str, event: Event) -> None:
        """Count an event of a visit. No query."""
        with self._adding:
            self._batch.add_event(day, key, event, self._labels)
        self._schedule()

    def record_vitals(self, day: date, vitals: list[Vital]) -> None:
        """Count measurements. No query."""
        with self._adding:
            for vital in vitals:
                self._batch.add_vital(day, vital)
        self._schedule()

    def flush(self) -> None:
        """Write what was counted; what can't be written now is tried again with the next write."""
        with self._writing:
            with self._adding:
                batch, self._batch = self._batch, Batch()
            if batch.dropped:
                logger.warning("statistics: %s events were not counted, too many at once", batch.dropped)
                batch.dropped = 0
            if not len(batch):
                return
            try:
                self._write(batch)
            except DatabaseError as error:
                logger.warning("statistics: not written yet: %s", error)
                with self._adding:
                    batch.merge(self._batch)
                    self._batch = batch
                self._due.set()

    def discard(self) -> None:
        """Forget what was counted and not written."""
        with self._adding:
            self._batch, self._labels = Batch(), Labels()

    def _schedule(self) -> None:
        if not settings.STATISTICS_WRITE_SECONDS:
            return
        self._due.set()
        # A forked process has none of its parent's threads.
        if self._thread is None or not self._thread.is_alive():
            with self._adding:
                if self._thread is None or not self._thread.is_alive():
                    if self._thread is None:
                        atexit.register(self.flush)
                    self._thread = Thread(target=self._run, name="statistics", daemon=True)
                    self._thread.start()

    def _run(self) -> None:
        while True:
            self._due.wait()
            sleep(settings.STATISTICS_WRITE_SECONDS)
            self._due.clear()
            try:
                self.flush()
            except Exception:
                # Counting goes on whatever one write met.
                logger.exception("statistics: a write failed")
            finally:
                # A pool has its connection back; opening one for SQLite once a second costs nothing.
                connection.close()


recorder = Recorder()
