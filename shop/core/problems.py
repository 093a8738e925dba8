"""Refusals that a visitor may meet, answered as `application/problem+json` (RFC 9457)."""

import logging
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.db import IntegrityError, OperationalError
from django.http import Http404, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from rest_framework import exceptions, status
from rest_framework.permissions import SAFE_METHODS
from rest_framework.response import Response
from rest_framework.views import set_rollback

from shop.core.keyset import BadCursor

logger = logging.getLogger(__name__)

CONTENT_TYPE = "application/problem+json"
LOCK_NOT_AVAILABLE = "55P03"
FOREIGN_KEY_VIOLATION = "23503"


class Problem(Exception):
    """An expected refusal.

    `code` is stable and English, `detail` is a sentence in the visitor's language, `errors` maps a field to
    its messages, `extra` adds members to the answer (for example a fresh quote), `retry_after` is in seconds.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        status: int = 400,
        *,
        errors: Mapping[str, list[str]] | None = None,
        extra: Mapping[str, Any] | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.status = status
        self.errors = dict(errors or {})
        self.extra = dict(extra or {})
        self.retry_after = retry_after

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the answer."""
        return {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}

    def set_headers(self, response: HttpResponse) -> HttpResponse:
        """Put the headers on a page that shows the refusal; gives the page back."""
        for name, value in self.headers.items():
            response.headers[name] = value
        return response


class InvalidFields(Problem):
    """The refusal of what was sent, field by field."""

    def __init__(self, errors: Mapping[str, list[str]]) -> None:
        super().__init__("invalid", _("Certains champs sont à corriger."), errors=errors)


