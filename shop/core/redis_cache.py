"""The cache in Redis. Nothing of a shop without Redis loads this module, nor its client."""

from __future__ import annotations

import hashlib
import hmac
import pickle
from contextlib import AbstractContextManager
from typing import Any

from django.conf import settings
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from kombu.exceptions import OperationalError as BrokerError
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError
from redis.retry import Retry

from shop.core.caches import TolerantCache
from shop.core.circuit import Circuit

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
    # The module that it once stood in: two versions of the shop read each other's values during an update.
    return hmac.digest(f"shop.core.caches:{settings.SECRET_KEY}".encode(), pickled, "sha256")
