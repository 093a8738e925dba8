"""The orders of a person: what they may read, and what has to end before they can be erased."""

from collections.abc import Callable, Collection
from datetime import datetime

from django.db.models import Max, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext as _

from accounts.models import User
from orders.models import DONE_STATUSES, Order, OrderStatus, Withdrawal
from shop.core.personal_data import Person


def orders_of(person: Person) -> QuerySet[Order]:
    """Return the orders of an account, and those that guests placed with an address of the person, oldest first."""
    guests = Q(user=None) & person.has_address()
    return Order.objects.filter(guests | Q(user_id=person.key)).order_by("created_at", "pk")


def withdrawals_of(person: Person) -> QuerySet[Withdrawal]:
    """Return the declarations of a person, or about an order of theirs, oldest first."""
    own = declared_by(person.has_address) | Q(order__in=orders_of(person).order_by())
    return Withdrawal.objects.filter(own).select_related("case").order_by("declared_at")


def declared_by(has_address: Callable[[str], Q]) -> Q:
    """Return the condition that a declaration is somebody's by its address, which their account may have left since."""
    return has_address("case__email") | (Q(case__email="") | Q(case=None)) & has_address("email")


def matter_of(order: Order) -> str:
    """Return the sentence for an order that is not settled."""
    if order.status == OrderStatus.PENDING:
        text = _("Commande %(reference)s\u00a0: elle attend son paiement.")
    elif order.status in DONE_STATUSES:
        text = _(
            "Commande %(reference)s\u00a0: un paiement, un remboursement ou une rétractation n'est pas terminé."
        )
    else:
        text = _("Commande %(reference)s\u00a0: elle n'est pas encore livrée.")
    return text % {"reference": order.reference}


def last_orders(keys: Collection[int]) -> dict[int, datetime]:
    """Return when members placed their last order, be it as guests with their address. Two queries."""
    placed = Order.objects.filter(user_id__in=keys).order_by().values_list("user_id")
    found = dict(placed.annotate(last=Max("created_at")).values_list("user_id", "last"))
    as_guest = Order.objects.filter(user=None, email=OuterRef("email")).order_by("-created_at")
    members = User.objects.filter(pk__in=keys).annotate(last=Subquery(as_guest.values("created_at")[:1]))
    for key, last in members.exclude(last=None).values_list("pk", "last"):
        found[key] = max(last, found.get(key, last))
    return found
