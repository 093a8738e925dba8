"""The saved cart of a member, as browsers read it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.crypto import salted_hmac

from accounts.models import User
from catalog.selectors.sellables import Sellable, SellableKey, find_sellables
from orders.models import PAID_STATUSES, Order, OrderItem, SavedCart
from orders.models.order import choice_text
from orders.selectors.quotes import problem_text
from shop.core.members import blocked_members


def find_saved_cart(user_id: int) -> SavedCart:
    """Return a member's cart; one that was never saved is empty, of version 0. One query."""
    return SavedCart.objects.filter(user_id=user_id).first() or SavedCart(user_id=user_id)


def saved_cart_state(user_id: int) -> dict[str, Any]:
    """Return whose cart it is and its version: what a browser compares with its copy. One query."""
    version = SavedCart.objects.filter(user_id=user_id).values_list("version", flat=True).first()
    return {"owner": cart_owner(user_id), "version": version or 0}


def cart_owner(user_id: int) -> str:
    """Return a name of the account for its browsers, which says nothing about it."""
    return salted_hmac("orders.saved_cart", str(user_id), algorithm="sha256").hexdigest()[:16]


def left_carts(*, since: datetime, until: datetime, bought_since: datetime) -> QuerySet[SavedCart]:
    """Return carts that hold something and were last touched between two moments, of members who have paid no order
    since the third, nor one as a guest with their address. With the members; one query."""
    paid = Order.objects.filter(status__in=PAID_STATUSES, created_at__gte=bought_since)
    as_member = paid.filter(user=OuterRef("user"))
    as_guest = paid.filter(user=None, email=OuterRef("user__email"))
    carts = SavedCart.objects.filter(updated_at__gt=since, updated_at__lte=until)
    carts = (
        carts.exclude(user__in=blocked_members())
        .exclude(Exists(as_member) | Exists(as_guest))
        .exclude(lines=[])
    )
    return carts.select_related("user").order_by("updated_at", "pk")


def bought_products(member: User, since: datetime) -> set[int | None]:
    """Return the keys of what a member has paid since, also as a guest with their address. One query."""
    theirs = Q(order__user=member) | Q(order__user=None, order__email=member.email)
    items = OrderItem.objects.filter(theirs, order__status__in=PAID_STATUSES, order__created_at__gte=since)
    return set(items.values_list("product_id", flat=True))


def line_names(keys: Sequence[SellableKey]) -> list[str]:
    """Return what a cart names, in the active language: `Golem (Peint · 18 cm)`; of what the catalogue no longer has,
    that. Three queries at most."""
    found = find_sellables(keys)
    return [_name(found[key]) for key in keys]


def line_key(line: dict[str, Any]) -> SellableKey:
    """Return what a line of a saved cart asks for."""
    return SellableKey(line["product_id"], line["variation_id"], line["finish"])


def _name(piece: Sellable) -> str:
    if not piece.name:
        return problem_text(piece.problem or "", None)
    detail = choice_text(piece.finish, piece.variation_name)
    return f"{piece.name} ({detail})" if detail else piece.name


def saved_cart_document(cart: SavedCart) -> dict[str, Any]:
    """Return what `SavedCartSerializer` writes, texts in the active language.

    A line whose piece, format or finish the catalogue no longer has stays and says so. Three queries whatever the size
    of the cart, none for an empty one.
    """
    keys = [line_key(line) for line in cart.lines]
    found = find_sellables(keys)
    lines: list[dict[str, Any]] = []
    for key, line in zip(keys, cart.lines, strict=True):
        problem = found[key].problem
        document = {**line, "finish": line["finish"] or None, "name": found[key].name}
        if problem:
            document |= {"problem": problem, "problem_detail": problem_text(problem, None)}
        lines.append(document)
    return {"owner": cart_owner(cart.user_id), "version": cart.version, "lines": lines}
