"""Error pages. Those of a failing server are drawn without database, session or context processor."""

from http import HTTPStatus
from typing import Any

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template import loader
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.views.debug import ExceptionReporter

from shop.core.problems import Problem, problem_response


def _is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith(("/api/", "/webhooks/", "/functions/"))


def _answer(request: HttpRequest, status: HTTPStatus, code: str, detail: str) -> HttpResponse:
    if _is_api(request):
        return problem_response(Problem(code, detail, status))
    return render(request, f"errors/{status.value}.html", status=status)


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if _is_api(request):
        return problem_response(Problem("malformed", _("La requête n'est pas lisible."), 400))
    # A bad Host header arrives here too: nothing of the request may be trusted or printed.
    return HttpResponse(loader.render_to_string("errors/400.html"), status=400)


def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponseBase:
    return _answer(request, HTTPStatus.FORBIDDEN, "forbidden", _("Vous n'avez pas accès à cette ressource."))


def csrf_failure(request: HttpRequest, reason: str = "", **kwargs: Any) -> HttpResponseBase:
    return _answer(
        request, HTTPStatus.FORBIDDEN, "csrf_failed", _("La page a expiré. Rechargez-la puis recommencez.")
    )


def page_not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponseBase:
    return _answer(request, HTTPStatus.NOT_FOUND, "not_found", _("Cette page n'existe pas."))


def server_error(request: HttpRequest) -> HttpResponse:
    if _is_api(request):
        return problem_response(Problem("server_error", _("Une erreur est survenue de notre côté."), 500))
    return HttpResponse(loader.render_to_string("errors/500.html"), status=500)


class PageReporter(ExceptionReporter):
    """What Django answers in the place of its technical page, with the status that it chose."""

    def get_traceback_html(self) -> SafeString:
        """The page, or for a call the JSON, that a visitor reads without DEBUG."""
        if self.request is None:
            return super().get_traceback_html()
        bad = isinstance(self.exc_value, SuspiciousOperation | BadRequest | MultiPartParserError)
        answer = (bad_request if bad else server_error)(self.request)
        return mark_safe(answer.content.decode())  # noqa: S308 - rendered by our own template

    def get_traceback_text(self) -> SafeString:
        return self.get_traceback_html()
