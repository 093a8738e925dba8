"""Caches whose absence makes the shop slower and nothing else.

Nothing that must hold is in a cache alone: limits of sign-in attempts, orders, mails and jobs are rows. So a Redis
that can't be reached, or a full disk, reads as an empty cache, and what is written to it is lost.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import pickle
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from django.conf import settings
from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.core.cache.backends.filebased import FileBasedCache
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from kombu.exceptions import OperationalError as BrokerError
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError
from redis.retry import Retry

from shop.core.circuit import CallRefused, Circuit

logger = logging.getLogger(__name__)

# To connect, and for each answer: a Redis that takes longer is no help to a page.
REDIS_SECONDS = 0.25
REDIS_PAUSE_SECONDS = 5.0

# Of cache and broker, which are one server: after one silence it is left alone.
redis_circuit = Circuit(
    (RedisConnectionError, RedisTimeoutError, BrokerError, OSError),
    patience=0.0,
    slow=REDIS_SECONDS,
    limit=1,
    pause=REDIS_PAUSE_SECONDS,
)


class TolerantCache(BaseCache):
    """A mixin before a cache of Django's: whatever a call fails with, it reads as empty."""

    def add(
        self, key: Any, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None
    ) -> bool:
        return bool(self._or(True, lambda: super(TolerantCache, self).add(key, value, timeout, version)))

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        return self._or(default, lambda: super(TolerantCache, self).get(key, default, version))

    def set(
        self, key: Any, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None
    ) -> None:
        self._or(None, lambda: super(TolerantCache, self).set(key, value, timeout, version))

    def touch(self, key: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        return bool(self._or(False, lambda: super(TolerantCache, self).touch(key, timeout, version)))

    def delete(self, key: Any, version: int | None = None) -> bool:
        return bool(self._or(False, lambda: super(TolerantCache, self).delete(key, version)))

    def get_many(self, keys: Iterable[Any], version: int | None = None) -> dict[Any, Any]:
        found: dict[Any, Any] = self._or({}, lambda: super(TolerantCache, self).get_many(keys, version))
        return found

    def set_many(
        self,
        data: Mapping[Any, Any],
        timeout: float | None = DEFAULT_TIMEOUT,
        version: int | None = None,
    ) -> list[Any]:
        """Return the keys that were not stored: all of them while the server is away."""
        failed: list[Any] = self._or(
            list(data), lambda: super(TolerantCache, self).set_many(dict(data), timeout, version)
        )
        return failed

    def delete_many(self, keys: Iterable[Any], version: int | None = None) -> None:
        self._or(None, lambda: super(TolerantCache, self).delete_many(keys, version))

    def has_key(self, key: Any, version: int | None = None) -> bool:
        return bool(self._or(False, lambda: super(TolerantCache, self).has_key(key, version)))

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        """Raises ValueError for a key that is not there, as it also seems when the server is away."""

        def count() -> int | None:
            try:
                return super(TolerantCache, self).incr(key, delta, version)
            except ValueError:
                return None

        counted = self._or(None, count)
        if counted is None:
            raise ValueError(f"Key '{key}' not found")
        return int(counted)

    def clear(self) -> None:
        self._or(None, super().clear)

    def _calling(self) -> AbstractContextManager[None]:
        """Around one call. Raises CallRefused instead of letting it through."""
        return nullcontext()

    def _or(self, default: Any, call: Callable[[], Any]) -> Any:
        # Anything: protocol errors, sockets, a full disk, a value that another version of the code wrote.
        try:
            with self._calling():
                return call()
        except CallRefused:
            return default
        except Exception as error:
            logger.warning("the cache does not answer: %s", type(error).__name__)
            return default


class TolerantFileBasedCache(TolerantCache, FileBasedCache):
    """Django's cache of files; a disk that is full or can't be read is an empty one."""


_clients: dict[str, Redis] = {}


class SharedRedisClient(RedisCacheClient):
    """Django's client with one connection pool a server for all threads and both caches of the process.

    Django's own makes a pool for each thread and a new `Redis`, with its table of commands, for each call.
    """

    def get_client(self, key: Any = None, *, write: bool = False) -> Redis:
        own: Any = self
        server = own._servers[own._get_connection_pool_index(write)]
        client = _clients.get(server)
        if client is None:
            client = _clients.setdefault(server, Redis.from_url(server, **own._pool_options))
        return client


class TolerantRedisCache(TolerantCache, RedisCache):
    """Django's Redis cache, left alone for some seconds after a call that was not answered in time."""

    def __init__(self, server: str | list[str], params: dict[str, Any]) -> None:
        options = {
            "serializer": SignedSerializer,
            "socket_connect_timeout": REDIS_SECONDS,
            "socket_timeout": REDIS_SECONDS,
            "retry": Retry(NoBackoff(), 0),
        }
        super().__init__(server, {**params, "OPTIONS": options | params.get("OPTIONS", {})})
        self._class = SharedRedisClient

    def _calling(self) -> AbstractContextManager[None]:
        return redis_circuit.call()


class SignedSerializer:
    """Pickles under a signature: reading a pickle runs what it says, so one that this shop did not write is not read.

    JSON would not do: what is cached are rows, dates and amounts of the selectors.
    """

    def dumps(self, value: Any) -> bytes | int:
        # Redis counts with plain numbers only.
        if type(value) is int:
            return value
        pickled = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        return _signature(pickled) + pickled

    def loads(self, data: bytes) -> Any:
        """Raises ValueError for what was not written by `dumps` with this shop's secret."""
        try:
            return int(data)
        except ValueError:
            size = hashlib.sha256().digest_size
            signature, pickled = data[:size], data[size:]
            if not hmac.compare_digest(signature, _signature(pickled)):
                raise ValueError("a cached value without the shop's signature") from None
            return pickle.loads(pickled)  # noqa: S301 - signed


def _signature(pickled: bytes) -> bytes:
    return hmac.digest(f"shop.core.caches:{settings.SECRET_KEY}".encode(), pickled, "sha256")
