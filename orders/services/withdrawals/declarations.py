"""Filing a declaration of withdrawal, with everything that it causes, in one transaction (L221-18 to L221-28).

What a declaration stops. From the moment that the shop knows of it, nothing more may be collected than what remains
owed for the goods that are kept. A withdrawal from the whole order voids every payment still due. One from a part of it
takes the value of that part off what is still due, the latest payment first, so that the customer goes on paying for
what stays and for nothing else; parts that are all of it together void all of it. Words without chosen lines stop
nothing: staff read them first.

A declaration that came too late, or that fits no order, is filed and acknowledged all the same; it takes effect when
staff accept it. Nothing that the catalogue sells is excluded: finish and format are choices among what is offered,
not goods made to the consumer's specification (L221-28, 3°).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from orders.journal import record_event
from orders.models import (
    Order,
    OrderItem,
    Payment,
    Withdrawal,
    WithdrawalCase,
    WithdrawalChannel,
    WithdrawalLine,
    WithdrawalState,
)
from orders.pricing.refunds import value_of_return
from orders.selectors.installments import outstanding
from orders.selectors.refund_rules import ReturnedLine, paid_lines, units_returned
from orders.selectors.withdrawal_period import exercised_on, is_in_time, refund_deadline
from orders.selectors.withdrawals import (
    find_declared_order,
    find_withdrawal,
    has_left,
    open_cases,
    returnable_lines,
)
from orders.services.installments.scheduled_payments import void_scheduled
from orders.services.refunds.decisions import reduce_outstanding
from orders.services.withdrawals.mails import mail_declared, mail_received, mail_return_instructions
from shop.core import limits
from shop.core.dates import day_in_words, moment_on
from shop.core.money import ZERO, amount_string
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User


@dataclass(frozen=True, slots=True)
class Receipt:
    """How a declaration reached the shop that was not made on the site, and who files it.

    `sent_on` decides whether it is in time, `received_on` until when the money must be back (L221-24). `words` are the
    customer's own, as they were written. `acknowledged`: the customer gets a mail that it came.
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
    then the ids of its lines with the units that come back, none for all of them. `before` counts the units that other
    declarations name already, beside which these are further ones. `goods` says it in words where the order is not
    known. Without `lines` and `goods` the whole order is meant.
    """

    name: str
    email: str
    order_text: str
    language: str
    reason: str = ""
    goods: str = ""
    order: Order | None = None
    lines: tuple[ReturnedLine, ...] = ()
    before: int = 0
    receipt: Receipt | None = None

    def submission_key(self, day: date, key: str = "") -> str:
        """Return the key of the declaration on this day: a reload, the back button and a double click file it once. The
        same of what a refund has left since is another one, and so is the same after a refusal, and of further units.
        With its author's own `key` that alone tells equal ones apart, and nothing is read; else one query, three when
        it names an order."""
        said = (
            self.name, self.email.lower(), self.order_text, self.reason, self.goods,
            "" if self.order is None else str(self.order.pk),
            ",".join(f"{line.item_id}x{line.quantity}" for line in sorted(self.lines)),
        )  # fmt: skip
        return hashlib.sha256(
            "\0".join((key, *said) if key else (*said, *self._since(day))).encode()
        ).hexdigest()

    def _since(self, day: date) -> tuple[str, ...]:
        refused = Withdrawal.objects.filter(
            order_text=self.order_text, email__iexact=self.email, case__state=WithdrawalState.REFUSED
        )
        left = "" if self.order is None else str(sum(line.left for line in returnable_lines(self.order)))
        return (day.isoformat(), left, str(refused.count()), str(self.before))

    @property
    def units(self) -> dict[int, int]:
        """How many units come back, by the id of the order's line."""
        return {line.item_id: line.quantity for line in self.lines}


