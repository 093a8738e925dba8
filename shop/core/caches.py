"""Caches whose absence makes the shop slower and nothing else; the one in Redis is in `redis_cache`.

Nothing that must hold is in a cache alone: limits of sign-in attempts, orders, mails and jobs are rows. So a Redis
that can't be reached, or a full disk, reads as an empty cache, and what is written to it is lost.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT, BaseCache
from django.core.cache.backends.filebased import FileBasedCache

from shop.core.circuit import CallRefused

logger = logging.getLogger(__name__)


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
