"""What public pages are made of, kept in the memory of the process until the content of the shop changes.

Whole pages are kept by `shop.core.public_pages`. Their pieces (a card, the header, what a selector read) are kept here,
because most pages are made of the same ones: a list in another order, a search, or an address with a campaign's
parameters then costs little more than finding out which products it shows.

Pieces are used while a public page is made and nowhere else: calls, mails and private pages read the rows themselves.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from threading import Lock
from time import monotonic
from typing import Any, Generic, TypeVar, cast

from django.conf import settings
from django.utils import timezone
from django.utils.translation import get_language

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

# A piece is some 2 KB: a card in HTML, or what a selector read of a product.
_MOST_PIECES = 3000


@dataclass(frozen=True, slots=True)
class _Entry(Generic[Value]):
    value: Value
    version: str
    ends: float


class Shelf(Generic[Key, Value]):
    """Values by key, each until its end (of the process's clock) or until the content has another version.

    Beyond `most`, those that nobody asked for again make room first, then those asked for least recently (a segmented
    LRU): whoever walks through every address once drops no value that others come back for. Threads share it.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._most_asked = max(1, most * 3 // 4)
        self._new: OrderedDict[Key, _Entry[Value]] = OrderedDict()
        self._asked: OrderedDict[Key, _Entry[Value]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._new) + len(self._asked)

    def find(self, key: Key, version: str) -> Value | None:
        entry = self._asked.get(key) or self._new.get(key)
        if entry is None or entry.version != version or entry.ends <= monotonic():
            return None
        with self._lock:
            if key in self._asked:
                self._asked.move_to_end(key)
            elif key in self._new:
                self._asked[key] = self._new.pop(key)
                if len(self._asked) > self._most_asked:
                    oldest, value = self._asked.popitem(last=False)
                    self._new[oldest] = value
        return entry.value

    def find_outdated(self, key: Key) -> Value | None:
        """The last value of the key, whatever its version and its end."""
        entry = self._asked.get(key) or self._new.get(key)
        return None if entry is None else entry.value

    def put(self, key: Key, value: Value, version: str, *, seconds: float) -> None:
        """Keep it for so long at most, and never beyond midnight: pages name dates."""
        entry = _Entry(value, version, monotonic() + min(seconds, _seconds_today()))
        with self._lock:
            segment = self._asked if key in self._asked else self._new
            segment[key] = entry
            segment.move_to_end(key)
            while len(self) > self._most:
                (self._new or self._asked).popitem(last=False)


_pieces: Shelf[Any, Any] = Shelf(_MOST_PIECES)
_version: ContextVar[str | None] = ContextVar("content_version_of_the_page", default=None)


@contextmanager
def pieces_of(version: str | None) -> Iterator[None]:
    """Inside, `kept` and `find_kept` use the pieces of this version of the content; none with None."""
    token = _version.set(version if settings.PIECE_CACHE_SECONDS else None)
    try:
        yield
    finally:
        _version.reset(token)


def kept(make: Callable[[], Value], *key: Hashable) -> Value:
    """The piece of this key in the active language, made when it is not kept. It must never be changed afterwards."""
    found = find_kept(*key)
    return cast(Value, keep(make(), *key) if found is None else found)


def find_kept(*key: Hashable) -> Any:
    """The piece of this key in the active language, or None."""
    version = _version.get()
    return None if version is None else _pieces.find((get_language(), *key), version)


def keep(piece: Value, *key: Hashable) -> Value:
    """Keeps the piece, if pieces are kept now, and gives it back. None is never kept."""
    version = _version.get()
    if version is not None and piece is not None:
        _pieces.put((get_language(), *key), piece, version, seconds=settings.PIECE_CACHE_SECONDS)
    return piece


def _seconds_today() -> float:
    now = timezone.localtime()
    tomorrow = datetime.combine(now.date() + timedelta(days=1), time(), tzinfo=now.tzinfo)
    return (tomorrow - now).total_seconds()
