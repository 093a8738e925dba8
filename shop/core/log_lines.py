"""Lines of the log: as text or as JSON, with what they belong to, without anything personal and without secrets.

A line tells the request or task that it was written in, and the order where one is at hand, so that everything about
one of them is found by its id. Nobody may learn from a log who somebody is, nor open with it what they opened: keys of
links, passwords, e-mail and network addresses are hidden in messages and tracebacks alike. What no pattern can
recognise, a name for example, must not be written to the log at all.
"""

from __future__ import annotations

import logging
import re
from contextvars import ContextVar, Token
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.http import HttpRequest
from pythonjsonlogger.json import JsonFormatter

_HIDING: tuple[tuple[re.Pattern[str], str], ...] = (
    # Signed keys and random ones: longer than any word of an address, and than the key of an order.
    (re.compile(r"(?<=[/=])[-\w:.~%]{40,}"), "[key]"),
    # Stripe's keys and secrets, by their beginnings.
    (re.compile(r"\b(?:sk|rk|pk)_(?:live|test)_\w+|\bwhsec_\w+"), "[key]"),
    (re.compile(r"(?<=://)[^/\s:@]*:[^/\s@]+(?=@)"), "[password]"),
    (re.compile(r"(?i)\b(Bearer|Basic)\s+[-\w.~+/=]{8,}"), r"\1 [key]"),
    # What people typed stands in the values that a database complains about.
    (re.compile(r"^([ \t]*DETAIL:).*$", re.MULTILINE), r"\1 [values]"),
    # From the beginning of a run alone: tried at each of its characters, a long address would take seconds.
    (
        re.compile(r"(?<![\w.!#$%&'*+/=?^`{|}~-])[\w.!#$%&'*+/=?^`{|}~-]+(?:@|%40)[\w-]+(?:\.[\w-]+)+"),
        "[e-mail]",
    ),
    (re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])"), "[address]"),
    (
        re.compile(r"(?<![\w:.])(?=[\da-fA-F:]*(?:::|(?::[\da-fA-F]{1,4}){7}))[\da-fA-F:]{3,39}(?![\w:])"),
        "[address]",
    ),
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_REQUEST_ID = re.compile(r"[\w.-]{8,64}", re.ASCII)
TASK_HEADER = "shop_request_id"

Context = dict[str, str]
_current: ContextVar[HttpRequest | Context | None] = ContextVar("log_context", default=None)


def hide(text: str) -> str:
    """Return a text without keys, passwords, e-mail and network addresses."""
    for pattern, word in _HIDING:
        text = pattern.sub(word, text)
    return text


def bind(source: HttpRequest | Context) -> Token[HttpRequest | Context | None]:
    """From now on lines of this thread belong to a request or task, until `unbind`. Costs a request nothing: its id is
    found when a line needs it."""
    return _current.set(source)


def unbind(token: Token[HttpRequest | Context | None]) -> None:
    _current.reset(token)


def note_order(order_id: object) -> None:
    """From now on the lines of this request or task are about an order. Nothing happens outside of both."""
    context = _now()
    if context is not None:
        context["order"] = str(order_id)


def context_of_request(request: HttpRequest) -> Context:
    """Return what the lines of a request say of it: its id, given by a trusted proxy or made here."""
    context: Context | None = getattr(request, "log_context", None)
    if context is None:
        context = {"request_id": given_request_id(request) or uuid4().hex}
        request.log_context = context  # type: ignore[attr-defined]
    return context


def current_request_id() -> str:
    """Return the id of the request that goes on, or of the one that published the task that goes on; else ""."""
    return (_now() or {}).get("request_id", "")


def given_request_id(request: HttpRequest) -> str:
    """Return the id that a trusted proxy gave the request; "" without a proxy, or where it is no plain word."""
    given = str(request.META.get("HTTP_X_REQUEST_ID", "")) if settings.TRUSTED_PROXIES else ""
    return given if _REQUEST_ID.fullmatch(given) else ""


def context_of(record: logging.LogRecord) -> Context:
    """Return what a line belongs to. Django writes some about a request after its middleware has ended."""
    request = getattr(record, "request", None)
    if not isinstance(request, HttpRequest):
        return dict(_now() or {})
    context = dict(context_of_request(request))
    match = request.resolver_match
    if match is not None and "order_id" in match.kwargs:
        context.setdefault("order", str(match.kwargs["order_id"]))
    return context


def _now() -> Context | None:
    source = _current.get()
    return context_of_request(source) if isinstance(source, HttpRequest) else source


class RefusedRequests(logging.Filter):
    """Makes a request that is refused for what it is (a foreign host, too large a form) a warning of one line.

    Django writes an error with a traceback of each, and strangers send them as fast as they like.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if is_refusal(record.name) or (record.name == "django.request" and record.levelno < logging.ERROR):
            record.exc_info = record.exc_text = None
            record.levelno = min(record.levelno, logging.WARNING)
            record.levelname = logging.getLevelName(record.levelno)
        return True


def is_refusal(logger_name: str) -> bool:
    """Return whether lines of a logger say that a request was refused, for what a stranger sent."""
    return logger_name.startswith("django.security.")


class TextLine(logging.Formatter):
    """A line to read: moment, level, logger, message and what it belongs to."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}: {message}", style="{")

    def format(self, record: logging.LogRecord) -> str:
        return hide(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (the library's name)
        """What a stranger sent writes no line of its own and moves no cursor."""
        return _CONTROL.sub(lambda sign: repr(sign[0])[1:-1], super().formatMessage(record))


class JsonLine(JsonFormatter):
    """One JSON object a line: `time` (UTC), `level`, `logger`, `message`, `exception`, and of what it belongs to
    `request_id`, `task`, `task_id` and `order`. Nothing else that a caller adds to a record is written."""

    def __init__(self) -> None:
        super().__init__(json_ensure_ascii=False)

    def add_fields(
        self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]
    ) -> None:
        moment = datetime.fromtimestamp(record.created, tz=UTC)
        log_data.update(
            time=moment.isoformat(timespec="milliseconds"),
            level=record.levelname,
            logger=record.name,
            message=hide(record.getMessage()),
            **{name: hide(value) for name, value in context_of(record).items()},
        )
        error = message_dict.get("exc_info")
        if error:
            log_data["exception"] = hide(str(error))