def compose_statement(declaration: Declaration) -> str:
    """Return the declaration in full, in its language: what the customer confirms, what is filed and what is
    acknowledged."""
    with translation.override(declaration.language):
        who = [
            _("Nom : %(name)s") % {"name": declaration.name},
            _("Adresse e-mail : %(email)s") % {"email": declaration.email},
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
        listed = [f"- {units[item.pk]} × {item.label}" for item in items]
        return "\n".join([_("Articles rendus :"), *listed])
    if declaration.goods:
        return _("Articles rendus :") + "\n" + declaration.goods
    if declaration.receipt is not None:
        return _("Elle porte sur toute la commande.")
    return _("Ma rétractation porte sur toute la commande.")


def choose_lines(order: Order, wanted: Mapping[int, int]) -> tuple[ReturnedLine, ...]:
    """Return the lines of a declaration; none when everything that is left comes back. Two queries.

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


def declaration_to_json(declaration: Declaration) -> dict[str, Any]:
    """Return the declaration as JSON, sent signed between the two steps of the form."""
    return {
        "n": declaration.name, "e": declaration.email, "o": declaration.order_text, "l": declaration.language,
        "r": declaration.reason, "g": declaration.goods,
        "i": None if declaration.order is None else str(declaration.order.pk),
        "u": [[line.item_id, line.quantity] for line in declaration.lines],
    }  # fmt: skip


def declaration_from_json(packed: Mapping[str, Any]) -> Declaration:
    """Return the declaration that `declaration_to_json` was given. One query when it names an order."""
    order = Order.objects.filter(pk=packed["i"]).first() if packed["i"] else None
    return Declaration(
        name=packed["n"], email=packed["e"], order_text=packed["o"], language=packed["l"], reason=packed["r"],
        goods=packed["g"], order=order, lines=tuple(ReturnedLine(item, units) for item, units in packed["u"]),
    )  # fmt: skip


def declare_withdrawal(*, declaration: Declaration, key: str, caller: str) -> Withdrawal:
    """File a declaration, acknowledge it and stop what it ends. The same `key` returns the first one.

    `caller` is the network address that sent it. Raises Problem 429 `throttled` (nothing is filed then) and 400
    `invalid_lines` when a chosen line is not of the order.
    """
    known = find_withdrawal(key)
    if known is not None:
        return known
    limits.enforce(limits.WITHDRAWAL_NETWORK, caller)
    try:
        with transaction.atomic():
            return file_declaration(declaration=declaration, key=key)
    except IntegrityError:
        # The other half of a double click was quicker.
        known = find_withdrawal(key)
        if known is None:
            raise
        return known


def accept_case(*, case: WithdrawalCase, order: Order, now: datetime, actor: User | None) -> None:
    """Let a declaration take effect: charges stop, the return is asked for when a piece of it has left the workshop.

    Call it with the order's and the case's rows locked; it saves the case.
    """
    case.voided = reduce_for_withdrawal(order, case)
    case.taken_up_at, case.state = now, WithdrawalState.DECLARED
    # What is at the workshop is read of declarations in force.
    case.save()
    is_gone = has_left(order, case.withdrawal)
    if is_gone:
        case.state = WithdrawalState.GOODS_AWAITED
        case.save()
    event = record_event(
        order,
        "withdrawal.taken_up",
        actor=actor,
        withdrawal=str(case.withdrawal_id),
        voided=amount_string(case.voided),
        state=str(case.state),
    )
    if is_gone:
        mail_return_instructions(case, order, once=event.pk)


def file_declaration(*, declaration: Declaration, key: str) -> Withdrawal:
    """Write the row, its case, its mails and what it stops, in the caller's transaction. Raises Problem 400
    `invalid_lines`, and IntegrityError when the key is taken."""
    now = timezone.now()
    receipt = declaration.receipt
    order = declaration.order or find_declared_order(text=declaration.order_text, email=declaration.email)
    if order is not None:
        order = Order.objects.select_for_update(no_key=True).get(pk=order.pk)
    withdrawal = Withdrawal.objects.create(
        order=order,
        name=declaration.name,
        email=declaration.email,
        order_text=declaration.order_text,
        reason=declaration.reason,
        statement=compose_statement(declaration),
        language=declaration.language,
        declared_at=now if receipt is None else moment_on(receipt.received_on, now),
        channel=WithdrawalChannel.SITE if receipt is None else receipt.channel,
        sent_on=None if receipt is None else receipt.sent_on,
        filed_by=None if receipt is None else receipt.filed_by,
        submission_key=key,
    )
    if order is not None and declaration.lines:
        _add_lines(withdrawal, order, declaration.lines)
    case = WithdrawalCase(
        withdrawal=withdrawal,
        order=order,
        goods=declaration.goods,
        voided=ZERO,
        refund_by=refund_deadline(withdrawal.declared_at),
        in_time=None if order is None else is_in_time(order, exercised_on(withdrawal)),
    )
    case.save()
    if order is not None:
        record_event(
            order,
            "withdrawal.declared",
            actor=withdrawal.filed_by,
            withdrawal=str(withdrawal.pk),
            reference=withdrawal.reference,
            in_time=case.in_time,
        )
    if receipt is None or receipt.acknowledged:
        mail_received(withdrawal, proven=declaration.order is not None)
    if order is not None and case.in_time:
        accept_case(case=case, order=order, now=now, actor=withdrawal.filed_by)
    mail_declared(case)
    return withdrawal


def _add_lines(withdrawal: Withdrawal, order: Order, lines: tuple[ReturnedLine, ...]) -> None:
    sold = dict(OrderItem.objects.filter(order=order).values_list("pk", "quantity"))
    if any(not 0 < line.quantity <= sold.get(line.item_id, 0) for line in lines):
        raise Problem("invalid_lines", _("Choisissez au moins un article, dans la quantité commandée."))
    WithdrawalLine.objects.bulk_create(
        WithdrawalLine(withdrawal=withdrawal, item_id=line.item_id, quantity=line.quantity) for line in lines
    )


def reduce_for_withdrawal(order: Order, case: WithdrawalCase) -> Decimal:
    """Reduce what is still due by what a declaration ends, beyond what it has stopped before; returns the euros.

    No money moves, so an open dispute does not prevent it. Call it with the order's row locked.
    """
    declared = [ReturnedLine(line.item_id, line.quantity) for line in case.withdrawal.lines.all()]
    if not declared:
        return ZERO if case.goods else void_scheduled(order=order, reason="withdrawal.taken_up")
    if not outstanding(order):
        return ZERO
    left = _left_by_others(order, case)
    units = ((line.item_id, min(line.quantity, left.get(line.item_id, 0))) for line in declared)
    ending = {item_id: quantity for item_id, quantity in units if quantity > 0}
    if not ending:
        return ZERO
    list(Payment.objects.select_for_update(no_key=True).filter(order=order).order_by("position"))
    if ending == left:
        # Nothing stays: the delivery ends with it.
        return void_scheduled(order=order, reason="withdrawal.taken_up")
    value = value_of_return(
        paid_lines(list(order.items.all()), units_returned(order)),
        {str(item_id): quantity for item_id, quantity in ending.items()},
        shipping=ZERO,
    )
    ended = max(value.total - case.voided, ZERO)
    return reduce_outstanding(order=order, amount=ended, reason="withdrawal.taken_up")


def _left_by_others(order: Order, case: WithdrawalCase) -> dict[int, int]:
    """Return the units of each line that were not credited and that no other declaration has stopped: one that says the
    same again ends no more. Three queries."""
    others = WithdrawalLine.objects.filter(
        withdrawal__case__in=open_cases(order).exclude(pk=case.pk).exclude(taken_up_at=None),
        # What was decided is among the units that were credited.
        withdrawal__refund_requests=None,
    )
    stopped = Counter[int]()
    for item_id, quantity in others.values_list("item_id", "quantity"):
        stopped[item_id] += quantity
    left = {line.item.pk: line.left - stopped[line.item.pk] for line in returnable_lines(order)}
    return {item_id: quantity for item_id, quantity in left.items() if quantity > 0}
