"""How much counted stock one customer may hold without having paid.

A hold costs nothing and lasts half an hour, so whoever orders again and again could keep the whole shop empty. Holds
are counted by network address (IPv6 by its /64) and by mailbox, each as a keyed digest that is cleared with the hold.
Made-to-order pieces are never counted: nobody misses them.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Q
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from catalog.selectors.availability import Level
from orders.models import StockHold, StockHoldState
from orders.services.status.stock_holds import held_units, level_of
from shop.core.client_address import network_of
from shop.core.problems import Problem
from shop.core.transaction_locks import lock_names


class TooManyUnpaid(Problem):
    """One customer holds too much already."""

    def __init__(self, detail: str) -> None:
        super().__init__("too_many_unpaid", detail, 409)


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds, as keyed digests; `network` is "" when no address is known."""

    network: str
    mailbox: str


def holder_of(*, address: str, email: str) -> Holder:
    """Return the holder behind an IP address and a normalised e-mail address; what follows `+` names no other
    mailbox."""
    name, _at, domain = email.rpartition("@")
    mailbox = f"{name.partition('+')[0]}@{domain}"
    return Holder(
        network=_digest("network", network_of(address)) if address else "",
        mailbox=_digest("mailbox", mailbox),
    )


def limit_unpaid_holds(holder: Holder) -> None:
    """Refuse what was just held when its holder then has too many.

    Call it in the placing transaction after counted stock was taken: parallel orders of one holder are counted one
    after the other. Locks the holder's two names until the commit; nothing is locked after them. Raises TooManyUnpaid.
    """
    lock_names((holder.network, holder.mailbox))
    theirs = Q(mailbox=holder.mailbox)
    if holder.network:
        theirs |= Q(network=holder.network)
    rows = StockHold.objects.filter(theirs, state=StockHoldState.HELD)
    if _is_little(rows.values_list("order", "product", "variant")):
        return
    holds = list(
        rows.select_related("product", "variant").only(
            "order",
            "level",
            "quantity",
            "network",
            "mailbox",
            "product__stock_quantity",
            "variant__stock_quantity",
        )
    )
    left = {
        level: number for hold in holds if (level := level_of(hold)) and (number := _left(hold)) is not None
    }
    if holder.network:
        _refuse_too_many([hold for hold in holds if hold.network == holder.network], left)
    _refuse_too_many([hold for hold in holds if hold.mailbox == holder.mailbox], left)


def _is_little(holds: Iterable[tuple[uuid.UUID, int | None, int | None]]) -> bool:
    """Whether these holds are within every limit whatever is left of their pieces: so it is for nearly everybody."""
    orders, pieces = set(), set()
    for order, *piece in holds:
        orders.add(order)
        pieces.add(tuple(piece))
    return len(orders) <= settings.UNPAID_ORDERS_LIMIT and len(pieces) <= settings.UNPAID_SCARCE_LIMIT


def _left(hold: StockHold) -> int | None:
    """The units that are left of the number that a hold was taken from; None when it is not counted any more."""
    row = {"product": hold.product, "variant": hold.variant}[hold.level]
    return None if row is None else row.stock_quantity


def _refuse_too_many(holds: list[StockHold], left: Mapping[Level, int]) -> None:
    if len({hold.order_id for hold in holds}) > settings.UNPAID_ORDERS_LIMIT:
        raise TooManyUnpaid(
            _(
                "Plusieurs commandes passées depuis votre connexion ou avec votre adresse e-mail attendent leur"
                " paiement. Terminez le paiement ouvert, ou réessayez dans une demi-heure : les pièces non payées"
                " seront de nouveau libres. Votre panier est intact."
            )
        )
    most: int = settings.UNPAID_SCARCE_LIMIT
    if _scarce(holds, left) > most:
        raise TooManyUnpaid(
            ngettext(
                "Nous ne pouvons réserver qu'%(count)d pièce presque épuisée à la fois, le temps de son paiement."
                " Retirez les autres du panier et commandez-les dès que la première est payée.",
                "Nous ne pouvons réserver que %(count)d pièces presque épuisées à la fois, le temps de leur paiement."
                " Retirez les autres du panier et commandez-les dès que les premières sont payées.",
                most,
            )
            % {"count": most}
        )


def _scarce(holds: Iterable[StockHold], left: Mapping[Level, int]) -> int:
    """Of how many pieces more is held than is left to others: a unique one, or most of the last ones."""
    units = held_units(holds)
    outweighed = {level for level, quantity in units.items() if level in left and quantity > left[level]}
    return len({(hold.product_id, hold.variant_id) for hold in holds if level_of(hold) in outweighed})


def _digest(kind: str, value: str) -> str:
    return salted_hmac("orders.unpaid_holds", f"{kind}\n{value}", algorithm="sha256").hexdigest()
