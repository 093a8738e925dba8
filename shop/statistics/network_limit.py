"""How much one network may report in a minute, counted in memory: a write an event would cost more than the event."""

from __future__ import annotations

from collections import Counter
from threading import Lock
from time import monotonic

from shop.core.client_address import network_of
from shop.core.limits import STATISTICS_NETWORK

_MOST_NETWORKS = 20_000


class NetworkLimit:
    """The calls of this minute by network, in this process."""

    def __init__(self) -> None:
        self._calls: Counter[str] = Counter()
        self._ends = 0.0
        self._lock = Lock()

    def allows(self, address: str) -> bool:
        """Count a call; whether it is within the limit."""
        network = network_of(address)
        with self._lock:
            now = monotonic()
            if now >= self._ends or len(self._calls) >= _MOST_NETWORKS:
                self._calls.clear()
                self._ends = now + STATISTICS_NETWORK.window.total_seconds()
            self._calls[network] += 1
            return self._calls[network] <= STATISTICS_NETWORK.allowed

    def reset(self) -> None:
        """Begin anew."""
        with self._lock:
            self._calls.clear()


network_limit = NetworkLimit()
