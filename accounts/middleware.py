"""The cookies of members: one tells public pages whether to ask who is here, one knows their devices."""

from collections.abc import Callable

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from accounts.devices import set_device_cookie

COOKIE = "member"


class MemberCookieMiddleware:
    """Keeps the cookie ``member=1`` in step with the session, and sends the device's cookie after a sign-in.

    Public pages are the same for everybody, so their header is completed in the browser: it asks
    ``/api/me`` only when this cookie is there. It grants nothing and is readable by scripts. Requests that
    never looked at the session are left alone and stay cacheable.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        set_device_cookie(request, response)
        if not request.session.accessed:
            return response
        signed_in = SESSION_KEY in request.session
        if signed_in and request.COOKIES.get(COOKIE) != "1":
            response.set_cookie(
                COOKIE,
                "1",
                max_age=settings.SESSION_COOKIE_AGE,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=False,
                samesite="Lax",
            )
        elif not signed_in and COOKIE in request.COOKIES:
            response.delete_cookie(COOKIE, samesite="Lax")
        return response
