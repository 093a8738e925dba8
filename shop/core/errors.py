"""Error pages, and which errors are an outage of the database or the disk.

Pages of a failing server are drawn without database, session or context processor.
"""

import errno
import logging
import sqlite3
import sys
from http import HTTPStatus

from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.db import DatabaseError, InterfaceError, InternalError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template import loader
from django.utils import translation
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.views.debug import ExceptionReporter

from shop.core.problems import Problem, problem_response
from shop.core.request_kind import is_api, language_of
from shop.core.site import COLLECTION_VIEW

RETRY_AFTER_SECONDS = 10

# Busy, locked, out of memory, read-only, input/output, full, can't be opened, locking protocol. The rest of
# SQLite's operational errors are mistakes in a statement.
_SQLITE = frozenset((5, 6, 7, 8, 10, 13, 14, 15))
# A server that only reads (a standby, or a full disk), one that ended a transaction that idled, and what it calls its
# own faults (class XX), as a page that a full disk left half-written.
_POSTGRES_INTERNAL = ("25006", "25P03", "XX")
_DISK = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO))


class DeadLink(Http404):
    """A link of ours that opens nothing: cut, over, or somebody else's. `template` is a page that says how to get
    another one, the same whatever is wrong with it."""

    def __init__(self, template: str) -> None:
        super().__init__()
        self.template = template


def is_outage(error: BaseException) -> bool:
    """Return whether the same request is likely to succeed once the database or the disk can be used again."""
    if isinstance(error, OSError):
        return error.errno in _DISK
    if not isinstance(error, DatabaseError | InterfaceError):
        return False
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", 0) & 0xFF in _SQLITE
    if isinstance(error, InternalError):
        return str(getattr(cause, "sqlstate", "")).startswith(_POSTGRES_INTERNAL)
    return isinstance(error, OperationalError | InterfaceError)


class Outages(logging.Filter):
    """Makes a task, job or row that failed because database or disk can't be used an error of one line, as a request.

    Until it is back, each tick of the beat and each row of a job would write the same traceback.
    """

    loggers = ("celery.app.trace", "shop.core.each_row", "shop.core.jobs")

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name in self.loggers and record.exc_info:
            error = record.exc_info[1]
            if error is not None and is_outage(error):
                message = record.getMessage()
                if str(error) not in message:
                    message = f"{message}: {type(error).__name__}: {error}"
                record.msg, record.args = message, ()
                record.exc_info = record.exc_text = None
        return True


def _answer(
    request: HttpRequest, status: HTTPStatus, code: str, detail: str, template: str = ""
) -> HttpResponse:
    if is_api(request):
        return problem_response(Problem(code, detail, status))
    return render(request, template or f"errors/{status.value}.html", status=status)


def bad_request(request: HttpRequest, exception: BaseException | None = None) -> HttpResponse:
    if isinstance(exception, RequestDataTooBig):
        return _too_large(request)
    if is_api(request):
        return problem_response(Problem("malformed", _("La requête n'est pas lisible."), 400))
    # A bad Host header arrives here too: nothing of the request may be trusted or printed.
    return HttpResponse(loader.render_to_string("errors/400.html"), status=400)


def _too_large(request: HttpRequest) -> HttpResponse:
    if is_api(request):
        return problem_response(Problem("too_large", _("La demande est trop volumineuse."), 413))
    return HttpResponse(loader.render_to_string("errors/413.html"), status=413)


def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponseBase:
    return _answer(request, HTTPStatus.FORBIDDEN, "forbidden", _("Vous n'avez pas accès à cette ressource."))


def page_expired(request: HttpRequest) -> HttpResponse:
    return _answer(
        request, HTTPStatus.FORBIDDEN, "csrf_failed", _("La page a expiré. Rechargez-la puis recommencez.")
    )


def page_not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponseBase:
    match = request.resolver_match
    if match is not None and match.view_name == COLLECTION_VIEW:
        # A word that is no collection's is no page in any language.
        request.resolver_match = None
    template = exception.template if isinstance(exception, DeadLink) else ""
    return _answer(request, HTTPStatus.NOT_FOUND, "not_found", _("Cette page n'existe pas."), template)


def nothing_to_read(request: HttpRequest, refusal: HttpResponseBase) -> HttpResponseBase:
    """What an address that takes forms or calls of another kind answers, in the place of Django's empty answer."""
    answer: HttpResponse
    if is_api(request):
        answer = problem_response(
            Problem("method_not_allowed", _("Cette méthode n'est pas acceptée ici."), refusal.status_code)
        )
    else:
        request.resolver_match = None
        answer = render(request, "errors/404.html", status=refusal.status_code)
    answer["Allow"] = refusal["Allow"]
    return answer


def unavailable(request: HttpRequest) -> HttpResponse:
    """503: the database or the disk can't be used now. Asks neither, in the visitor's language."""
    # What failed may have stood before the middleware that chooses the language.
    with translation.override(language_of(request)):
        if is_api(request):
            detail = _(
                "La boutique ne répond pas en ce moment. Votre panier est intact : réessayez dans un instant."
            )
            response: HttpResponse = problem_response(Problem("unavailable", detail, 503))
        else:
            response = HttpResponse(loader.render_to_string("errors/503.html"), status=503)
        response.headers["Content-Language"] = translation.get_language()
    response.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    response.headers["Cache-Control"] = "no-store"
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    error = sys.exc_info()[1]
    if error is not None and is_outage(error):
        # Raised by a middleware: what a view raises never comes here.
        return unavailable(request)
    if is_api(request):
        return problem_response(Problem("server_error", _("Une erreur est survenue de notre côté."), 500))
    return HttpResponse(loader.render_to_string("errors/500.html"), status=500)


class PageReporter(ExceptionReporter):
    """What Django answers in the place of its technical page, with the status that it chose."""

    def get_traceback_html(self) -> SafeString:
        """Return the page, or for a call the JSON, that a visitor reads without DEBUG."""
        if self.request is None:
            return super().get_traceback_html()
        error = self.exc_value
        bad = isinstance(error, SuspiciousOperation | BadRequest | MultiPartParserError)
        answer = bad_request(self.request, error) if bad else server_error(self.request)
        return mark_safe(answer.content.decode())  # noqa: S308 - rendered by our own template

    def get_traceback_text(self) -> SafeString:
        return self.get_traceback_html()
