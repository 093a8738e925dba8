"""A Redis cache whose absence makes the shop slower and nothing else.

Nothing that must hold is kept in a cache: limits of sign-in attempts, orders, mails and jobs are rows. So a Redis
that can't be reached reads as an empty cache, and what is written to it is lost.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)


class TolerantRedisCache(RedisCache):
    """Django's Redis cache; a failing server reads as empty."""

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        return _or(default, lambda: super(TolerantRedisCache, self).get(key, default, version))

    def set(self, *args: Any, **kwargs: Any) -> None:
        _or(None, lambda: super(TolerantRedisCache, self).set(*args, **kwargs))

    def add(self, *args: Any, **kwargs: Any) -> bool:
        return bool(_or(True, lambda: super(TolerantRedisCache, self).add(*args, **kwargs)))

    def delete(self, *args: Any, **kwargs: Any) -> bool:
        return bool(_or(False, lambda: super(TolerantRedisCache, self).delete(*args, **kwargs)))

    def incr(self, key: Any, delta: int = 1, version: int | None = None) -> int:
        """Raises ValueError for a key that is not there, as it also seems when the server is away."""
        count = _or(None, lambda: super(TolerantRedisCache, self).incr(key, delta, version))
        if count is None:
            raise ValueError(f"Key '{key}' not found")
        return int(count)


def _or(default: Any, call: Callable[[], Any]) -> Any:
    try:
        return call()
    except RedisError as error:
        logger.warning("the cache does not answer: %s", type(error).__name__)
        return default
