"""Which orders this browser made: guests have no account, so their session remembers."""

import uuid

from django.http import HttpRequest

from orders.access import token_is_valid
from orders.models import Order

_KEY = "orders"
_KEPT = 20


def remember_order(request: HttpRequest, order_id: uuid.UUID) -> None:
    """Add an order to those of this browser; the newest twenty stay, the newest last."""
    known: list[str] = [value for value in request.session.get(_KEY, []) if value != str(order_id)]
    request.session[_KEY] = [*known, str(order_id)][-_KEPT:]


def remembered_orders(request: HttpRequest) -> tuple[uuid.UUID, ...]:
    """Return the ids of the orders that this browser made, the newest last, whatever became of them."""
    return tuple(uuid.UUID(order_id) for order_id in request.session.get(_KEY, []))


def browser_owns(request: HttpRequest, order: Order, token: str = "") -> bool:
    """Return whether the order may be shown: to its member, to the browser that made it, to a signed link."""
    user = request.user
    if user.is_authenticated and order.user_id is not None and order.user_id == user.pk:
        return True
    if str(order.pk) in request.session.get(_KEY, []):
        return True
    return bool(token) and token_is_valid(order.pk, token)
