"""What a browser's beacon says, read strictly: an unknown name, a wrong type or too long a text is refused whole.

Nothing of it is ever shown as it came: paths become routes, referrers hosts, campaigns words of a small alphabet.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from shop.core.searching import folded
from shop.statistics.models import Device, Metric
from shop.statistics.page_names import PageName, page_name
from shop.statistics.vitals import bucket_of

MAX_BODY = 4096
MOST_VITALS = 10
SEARCH_LENGTH = 60
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,98}[a-z0-9])?")
_CAMPAIGN_WORD = re.compile(r"[a-z0-9][a-z0-9._+-]{0,49}")
# What people type of themselves by mistake: an address, a number of a telephone, an order or a card.
_PERSONAL = re.compile(r"@|(?:\d[ .-]?){6}")
# Pages that a purchase leads through: they bring nobody.
_OF_THE_PURCHASE = (".stripe.com",)
_KEYS = frozenset(
    ("kind", "path", "device", "referrer", "source", "medium", "campaign", "search", "found"),
)
_VITAL_KEYS = frozenset(("name", "value", "rating", "path", "device"))


class UnreadableError(ValueError):
    """The beacon is none of the shop's."""


@dataclass(frozen=True, slots=True)
class PageView:
    """A page was shown. `source` is the host that led to it, "" for none or the shop's own."""

    page: PageName
    device: Device
    source: str
    campaign: str


@dataclass(frozen=True, slots=True)
class CartAddition:
    """Something was put into the cart on a page."""

    page: PageName
    device: Device


@dataclass(frozen=True, slots=True)
class Search:
    """A word was looked for; `text` is "" when it may not be stored."""

    page: PageName
    device: Device
    text: str
    has_results: bool


@dataclass(frozen=True, slots=True)
class Vital:
    """A measurement of a web vital, as a bucket of its histogram."""

    page: PageName
    device: str
    metric: Metric
    bucket: int


Event = PageView | CartAddition | Search


def read_event(body: bytes) -> Event | None:
    """Return what the beacon reports; None for a page that is not counted. Raises UnreadableError."""
    data = _object(_json(body), _KEYS)
    page = page_name(_text(data, "path", 2000))
    device = _device(data)
    match data.get("kind"):
        case "page":
            source, campaign = _source(data), _campaign(data)
            return PageView(page, device, source, campaign) if page else None
        case "cart":
            return CartAddition(page, device) if page else None
        case "search":
            text, found = _search_text(data), data.get("found")
            if isinstance(found, bool) or not isinstance(found, int) or found < 0:
                raise UnreadableError("found")
            return Search(page, device, text, found > 0) if page else None
    raise UnreadableError("kind")


def read_vitals(body: bytes) -> list[Vital]:
    """Return the measurements of one `{name, value, rating, path, device}` or of a list of them. Raises
    UnreadableError."""
    data = _json(body)
    rows = data if isinstance(data, list) else [data]
    if len(rows) > MOST_VITALS:
        raise UnreadableError("too many")
    return [vital for row in rows if (vital := _vital(_object(row, _VITAL_KEYS))) is not None]


def _vital(data: Mapping[str, Any]) -> Vital | None:
    name, value = data.get("name"), data.get("value")
    if name not in Metric.values or isinstance(value, bool) or not isinstance(value, int | float):
        raise UnreadableError("name or value")
    # Known from the value; sent because a reader of the log understands it.
    _text(data, "rating", 20)
    device = _device(data) if "device" in data else ""
    page = page_name(_text(data, "path", 2000))
    bucket = bucket_of(Metric(name), value)
    if page is None or bucket is None:
        return None
    return Vital(page, device, Metric(name), bucket)


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise UnreadableError("no JSON") from error


def _object(data: Any, keys: frozenset[str]) -> Mapping[str, Any]:
    if not isinstance(data, dict) or not data.keys() <= keys:
        raise UnreadableError("no object, or unknown names")
    return data


def _text(data: Mapping[str, Any], name: str, longest: int) -> str:
    text = data.get(name, "")
    if not isinstance(text, str) or len(text) > longest:
        raise UnreadableError(name)
    return text


def _device(data: Mapping[str, Any]) -> Device:
    try:
        return Device(_text(data, "device", 10))
    except ValueError as error:
        raise UnreadableError("device") from error


def _source(data: Mapping[str, Any]) -> str:
    """Return the host that led here, in the form that all of its pages share."""
    host = _text(data, "referrer", 255).lower().removeprefix("www.")
    own = (urlsplit(settings.SITE_URL).hostname or "").removeprefix("www.")
    if host == own or host.endswith(_OF_THE_PURCHASE) or not _HOST.fullmatch(host):
        return ""
    return host


def _campaign(data: Mapping[str, Any]) -> str:
    """Return `source / medium / campaign` of a link's utm words, without their accents; a word in another alphabet is
    left out."""
    words = [folded(_text(data, name, 200)).replace(" ", "-") for name in ("source", "medium", "campaign")]
    known = [word if _CAMPAIGN_WORD.fullmatch(word) else "" for word in words]
    return " / ".join(word or "–" for word in known) if any(known) else ""


def _search_text(data: Mapping[str, Any]) -> str:
    text = "".join(sign for sign in _text(data, "search", 300) if sign.isprintable())
    text = " ".join(text.casefold().split())[:SEARCH_LENGTH]
    return "" if _PERSONAL.search(text) else text
