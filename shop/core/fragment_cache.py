"""Fragments of public pages, cached in the memory of the process until the content of the shop changes.

Whole pages are cached by `shop.core.public_pages`. Their fragments (a card, the header, what a selector read) are
cached here, because most pages are made of the same ones: a list in another order, a search, or an address with a
campaign's parameters then costs little more than finding out which products it shows.

Fragments are used while a public page is made, and for rules and photos by the cart's quote, the checkout and the
payment that confirms an order. Other calls, mails and private pages read the rows.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from threading import Event, Lock, get_ident
from time import monotonic
from typing import Any, Generic, TypeVar, cast

from django.conf import settings
from django.core.cache import cache
from django.utils import timezone
from django.utils.translation import get_language

from shop.core.boundaries import seconds_to_boundary
from shop.core.code_version import code_fingerprint
from shop.core.content_version import content_version

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

_CONTENT_SECONDS = 60
# A fragment is some 2 KB: a card in HTML, or what a selector read of a product.
_MAX_FRAGMENTS = 3000
# What a list or a search shows is up to 25 KB, and there are as many as visitors type words.
_MAX_LISTINGS = 400

# How long a thread waits for what another one makes, before it makes its own.
_PATIENCE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class _Entry(Generic[Value]):
    """`ends`: from then on it is made anew; `last`: until then it is better than to wait."""

    value: Value
    version: str
    ends: float
    last: float


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

    def find_while_made(self, key: Key, version: str) -> Value | None:
        """Return the value of this version whose time is over and that is still true, for while it is made anew."""
        entry = self._asked.get(key) or self._new.get(key)
        if entry is None or entry.version != version or entry.last <= monotonic():
            return None
        return entry.value

    def find_outdated(self, key: Key) -> Value | None:
        """Return the last value of the key, whatever its version and its end."""
        entry = self._asked.get(key) or self._new.get(key)
        return None if entry is None else entry.value

    def put(self, key: Key, value: Value, version: str, *, seconds: float, true_for: float = 0) -> None:
        """Store a value for so long. For `true_for` seconds it may still be shown while it is made anew."""
        now = monotonic()
        entry = _Entry(value, version, now + seconds, now + true_for)
        with self._lock:
            segment = self._asked if key in self._asked else self._new
            segment[key] = entry
            segment.move_to_end(key)
            while len(self) > self._max_entries:
                (self._new or self._asked).popitem(last=False)


class Makers(Generic[Key]):
    """Who is making which value in this process: of the threads that miss one, the first makes it."""

    def __init__(self) -> None:
        self._under_way: dict[Key, tuple[int, Event]] = {}
        self._lock = Lock()

    def begin(self, key: Key) -> Event | None:
        """Return None to the thread that is to make the value and `end` it; to others what they may wait for."""
        with self._lock:
            thread, made = self._under_way.setdefault(key, (get_ident(), Event()))
        return None if thread == get_ident() else made

    def end(self, key: Key) -> None:
        with self._lock:
            thread, made = self._under_way.get(key, (0, None))
            if made is not None and thread == get_ident():
                del self._under_way[key]
                made.set()


@dataclass(frozen=True, slots=True)
class _Page:
    """The page that is being made: of which version of the content, and since when."""

    version: str
    since: datetime


_fragments: FragmentCache[Any, Any] = FragmentCache(_MAX_FRAGMENTS)
_listings: FragmentCache[Any, Any] = FragmentCache(_MAX_LISTINGS)
_makers: Makers[Any] = Makers()
# What « there is none » is stored as.
_NONE = object()
_page: ContextVar[_Page | None] = ContextVar("page_being_made", default=None)
# While a page is made without fragments: what it was already given of the content.
_given: ContextVar[dict[Any, Any] | None] = ContextVar("given_to_the_page", default=None)


@contextmanager
def fragments_of(version: str | None) -> Iterator[None]:
    """Inside, the functions below use the fragments of this version of the content; none with None."""
    is_cached = bool(settings.FRAGMENT_CACHE_SECONDS)
    page = _page.set(_Page(version, timezone.now()) if is_cached and version is not None else None)
    given = _given.set(None if is_cached else {})
    try:
        yield
    finally:
        _given.reset(given)
        _page.reset(page)


def cached_fragment(make: Callable[[], Value], *key: Hashable) -> Value:
    """Return the fragment of this key in the active language, made when there is none. Never change it afterwards.

    Of the threads that miss it at once, one makes it. While fragments are off it is made once a page.
    """
    return _cached(_fragments, make, key)


def cached_listing(make: Callable[[], Value], *key: Hashable) -> Value:
    """`cached_fragment` for what depends on a search or a filter: fewer are kept, beside all the others."""
    return _cached(_listings, make, key)


def _cached(
    fragments: FragmentCache[Any, Any], make: Callable[[], Value], key: tuple[Hashable, ...]
) -> Value:
    page = _page.get()
    if page is None:
        return _given_once(make, key)
    whole = (get_language(), *key)
    found = fragments.find(whole, page.version)
    if found is None:
        made = _makers.begin(whole)
        if made is not None and made.wait(_PATIENCE_SECONDS):
            found = fragments.find(whole, page.version)
        try:
            if found is None:
                return _store(fragments, make(), whole, page)
        finally:
            _makers.end(whole)
    return cast(Value, None if found is _NONE else found)


def cached_content(make: Callable[[], Value], *key: Hashable) -> Value:
    """Return what was read of the content of the shop, in the active language: a fragment while a public page is made;
    elsewhere from the cache, for a minute, of the present version of the content; once a page where fragments are off.
    Never change it afterwards."""
    if _page.get() is not None:
        return cached_fragment(make, *key)
    return _given_once(lambda: _from_the_cache(make, *key), key)


def _given_once(make: Callable[[], Value], key: tuple[Hashable, ...]) -> Value:
    given = _given.get()
    if given is None:
        return make()
    whole = (get_language(), *key)
    if whole not in given:
        given[whole] = make()
    return cast(Value, given[whole])


def _from_the_cache(make: Callable[[], Value], *key: Hashable) -> Value:
    version = content_version()
    if version is None:
        return make()
    # Another release may have stored values of another shape: those of a dataclass would be read into other fields.
    name = ":".join(map(str, ("content", code_fingerprint(), version, get_language(), *key)))
    found: tuple[Value] | None = cache.get(name)
    if found is None:
        found = (make(),)
        cache.set(name, found, _CONTENT_SECONDS)
    return found[0]


def find_fragment(*key: Hashable) -> Any:
    """Return the fragment of this key in the active language, or None."""
    page, whole = _page.get(), (get_language(), *key)
    found = (_given.get() or {}).get(whole) if page is None else _fragments.find(whole, page.version)
    return None if found is _NONE else found


def store_fragment(fragment: Value, *key: Hashable) -> Value:
    """Store the fragment, for this page alone while fragments are off, and return it. Nowhere else is it stored."""
    page = _page.get()
    if page is None:
        return _given_once(lambda: fragment, key)
    return _store(_fragments, fragment, (get_language(), *key), page)


def _store(
    fragments: FragmentCache[Any, Any], fragment: Value, whole: tuple[Hashable, ...], page: _Page
) -> Value:
    seconds = seconds_to_boundary(page.since, page.version, most=settings.FRAGMENT_CACHE_SECONDS)
    fragments.put(whole, _NONE if fragment is None else fragment, page.version, seconds=seconds)
    return fragment
