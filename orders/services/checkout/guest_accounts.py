"""Orders and the account of their address: a guest's that becomes a member's, a member's that follow to another one."""

from __future__ import annotations

import uuid

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services.signing_up import prepare_sign_up, request_sign_up
from catalog.services.reviews import adopt_reviews
from orders.journal import record_event
from orders.models import Order
from orders.search_index import index_order
from orders.services.checkout.placement import join_orders
from shop.core import limits
from shop.core.problems import Problem


def request_order_account(*, order: Order, caller: str, language: str, earlier_id: str | None) -> uuid.UUID:
    """Ask for an account of a guest order's address; return the key of the sign-up.

    Nothing exists before the link in the mail is opened, which asks for a password; the order joins the account then.
    The same is done for an address that has an account: its owner is told so by mail, nobody else. `earlier_id` is the
    sign-up that the same browser asked for before. Raises Problem: 409 `has_account` when the order is a member's
    already, 429 `throttled`.
    """
    if order.user_id is not None:
        raise Problem("has_account", _("Cette commande est déjà dans un compte."), 409)
    limits.enforce(limits.SIGN_UP_NETWORK, caller)
    sign_up = prepare_sign_up(
        email=order.email,
        password=None,
        language=language,
        first_name=order.first_name,
        last_name=order.last_name,
    )
    return request_sign_up(sign_up, earlier_id=earlier_id, order=(order.pk, order.reference))


def may_join(order: Order, member: User) -> bool:
    """Return whether a guest's order was placed with the member's own address, which signing in has proved."""
    return order.user_id is None and order.email == member.email


def join_member(*, order: Order, member: User) -> None:
    """Put a guest's order into the account of its address. Raises Problem 409 `not_joined` for any other order."""
    if not may_join(order, member):
        raise Problem("not_joined", _("Cette commande a été passée avec une autre adresse."), 409)
    with transaction.atomic():
        join_orders(member, [order.pk])


def move_orders(old: str, new: str) -> None:
    """A member proved another address: their orders, and those that were placed as a guest with the old one, are
    written about to that one, and found by it; reviews without an account become theirs. Invoices and contracts stay as
    they were issued, and so do orders of theirs that were placed with a third address.

    Runs in the caller's transaction; locks the orders, oldest key first.
    """
    member = User.objects.get(email=new)
    theirs = Order.objects.filter(Q(user=member) | Q(user=None), email=old)
    for order in theirs.select_for_update(no_key=True).order_by("pk"):
        order.email = new
        order.save(update_fields=["email", "updated_at"])
        index_order(order)
        record_event(order, "order.email_changed", actor=member)
    adopt_reviews(user_id=member.pk, email=old)