def body(
    *,
    code: str,
    detail: str,
    status: int,
    errors: Mapping[str, list[str]] | None = None,
    extra: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the members of a problem document."""
    answer: dict[str, Any] = {
        "type": "about:blank",
        "title": _title(status),
        "status": status,
        "detail": detail,
        "code": code,
    }
    if errors:
        answer["errors"] = dict(errors)
    answer.update(extra or {})
    return answer


def problem_response(problem: Problem) -> JsonResponse:
    """The same document for a plain Django view."""
    return JsonResponse(
        body(
            code=problem.code,
            detail=str(problem.detail),
            status=problem.status,
            errors=problem.errors,
            extra=problem.extra,
        ),
        status=problem.status,
        content_type=CONTENT_TYPE,
        headers=problem.headers,
    )


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler: every refusal becomes a problem document; unknown errors stay errors."""
    headers: dict[str, str] = {}
    if isinstance(error, exceptions.ValidationError):
        error = InvalidFields(_flatten(error.detail))
    elif isinstance(error, BadCursor):
        error = InvalidFields({"cursor": [_("Cette page n'existe pas.")]})
    if isinstance(error, Problem):
        document = body(
            code=error.code,
            detail=str(error.detail),
            status=error.status,
            errors=error.errors,
            extra=error.extra,
        )
        headers |= error.headers
    elif isinstance(error, Http404):
        document = body(code="not_found", detail=_("Cette page n'existe pas."), status=404)
    elif meets_nothing(error, context["request"].method):
        # A fault of the shop's own would look the same to its caller.
        logger.warning("%s: %s", context["request"].path, type(error).__qualname__)
        document = body(
            code="not_found", detail=_("Cela n'existe plus\u00a0: supprimé entre-temps."), status=404
        )
    elif isinstance(error, PermissionDenied):
        document = body(code="forbidden", detail=_("Vous n'avez pas accès à cette ressource."), status=403)
    elif isinstance(error, exceptions.APIException):
        document = _from_api_exception(error)
        if (wait := getattr(error, "wait", None)) is not None:
            headers["Retry-After"] = str(int(wait) + 1)
        if header := getattr(error, "auth_header", None):
            headers["WWW-Authenticate"] = header
    elif isinstance(error, OperationalError) and waited_too_long(error):
        # Nothing is lost: the transaction was undone, and the same call works a moment later.
        document = body(
            code="busy",
            detail=_("Trop de demandes. Réessayez dans un instant."),
            status=status.HTTP_503_SERVICE_UNAVAILABLE,
        )
        headers["Retry-After"] = "2"
    else:
        return None
    set_rollback()
    return Response(document, status=document["status"], headers=headers, content_type=CONTENT_TYPE)


def meets_nothing(error: Exception, method: str | None) -> bool:
    """Return whether a page or a call asked for what is not there, or found a row that was deleted while its change
    waited: the row it changes, or one that it names (a product's category)."""
    match error:
        case Http404():
            return True
        case Problem():
            return error.status == 404
        case IntegrityError():
            # What can't be deleted because others name it breaks the same rule.
            return method != "DELETE" and names_nothing(error)
    return isinstance(error, ObjectDoesNotExist) and method not in SAFE_METHODS


def names_nothing(error: IntegrityError) -> bool:
    """Return whether a row was to be stored that names one that is gone."""
    cause = error.__cause__
    sqlite = getattr(cause, "sqlite_errorname", None) == "SQLITE_CONSTRAINT_FOREIGNKEY"
    return sqlite or getattr(cause, "sqlstate", None) == FOREIGN_KEY_VIOLATION


def waited_too_long(error: OperationalError) -> bool:
    """Return whether the database gave up waiting for a row that others hold (PostgreSQL's `lock_timeout`)."""
    return getattr(error.__cause__, "sqlstate", None) == LOCK_NOT_AVAILABLE


def _from_api_exception(error: exceptions.APIException) -> dict[str, Any]:
    known = {
        exceptions.ParseError: ("malformed", _("La requête n'est pas lisible.")),
        exceptions.NotAuthenticated: ("not_authenticated", _("Connectez-vous pour continuer.")),
        exceptions.AuthenticationFailed: ("not_authenticated", _("Connectez-vous pour continuer.")),
        exceptions.PermissionDenied: ("forbidden", _("Vous n'avez pas accès à cette ressource.")),
        exceptions.NotFound: ("not_found", _("Cette page n'existe pas.")),
        exceptions.MethodNotAllowed: ("method_not_allowed", _("Cette méthode n'est pas acceptée ici.")),
        exceptions.NotAcceptable: ("not_acceptable", _("Ce format de réponse n'existe pas ici.")),
        exceptions.UnsupportedMediaType: ("unsupported_media_type", _("Envoyez du JSON encodé en UTF-8.")),
        exceptions.Throttled: ("throttled", _("Trop de demandes. Réessayez dans un instant.")),
    }
    if error.get_codes() == "csrf_failed":
        code, detail = "csrf_failed", _("La page a expiré. Rechargez-la puis recommencez.")
    else:
        code, detail = next(
            (texts for kind, texts in known.items() if isinstance(error, kind)),
            (str(error.default_code), str(error.detail)),
        )
    return body(code=code, detail=detail, status=error.status_code)


def _flatten(detail: Any, prefix: str = "") -> dict[str, list[str]]:
    """DRF's nested messages as `{"customer.email": ["…"]}`."""
    if isinstance(detail, Mapping):
        found: dict[str, list[str]] = {}
        for name, inner in detail.items():
            found.update(_flatten(inner, f"{prefix}.{name}" if prefix else str(name)))
        return found
    if isinstance(detail, list):
        if all(not isinstance(item, Mapping | list) for item in detail):
            return {prefix or "non_field_errors": [str(item) for item in detail]}
        found = {}
        for index, inner in enumerate(detail):
            if inner:
                found.update(_flatten(inner, f"{prefix}.{index}" if prefix else str(index)))
        return found
    return {prefix or "non_field_errors": [str(detail)]}


def _title(status_code: int) -> str:
    titles = {
        400: _("Demande incorrecte"),
        401: _("Connexion nécessaire"),
        403: _("Accès refusé"),
        404: _("Introuvable"),
        405: _("Méthode refusée"),
        406: _("Format non accepté"),
        409: _("Conflit"),
        410: _("Introuvable"),
        413: _("Demande trop volumineuse"),
        415: _("Format non accepté"),
        422: _("Demande contradictoire"),
        429: _("Trop de demandes"),
        503: _("Service indisponible"),
    }
    return titles.get(status_code, _("Erreur"))
