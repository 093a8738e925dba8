"""Keeps a server that is silent from holding every thread of a process: Redis, PostgreSQL, Stripe.

A call that nobody answers holds its thread until the timeout. A handful of them would hold all threads of a web
process, and with them every page of the shop.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from threading import BoundedSemaphore, Lock


class CallRefused(Exception):
    """The call was not made: the server does not answer, or too many wait for its answer already."""


class Circuit:
    """Lets calls through while they are answered. One instance is shared by the threads of a process.

    At most `places` calls are under way (None: any number); another one waits `queue` seconds for a place and is then
    refused with CallRefused. All are refused at once for `pause` seconds after `limit` calls in a row were given up,
    within `window` seconds; then one call tries, alone: an answer opens the way for everybody, another silence closes
    it for `pause` seconds again.

    A call counts as given up when it ends with one of `silences` after `patience` seconds or more; with `patience`
    above zero a connection that is refused at once holds nobody. So does an answer that took `slow` seconds or more.
    Any other end is an answer.
    """

    def __init__(
        self,
        silences: tuple[type[Exception], ...],
        *,
        places: int | None = None,
        queue: float = 1.0,
        patience: float = 2.0,
        slow: float = float("inf"),
        limit: int = 3,
        window: float = 60.0,
        pause: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._silences = silences
        self._places, self._queue = None if places is None else BoundedSemaphore(places), queue
        self._patience, self._slow, self._limit = patience, slow, limit
        self._window, self._pause, self._clock = window, pause, clock
        self._lock = Lock()
        self._given_up: list[float] = []
        self._somebody_tries = False

    @contextmanager
    def call(self) -> Iterator[None]:
        """Around one call. Raises CallRefused instead of letting it through."""
        with nullcontext() if self._places is None else self._place(self._places):
            tries = self._enter()
            began = self._clock()
            answered = True
            try:
                yield
            except self._silences:
                answered = False
                raise
            finally:
                self._leave(began, answered=answered, tried=tries)

    @contextmanager
    def _place(self, places: BoundedSemaphore) -> Iterator[None]:
        if not places.acquire(timeout=self._queue):
            raise CallRefused("too many calls wait for an answer")
        try:
            yield
        finally:
            places.release()

    def _enter(self) -> bool:
        """Return whether this call is the one that tries after a silence. Raises CallRefused during one."""
        with self._lock:
            now = self._clock()
            recent = [moment for moment in self._given_up if now - moment < self._window]
            if len(recent) < self._limit:
                return False
            if self._somebody_tries or now - recent[-1] < self._pause:
                raise CallRefused("the last calls were not answered")
            self._somebody_tries = True
            return True

    def _leave(self, began: float, *, answered: bool, tried: bool) -> None:
        with self._lock:
            now = self._clock()
            if tried:
                self._somebody_tries = False
            if now - began >= (self._slow if answered else self._patience):
                self._given_up = [*self._given_up, now][-self._limit :]
            elif answered:
                self._given_up.clear()
