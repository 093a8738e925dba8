"""Fragments of public pages, cached in the memory of the process until the content of the shop changes.

Whole pages are cached by `shop.core.public_pages`. Their fragments (a card, the header, what a selector read) are
cached here, because most pages are made of the same ones: a list in another order, a search, or an address with a
campaign's parameters then costs little more than finding out which products it shows.

Fragments are used while a public page is made and nowhere else: calls, mails and private pages read the rows.
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

from shop.core.boundaries import seconds_to_boundary

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

# A fragment is some 2 KB: a card in HTML, or what a selector read of a product.
_MAX_FRAGMENTS = 3000


@dataclass(frozen=True, slots=True)
class _Entry(Generic[Value]):
    value: Value
    version: str
    ends: float


class FragmentCache(Generic[Key, Value]):
    """Values by key, each until its end (of the process's clock) or until the content has another version.

    Beyond `max_entries`, those that nobody asked for again make room first, then those asked for least recently (a
    segmented LRU): a crawler that asks for every address once drops no value that others come back for. Threads share
    it.
    """

    def __init__(self, max_entries: int) -> None:
        self._max_entries = max_entries
        self._max_asked = max(1, max_entries * 3 // 4)
        self._new: OrderedDict[Key, _Entry[Value]] = OrderedDict()
        self._asked: OrderedDict[Key, _Entry[Value]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._new) + len(self._asked)

    def find(self, key: Key, version: str) -> Value | None:
        """Return the value of the key, or None when there is none of this version or its time is over."""
        entry = self._asked.get(key) or self._new.get(key)
        if entry is None or entry.version != version or entry.ends <= monotonic():
            return None
        with self._lock:
            if key in self._asked:
                self._asked.move_to_end(key)
            elif key in self._new:
                self._asked[key] = self._new.pop(key)
                if len(self._asked) > self._max_asked:
                    oldest, value = self._asked.popitem(last=False)
                    self._new[oldest] = value
        return entry.value

    def find_outdated(self, key: Key) -> Value | None:
        """Return the last value of the key, whatever its version and its end."""
        entry = self._asked.get(key) or self._new.get(key)
        return None if entry is None else entry.value

    def put(self, key: Key, value: Value, version: str, *, seconds: float) -> None:
        """Store a value for so long at most, and never beyond midnight: pages name dates."""
        entry = _Entry(value, version, monotonic() + min(seconds, _seconds_today()))
        with self._lock:
            segment = self._asked if key in self._asked else self._new
            segment[key] = entry
            segment.move_to_end(key)
            while len(self) > self._max_entries:
                (self._new or self._asked).popitem(last=False)


@dataclass(frozen=True, slots=True)
class _Page:
    """The page that is being made: of which version of the content, and since when."""

    version: str
    since: datetime


_fragments: FragmentCache[Any, Any] = FragmentCache(_MAX_FRAGMENTS)
_page: ContextVar[_Page | None] = ContextVar("page_being_made", default=None)


@contextmanager
def fragments_of(version: str | None) -> Iterator[None]:
    """Inside, the functions below use the fragments of this version of the content; none with None."""
    is_cached = bool(settings.FRAGMENT_CACHE_SECONDS)
    token = _page.set(_Page(version, timezone.now()) if is_cached and version is not None else None)
    try:
        yield
    finally:
        _page.reset(token)


def cached_fragment(make: Callable[[], Value], *key: Hashable) -> Value:
    """Return the fragment of this key in the active language, made when there is none. Never change it afterwards."""
    found = find_fragment(*key)
    return cast(Value, store_fragment(make(), *key) if found is None else found)


def find_fragment(*key: Hashable) -> Any:
    """Return the fragment of this key in the active language, or None."""
    page = _page.get()
    return None if page is None else _fragments.find((get_language(), *key), page.version)


def store_fragment(fragment: Value, *key: Hashable) -> Value:
    """Store the fragment, if fragments are cached now, and return it. None is never stored."""
    page = _page.get()
    if page is not None and fragment is not None:
        most = settings.FRAGMENT_CACHE_SECONDS
        seconds = seconds_to_boundary(page.since, page.version, most=most)
        _fragments.put((get_language(), *key), fragment, page.version, seconds=seconds)
    return fragment


def _seconds_today() -> float:
    now = timezone.localtime()
    tomorrow = datetime.combine(now.date() + timedelta(days=1), time(), tzinfo=now.tzinfo)
    return (tomorrow - now).total_seconds()
