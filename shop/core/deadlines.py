"""When a request has to have ended: its calls of other servers share one limit, however many there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from shop.core.request_kind import is_page

# A busy machine may reach its end before its first question: a server that answers at once is still heard.
LEAST_SECONDS = 0.25

_end: ContextVar[float | None] = ContextVar("deadline", default=None)


class DeadlineMiddleware:
    """Gives each request its limit (REQUEST_SECONDS): pages a short one, what buys or administers a longer one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with deadline(settings.REQUEST_SECONDS["page" if is_page(request) else "request"]):
            return self.get_response(request)


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Inside, `seconds_left` counts down from so many seconds."""
    token = _end.set(monotonic() + seconds)
    try:
        yield
    finally:
        _end.reset(token)


def seconds_left() -> float | None:
    """Return how long the request may still take, never below LEAST_SECONDS; None outside requests."""
    end = _end.get()
    return None if end is None else max(LEAST_SECONDS, end - monotonic())


def is_over() -> bool:
    """Return whether a call that is begun now would end after the request's limit."""
    end = _end.get()
    return end is not None and end - monotonic() < LEAST_SECONDS
