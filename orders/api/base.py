"""What the endpoints share: how a request is read, documented and answered."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from orders.models import Order
from shop.core.problems import Problem

MAX_KEY = 255

ORDER_ID = OpenApiParameter("order_id", OpenApiTypes.UUID, OpenApiParameter.PATH)
IDEMPOTENCY_KEY = OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER, required=True)


def idempotency_key(request: Request) -> str:
    """The call's `Idempotency-Key`. Raises Problem 400 without one that can be stored."""
    key = request.headers.get("Idempotency-Key", "").strip()
    if not key or len(key) > MAX_KEY or not key.isascii() or not key.isprintable():
        raise Problem("idempotency_key_required", _("La requête n'est pas lisible."), 400)
    return key


def validated(form: Serializer[Any]) -> dict[str, Any]:
    """Return the values of a request's body or query. Raises ValidationError."""
    form.is_valid(raise_exception=True)
    values: dict[str, Any] = form.validated_data
    return values


def order_not_found() -> Problem:
    """Return the answer for an order that does not exist, or not for this caller."""
    return Problem("not_found", _("Commande introuvable."), 404)


def found_order(order: Order | None) -> Order:
    """Return the order of a lookup. Raises Problem 404 when it found none."""
    if order is None:
        raise order_not_found()
    return order
