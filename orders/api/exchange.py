"""What calls of the API share: the key that makes them repeatable, answers that nobody keeps."""

from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from shop.core.problems import Problem

MAX_KEY = 255


def idempotency_key(request: Request) -> str:
    """The call's `Idempotency-Key`. Raises Problem 400 without one that can be kept."""
    key = request.headers.get("Idempotency-Key", "").strip()
    if not key or len(key) > MAX_KEY or not key.isascii() or not key.isprintable():
        raise Problem("idempotency_key_required", _("La requête n'est pas lisible."), 400)
    return key


def private(response: Response) -> Response:
    """The answer is for this caller alone: no cache keeps it."""
    response["Cache-Control"] = "no-store"
    return response
