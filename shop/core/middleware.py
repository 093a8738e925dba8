"""Middleware: one address a page, one language an answer."""

import logging
from collections.abc import Callable
from urllib.parse import quote, unquote, urlsplit

from django.conf import settings
from django.contrib.sessions.middleware import SessionMiddleware
from django.db import DataError
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseNotAllowed,
    HttpResponsePermanentRedirect,
)
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.deprecation import MiddlewareMixin

from shop.core import errors
from shop.core.errors import is_outage
from shop.core.languages import active_language
from shop.core.request_kind import is_api, is_page, language_of

logger = logging.getLogger(__name__)

GetResponse = Callable[[HttpRequest], HttpResponseBase]


# What a sentence or a mail program leaves at the end of a link, and no address of a page ends in.
_BEHIND_LINKS = " \t\r\n\u00a0.,;!?)>]}'\"\u2019\u201d\u00bb"
# Queries whose last value is a key: what stands behind it belongs to no search or filter.
_KEYS = ("cle", "acces", "a")


class TrailingSlashMiddleware:
    """Pages have no trailing slash: one that has it is sent to the address without (301), and so is a link with the
    full stop, the bracket or the line break that followed it in a mail."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        path, query = request.path_info, request.META.get("QUERY_STRING", "")
        own_query = query
        own_path = path.rstrip("/" if query or is_api(request) else f"/{_BEHIND_LINKS}") or "/"
        others, ampersand, last = query.rpartition("&")
        name, _, value = last.partition("=")
        key = unquote(value)
        if name in _KEYS and key != (clean := key.rstrip(_BEHIND_LINKS)):
            own_query = f"{others}{ampersand}{name}={quote(clean, safe=':')}"
        if (
            (own_path, own_query) != (path, query)
            and request.method in ("GET", "HEAD")
            and not path.startswith(f"/{settings.ADMIN_PATH}")
            and not path.startswith((settings.STATIC_URL, settings.MEDIA_URL))
        ):
            # A path that began with several slashes would be read as another host.
            target, query = "/" + own_path.strip("/"), own_query
            if not urlsplit(target).netloc and "\\" not in target:
                response: HttpResponse = HttpResponsePermanentRedirect(
                    target + (f"?{query}" if query else "")
                )
                return response
        return self.get_response(request)


class NotFoundMiddleware(MiddlewareMixin):
    """What does not exist is answered with the shop's own page, in development too."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        return errors.page_not_found(request, exception) if isinstance(exception, Http404) else None

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        is_empty = isinstance(response, HttpResponseNotAllowed) and (is_page(request) or is_api(request))
        return errors.nothing_to_read(request, response) if is_empty else response


class OutageMiddleware(MiddlewareMixin):
    """A database or a disk that can't be used now is a 503 that says when to come back, never a 500."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        return _answer_outage(request, exception)


class OutageSessionMiddleware(SessionMiddleware):
    """Django's, whose sessions are stored behind the view, where no `process_exception` is asked."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        try:
            return super().process_response(request, response)
        except Exception as error:
            if answer := _answer_outage(request, error):
                return answer
            raise


def _answer_outage(request: HttpRequest, error: Exception) -> HttpResponse | None:
    if not is_outage(error):
        return None
    logger.error("%s %s: %s: %s", request.method, request.path, type(error).__name__, error)
    return errors.unavailable(request)


class NulMiddleware(MiddlewareMixin):
    """A value with NUL, which PostgreSQL keeps in no text and no honest client sends, is a 400, never a 500."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponseBase | None:
        is_nul = isinstance(exception, DataError) and "NUL (0x00)" in str(exception)
        return errors.bad_request(request) if is_nul else None


class LanguageMiddleware:
    """Activates the language of the address: `/en`, `/es`, `/de`, else French.

    Pages take their language from their address alone, so that each is one cacheable document.
    The API has no prefix: it answers in the language of the `Accept-Language` header, French when none fits.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with translation.override(language_of(request)):
            request.LANGUAGE_CODE = active_language()
            response = self.get_response(request)
            if is_api(request):
                patch_vary_headers(response, ("Accept-Language",))
            response.headers.setdefault("Content-Language", request.LANGUAGE_CODE)
            return response
