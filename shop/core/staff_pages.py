"""Pages of the staff area: who may open one, and what every one of them is answered with.

The area is French: only the people of the workshop read it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from csp.constants import NONE, SELF, UNSAFE_INLINE
from csp.decorators import csp_update
from django.core.exceptions import ObjectDoesNotExist, PermissionDenied
from django.db import IntegrityError
from django.http import Http404, HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from shop.core.kept_forms import ask_to_sign_in, offer_kept
from shop.core.problems import Problem, meets_nothing
from shop.core.staff_actions import StaffAction, may

logger = logging.getLogger(__name__)

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]

READ = ("GET", "HEAD")
WRITE = (*READ, "POST")
CREATION_KEY = "creation_key"
"""The hidden field by which a form that makes something makes it once (`{% creation_key %}`)."""
# Proofs, buttons, and what a page says of itself.
_NOT_TYPED = frozenset(
    f"csrfmiddlewaretoken {CREATION_KEY} seen version reread expected digest confirm confirmed action apparence avant "
    "bloquer commande decision deposee etape etat langue lines next on role vers".split()
)
# A mail carries its own styles and may load pictures of the shop, nothing else; scripts and forms are off by the
# sandbox as well.
MAIL_POLICY: dict[str, Any] = {
    "default-src": [NONE],
    "style-src": [UNSAFE_INLINE],
    "img-src": [SELF],
    "form-action": [NONE],
    "base-uri": [NONE],
    "frame-ancestors": [SELF],
    "sandbox": ["allow-popups", "allow-popups-to-escape-sandbox"],
}


def staff_page(
    action: StaffAction, methods: Collection[str] = READ, *, others_to: str = ""
) -> Callable[[View[P]], View[P]]:
    """Make a view a page of the staff area, for those who may do `action`.

    Nobody signed in is sent to sign in and comes back, with the form that was sent; staff who still lack their second
    factor are sent to add it; anybody else is sent to the page named `others_to`, or answered 403, as is whoever lacks
    what the view itself requires. Never cached, never indexed. Texts sent to what is no longer there are shown once
    more. Pictures that the browser itself made (previews of a photo before it is sent) may be shown.
    """

    def decorate(view: View[P]) -> View[P]:
        asked = require_http_methods(list(methods))(view)

        @wraps(view)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            try:
                refusal = _refusal(request, action, others_to)
                response = refusal or offer_kept(request) or asked(request, *args, **kwargs)
            except PermissionDenied:
                response = _forbidden(request)
            except (Http404, ObjectDoesNotExist, IntegrityError, Problem) as error:
                if not meets_nothing(error, request.method):
                    raise
                # A fault of the shop's own would look the same to staff.
                logger.warning("%s: %s", request.path, type(error).__qualname__)
                # Somebody else deleted it, or what it names: what was typed is in no page any more, as none is cached.
                texts = _typed_texts(request)
                if not texts:
                    raise Http404 from error
                response = render(request, "staff/gone.html", {"texts": texts}, status=404)
            response["X-Robots-Tag"] = "noindex, nofollow"
            return response

        return cast(View[P], never_cache(csp_update({"img-src": ["blob:"]})(guarded)))

    return decorate


def _typed_texts(request: HttpRequest) -> list[str]:
    return [
        value
        for name, values in request.POST.lists()
        if name not in _NOT_TYPED and not name.endswith("_FORMS")
        for value in values
        if value.strip() and value != "on"
    ]


def _refusal(request: HttpRequest, action: StaffAction, others_to: str) -> HttpResponseBase | None:
    user = request.user
    if not user.is_authenticated:
        return ask_to_sign_in(request)
    if may(user, action):
        return None
    if getattr(user, "second_factor_missing", False):
        return HttpResponseRedirect(reverse("accounts:security", query={"next": request.get_full_path()}))
    return HttpResponseRedirect(reverse(others_to)) if others_to else _forbidden(request)


def _forbidden(request: HttpRequest) -> HttpResponseBase:
    is_staff = getattr(request.user, "is_staff", False)
    return render(request, "staff/forbidden.html", {"is_staff": is_staff}, status=403)
