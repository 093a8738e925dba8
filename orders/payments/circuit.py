"""Keeps a provider that is silent from holding every thread of a process.

A call that nobody answers holds its thread until the timeout. A handful of them would hold all threads of a web
process, and with them every page of the shop, so calls are refused at once while the provider is silent.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from threading import Lock


class ProviderSilent(Exception):
    """The call was not made: the provider does not answer at the moment."""


class Circuit:
    """Lets calls through while they are answered. One instance is shared by the threads of a process.

    Refuses at once, with ProviderSilent,

    * while `crowd` calls have waited for `patience` seconds;
    * for `pause` seconds after `limit` calls in a row were given up, all within `window` seconds. Then one call tries,
      alone: an answer opens the way for everybody, another silence closes it for `pause` seconds again.

    A call counts as given up when it ends with one of `silences` after `patience` or more; a connection that is refused
    at once holds nobody. Any other end is an answer.
    """

    def __init__(
        self,
        silences: tuple[type[Exception], ...],
        *,
        patience: float = 2.0,
        crowd: int = 2,
        limit: int = 3,
        window: float = 60.0,
        pause: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._silences = silences
        self._patience, self._crowd = patience, crowd
        self._limit, self._window, self._pause = limit, window, pause
        self._clock = clock
        self._lock = Lock()
        self._tickets = count()
        self._waiting: dict[int, float] = {}
        self._given_up: list[float] = []
        self._trial: int | None = None

    @contextmanager
    def call(self) -> Iterator[None]:
        """Around one call. Raises ProviderSilent instead of letting it through."""
        ticket = self._enter()
        answered = True
        try:
            yield
        except self._silences:
            answered = False
            raise
        finally:
            self._leave(ticket, answered=answered)

    def _enter(self) -> int:
        with self._lock:
            now = self._clock()
            ticket = next(self._tickets)
            recent = [moment for moment in self._given_up if now - moment < self._window]
            if len(recent) >= self._limit:
                if self._trial is not None or now - recent[-1] < self._pause:
                    raise ProviderSilent("the last calls were not answered")
                self._trial = ticket
            elif sum(now - began >= self._patience for began in self._waiting.values()) >= self._crowd:
                raise ProviderSilent("calls are waiting for an answer already")
            self._waiting[ticket] = now
            return ticket

    def _leave(self, ticket: int, *, answered: bool) -> None:
        with self._lock:
            now = self._clock()
            began = self._waiting.pop(ticket)
            if self._trial == ticket:
                self._trial = None
            if answered:
                self._given_up.clear()
            elif now - began >= self._patience:
                self._given_up = [*self._given_up, now][-self._limit :]
