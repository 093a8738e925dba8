"""Which orders this browser made: guests have no account, so their session remembers."""

import uuid
from typing import Literal

from django.http import HttpRequest

from accounts.models import User
from accounts.sign_ups import awaits_confirmation
from orders.access import token_is_valid
from orders.models import Order
from orders.selectors.orders import order_for_page, order_path
from orders.services.checkout.guest_accounts import may_join
from shop.core.errors import DeadLink

NO_ORDER = "errors/404-order.html"

AccountState = Literal["", "offer", "asked", "join"]

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
    """Return whether the order may be shown: to its member, to the browser that made it, to a signed link. Nobody is
    shown one whose customer had their data erased."""
    if order.personal_data_erased_at is not None:
        return False
    user = request.user
    if user.is_authenticated and order.user_id is not None and order.user_id == user.pk:
        return True
    if str(order.pk) in request.session.get(_KEY, []):
        return True
    return bool(token) and token_is_valid(order, token)


def order_of_visitor(request: HttpRequest, order_id: uuid.UUID) -> tuple[Order, str]:
    """Return an order that its member, its browser or the signed link `acces` opens, with the address of its page.
    Raises `DeadLink`."""
    order = order_for_page(order_id)
    token = request.GET.get("acces", "")
    if order is None or not browser_owns(request, order, token):
        raise DeadLink(NO_ORDER)
    return order, f"{order_path(order)}?acces={token}" if token else order_path(order)


def account_state(request: HttpRequest, order: Order) -> AccountState:
    """Return what an order's page says of an account: offers one, waits for its confirmation, or lets the order join
    the one that is signed in; "" for a member's order. The same for an address that has an account and one that has
    none. One query at most.
    """
    if order.user_id is not None:
        return ""
    if isinstance(request.user, User):
        return "join" if may_join(order, request.user) else ""
    return "asked" if awaits_confirmation(request, order.email) else "offer"
