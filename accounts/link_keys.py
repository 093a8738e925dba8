"""Keys of links in mails, kept in the session while their pages are open, so that no page, no address and no referrer
shows them. The form of a page says which of them it was shown for: several may be open in tabs of one browser.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseRedirect
from django.shortcuts import redirect
from django.utils.crypto import salted_hmac

FIELD = "link"
MOST = 5


def open_link(request: HttpRequest, kind: str, key: str, page: str) -> HttpResponseRedirect:
    """Keep the key of a link that was followed, in the session under `kind`, and lead to the page of that name."""
    request.session[kind] = [*_others(request, kind, key), key][-MOST:]
    response = redirect(page)
    response["Referrer-Policy"] = "no-referrer"
    return response


def link_key(request: HttpRequest, kind: str) -> str:
    """Return the key that a form was shown for, and where there is none the latest; "" once it was closed."""
    asked = request.POST.get(FIELD)
    held = reversed(request.session.get(kind, []))
    return next((key for key in held if asked in (None, link_mark(key))), "")


def link_mark(key: str) -> str:
    """Return what a form bears as `FIELD`: it tells nothing of the key."""
    return salted_hmac("accounts.link_keys", key).hexdigest()[:16]


def close_link(request: HttpRequest, kind: str) -> None:
    """Forget the key that this request is about."""
    if kind in request.session:
        request.session[kind] = _others(request, kind, link_key(request, kind))


def _others(request: HttpRequest, kind: str, key: str) -> list[str]:
    return [held for held in request.session.get(kind, []) if held != key]
