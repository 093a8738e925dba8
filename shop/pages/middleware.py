"""Addresses that moved."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase

from shop.core.site import path_in_own_words
from shop.pages.models import Redirect

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class RedirectMiddleware:
    """Sends who asks for an address that is gone to the page's own (301), query included: to the words of its language
    (`/de/panier`), else to the address that an operator named.

    Looked up only where there is no page: at most one query a 404, none elsewhere. Browsers ask each time where an
    address leads: by themselves they keep a 301 for good, and turn in a circle once a page has its former name again.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._answer(request)
        if isinstance(response, HttpResponsePermanentRedirect):
            response.headers.setdefault("Cache-Control", "no-cache")
        return response

    def _answer(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code != 404 or request.method not in ("GET", "HEAD"):
            return response
        path = request.path_info
        if path.startswith(("/api/", "/static/", "/media/")) or "\x00" in path or len(path) > 400:
            return response
        target = (
            path_in_own_words(path)
            or Redirect.objects.filter(old_path=path).values_list("new_path", flat=True).first()
        )
        if target is None:
            return response
        query = request.META.get("QUERY_STRING", "")
        if query:
            page, *anchor = target.split("#", 1)
            target = "#".join([f"{page}{'&' if '?' in page else '?'}{query}", *anchor])
        return HttpResponsePermanentRedirect(target)
