"""A declaration of withdrawal as the customer makes it: its words, and the key under which it is filed once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from django.utils import translation
from django.utils.translation import gettext as _

from orders.models import Order, OrderItem, WithdrawalChannel
from orders.selectors.refund_rules import ReturnedLine
from orders.selectors.withdrawals import returnable_lines
from shop.core.dates import day_in_words
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User


@dataclass(frozen=True, slots=True)
class Receipt:
    """How a declaration reached the shop that was not made on the site, and who files it.

    `sent_on` decides whether it is in time, `received_on` until when the money must be back (L221-24). `words` are the
    customer's own, as they were written. `acknowledged`: the customer is told by mail that it came.
    """

    channel: WithdrawalChannel
    sent_on: date
    received_on: date
    filed_by: User
    words: str = ""
    acknowledged: bool = True


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a customer declares. `order_text` names the order in the customer's words.

    `order` is set when the customer has shown that it is theirs (its page, its signed link, their account); `lines` are
    then the ids of its lines with the units that come back, none for all of them. `goods` says it in words where the
    order is not known. Without `lines` and `goods` the whole order is meant.
    """

    name: str
    email: str
    order_text: str
    language: str
    reason: str = ""
    goods: str = ""
    order: Order | None = None
    lines: tuple[ReturnedLine, ...] = ()
    receipt: Receipt | None = None

    def submission_key(self, day: date) -> str:
        """The same declaration on the same day has the same key: a reload, the back button and a double click file it
        once."""
        parts = (
            day.isoformat(), self.name, self.email.lower(), self.order_text, self.reason, self.goods,
            "" if self.order is None else str(self.order.pk),
            ",".join(f"{line.item_id}x{line.quantity}" for line in sorted(self.lines)),
        )  # fmt: skip
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    @property
    def units(self) -> dict[int, int]:
        """How many units come back, by the id of the order's line."""
        return {line.item_id: line.quantity for line in self.lines}


def compose_statement(declaration: Declaration) -> str:
    """The declaration in full, in its language: what the customer confirms, what is filed and what is acknowledged."""
    with translation.override(declaration.language):
        who = [
            _("Nom : %(name)s") % {"name": declaration.name},
            _("Adresse email : %(email)s") % {"email": declaration.email},
        ]
        paragraphs = [*_opening(declaration), _goods(declaration), "\n".join(who)]
        if declaration.reason:
            paragraphs.append(_("Motif : %(reason)s") % {"reason": declaration.reason})
        if declaration.receipt is not None and declaration.receipt.words:
            paragraphs.append(_("Texte reçu :") + "\n" + declaration.receipt.words)
    return "\n\n".join(paragraphs)


def _opening(declaration: Declaration) -> list[str]:
    """The customer's sentence; of what came by post the shop says what it received, and puts no words into a mouth."""
    receipt, order = declaration.receipt, {"order": declaration.order_text}
    if receipt is None:
        return [
            _("Je notifie par la présente ma rétractation du contrat portant sur la commande %(order)s.")
            % order
        ]
    heading = {
        WithdrawalChannel.LETTER: _("Rétractation de la commande %(order)s, reçue par courrier."),
        WithdrawalChannel.MAIL: _("Rétractation de la commande %(order)s, reçue par e-mail."),
    }.get(receipt.channel, _("Rétractation de la commande %(order)s, reçue autrement que par le site."))
    days = _("Envoyée le %(sent)s, reçue le %(received)s.") % {
        "sent": day_in_words(receipt.sent_on),
        "received": day_in_words(receipt.received_on),
    }
    return [heading % order, days]


def _goods(declaration: Declaration) -> str:
    if declaration.order is not None and declaration.lines:
        units = declaration.units
        items = [item for item in declaration.order.items.all() if item.pk in units]
        listed = [f"- {describe_units(item, units[item.pk])}" for item in items]
        return "\n".join([_("Articles rendus :"), *listed])
    if declaration.goods:
        return _("Articles rendus :") + "\n" + declaration.goods
    if declaration.receipt is not None:
        return _("Elle porte sur toute la commande.")
    return _("Ma rétractation porte sur toute la commande.")


def describe_units(item: OrderItem, quantity: int) -> str:
    """`2 × Golem (Peint · 18 cm)`, in the active language."""
    return f"{quantity} × {item.label}"


def choose_lines(order: Order, wanted: Mapping[int, int]) -> tuple[ReturnedLine, ...]:
    """The lines of a declaration; none when everything that is left comes back. Two queries.

    Raises Problem 400 `invalid_lines` for a foreign line, for more units than are left, and for nothing at all.
    """
    left = {line.item.pk: line.left for line in returnable_lines(order)}
    chosen = {item: units for item, units in wanted.items() if units}
    if not chosen or any(not 0 < units <= left.get(item, 0) for item, units in chosen.items()):
        refusal = _("Choisissez au moins un article, dans la quantité commandée.")
        raise Problem("invalid_lines", refusal, errors={"items": [refusal]})
    if chosen == left:
        return ()
    return tuple(ReturnedLine(item, units) for item, units in sorted(chosen.items()))


def pack(declaration: Declaration) -> dict[str, Any]:
    """The declaration as JSON, to travel signed between the two steps of the form."""
    return {
        "n": declaration.name, "e": declaration.email, "o": declaration.order_text, "l": declaration.language,
        "r": declaration.reason, "g": declaration.goods,
        "i": None if declaration.order is None else str(declaration.order.pk),
        "u": [[line.item_id, line.quantity] for line in declaration.lines],
    }  # fmt: skip


def unpack(packed: Mapping[str, Any]) -> Declaration:
    """The declaration that `pack` was given. One query when it names an order."""
    order = Order.objects.filter(pk=packed["i"]).first() if packed["i"] else None
    return Declaration(
        name=packed["n"], email=packed["e"], order_text=packed["o"], language=packed["l"], reason=packed["r"],
        goods=packed["g"], order=order, lines=tuple(ReturnedLine(item, units) for item, units in packed["u"]),
    )  # fmt: skip
