"""What kind of request this is, read from its address alone."""

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation

from shop.core.languages import language_of_path

STAFF_PREFIX = "/admin"
"""Where the staff area stands."""
_API = ("/api/", "/webhooks/", "/functions/")


def is_api(request: HttpRequest) -> bool:
    """Return whether a program asks: it is answered in JSON."""
    return request.path_info.startswith(_API)


def is_staff_area(request: HttpRequest) -> bool:
    """Return whether staff or an operator work: pages, forms and calls of the staff area."""
    path = request.path_info
    return path == STAFF_PREFIX or path.startswith(
        (f"/{settings.ADMIN_PATH}", f"{STAFF_PREFIX}/", f"/api{STAFF_PREFIX}/")
    )


def is_page(request: HttpRequest) -> bool:
    """Return whether a visitor waits to read: neither a call, nor a form that was sent, nor the administration."""
    return request.method in ("GET", "HEAD") and not is_api(request) and not is_staff_area(request)


def language_of(request: HttpRequest) -> str:
    """Return the language of the answer: the address names that of a page, the `Accept-Language` header that of a
    call.
    """
    if is_api(request):
        return translation.get_language_from_request(request)
    return language_of_path(request.path_info) or settings.LANGUAGE_CODE
