"""The one request parser of the API: strict JSON, so that odd input is a 400 and never a crash."""

import json
import math
import re
from collections.abc import Mapping
from typing import IO, Any, NoReturn

from django.core.exceptions import RequestDataTooBig
from django.utils.translation import gettext_lazy as _
from rest_framework.exceptions import APIException, ParseError, UnsupportedMediaType
from rest_framework.parsers import BaseParser

MAX_DEPTH = 20
MAX_BYTES = 1024 * 1024
# A body of a megabyte holds 300,000 empty lists, which take a second to read. Brackets within texts count too.
MAX_BRACKETS = 10_000
# Of one list or object. Fields that take fewer look at each first: a list of 400,000 numbers took them 30 seconds.
MAX_ITEMS = 1000
NOT_KEPT = re.compile("[\x00\ud800-\udfff]")
"""NUL and halves of surrogate pairs, which JSON can express and PostgreSQL can't store."""


class BodyTooLarge(APIException):
    """A body with more bytes or brackets than a call can need: 413."""

    status_code = 413
    default_code = "too_large"
    default_detail = _("La demande est trop volumineuse.")


class StrictJSONParser(BaseParser):
    """JSON objects in UTF-8 only: no NaN, no infinite number, no duplicate keys, no deep nesting, no NUL characters, no
    heaps of lists, no list without end.
    """

    media_type = "application/json"
    document_type: type = dict

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        charset = _charset(media_type)
        if charset not in ("utf-8", "utf8", "us-ascii"):
            raise UnsupportedMediaType(media_type or "")
        try:
            raw = stream.read(MAX_BYTES + 1)
        except RequestDataTooBig as error:
            raise BodyTooLarge from error
        if len(raw) > MAX_BYTES:
            raise BodyTooLarge
        if raw.count(b"[") + raw.count(b"{") > MAX_BRACKETS:
            raise ParseError
        try:
            document = json.loads(
                raw.decode("utf-8"), parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_unique
            )
        except (ValueError, RecursionError) as error:
            raise ParseError from error
        if not isinstance(document, self.document_type) or _unusable(document, 1):
            raise ParseError
        return document


class StrictJSONListParser(StrictJSONParser):
    """The same for the few calls whose body is a list."""

    document_type = list


def _charset(media_type: str | None) -> str:
    for part in (media_type or "").split(";")[1:]:
        name, _, value = part.strip().partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip('"').lower()
    return "utf-8"


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is infinite")
    return number


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("duplicate key")
    return found


def _unusable(value: Any, depth: int) -> bool:
    """True for nesting past MAX_DEPTH, for more than MAX_ITEMS side by side, and for text that no database column holds
    (NUL, lone surrogates)."""
    if depth > MAX_DEPTH or (isinstance(value, dict | list) and len(value) > MAX_ITEMS):
        return True
    if isinstance(value, str):
        return NOT_KEPT.search(value) is not None
    if isinstance(value, dict):
        return any(_unusable(key, depth) or _unusable(inner, depth + 1) for key, inner in value.items())
    if isinstance(value, list):
        return any(_unusable(inner, depth + 1) for inner in value)
    return False
