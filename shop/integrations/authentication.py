"""Who calls with a key, and what the key opens.

Every call is counted before its key is looked up: by its network, then by the whole key that it sends, so that nobody
uses up the calls of a key by its beginning alone. A wrong key does the same work as a right one. No part of a secret
reaches a log.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from shop.core import limits
from shop.core.client_address import client_address
from shop.core.problems import Problem
from shop.integrations.keys import find_api_key, record_use
from shop.integrations.models import ApiKey, Scope

CHALLENGE = "Bearer"


class ApiKeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer <key>`; the key is `request.auth`. 401 without a right one, 429 beyond the limits."""

    def authenticate(self, request: Request) -> tuple[AnonymousUser, ApiKey]:
        limits.enforce(limits.API_NETWORK, client_address(request._request))
        text = _bearer(request)
        limits.enforce(limits.API_KEY, text)
        key = find_api_key(text)
        if key is None:
            raise _refused()
        record_use(key)
        return AnonymousUser(), key

    def authenticate_header(self, request: Request) -> str:
        return CHALLENGE


def opened_by(**scopes: Scope) -> type[BasePermission]:
    """Return the permission class of a call: the scope that each method asks for, `opened_by(get=…, post=…)`."""

    class KeyOpens(BasePermission):
        def has_permission(self, request: Request, view: APIView) -> bool:
            method = "get" if request.method == "HEAD" else (request.method or "").lower()
            if method not in scopes:
                return True
            key = request.auth
            if not isinstance(key, ApiKey):
                raise _refused()
            if scopes[method] not in key.scopes:
                raise Problem(
                    "scope_missing",
                    _("Cette clé n'a pas le droit nécessaire\u00a0: %(scope)s.") % {"scope": scopes[method]},
                    403,
                )
            return True

    return KeyOpens


def _bearer(request: Request) -> str:
    """Return the key of the header; a text that no key has for anything else."""
    kind, _space, text = get_authorization_header(request).partition(b" ")
    return text.strip().decode("ascii", "replace") if kind.lower() == CHALLENGE.lower().encode() else ""


class KeyRefused(Problem):
    """401, with the challenge that the standard asks for."""

    @property
    def headers(self) -> dict[str, str]:
        return {**super().headers, "WWW-Authenticate": CHALLENGE}


def _refused() -> Any:
    return KeyRefused("invalid_key", _("Clé d'API absente, inconnue, révoquée ou expirée."), 401)
