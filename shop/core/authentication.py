"""Who calls the API, and the check that their own page made the call."""

from typing import Any

from rest_framework.authentication import CSRFCheck, SessionAuthentication
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request


class CsrfFailed(PermissionDenied):
    """A call without the token of its own page: 403."""

    default_code = "csrf_failed"


class CsrfSessionAuthentication(SessionAuthentication):
    """Django's session, with the CSRF check for anonymous visitors too.

    DRF checks only signed-in callers; a checkout or a sign-in changes state for anybody.
    """

    def authenticate(self, request: Request) -> tuple[Any, None] | None:
        self.enforce_csrf(request)
        user = getattr(request._request, "user", None)
        if user is None or not user.is_active:
            return None
        return (user, None)

    def enforce_csrf(self, request: Request) -> None:
        check = CSRFCheck(lambda _request: None)  # type: ignore[arg-type]
        check.process_request(request)
        if check.process_view(request, None, (), {}):  # type: ignore[arg-type]
            raise CsrfFailed(code="csrf_failed")

    def authenticate_header(self, request: Request) -> str:
        # With a challenge DRF answers 401 to a caller who is not signed in, rather than 403.
        return "Session"
