"""Reading declarations of withdrawal: which order one fits, what can still come back, how urgent a case is."""

from __future__ import annotations

import re
import uuid
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from orders.access import access_token
from orders.models import (
    OPEN_CASES,
    REFUNDS_UNDER_WAY,
    Order,
    OrderItem,
    RefundLine,
    RefundRequest,
    Withdrawal,
    WithdrawalCase,
    WithdrawalLine,
    WithdrawalState,
)
from orders.selectors.money import taken_back
from orders.selectors.refund_debts import took_effect
from orders.selectors.refund_retries import retryable_refunds
from orders.selectors.refund_rules import open_dispute, refundable, units_returned
from orders.selectors.shipments import units_at_customer
from orders.selectors.withdrawal_period import exercised_on, withdrawal_deadline
from orders.selectors.workshop import is_awaited, lines_that_follow, withdrawn_lines
from shop.core.dates import shop_day, start_of_day
from shop.core.email_addresses import normalise_email
from shop.core.law import REFUND_DAYS
from shop.core.money import ZERO

FIRST_ALERT_DAY = 10
LAST_ALERT_DAY = REFUND_DAYS

_UUID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
_REFERENCE = re.compile(r"(?<![0-9a-z])[0-9a-f]{8}(?![0-9a-z])", re.IGNORECASE)
_INVOICE = re.compile(r"F-\d{4}-\d{5,}", re.IGNORECASE)
_READ_AT_MOST = 5


REFUND_MAY_WAIT = Q(state=WithdrawalState.GOODS_AWAITED, goods_received_at=None, shipping_proof_at=None)
"""The condition of cases whose refund may wait: see `may_wait`."""


class Urgency(StrEnum):
    """How urgent a case is. `WAITING`: the refund may wait for the goods or the proof of their sending (L221-24)."""

    CLOSED = "closed"
    GREEN = "green"
    WAITING = "waiting"
    AMBER = "amber"
    RED = "red"


@dataclass(frozen=True, slots=True)
class ReturnableLine:
    """A line of an order of which `left` units were not credited yet."""

    item: OrderItem
    left: int


def find_declared_order(*, text: str, email: str) -> Order | None:
    """Return the order that a customer names in their own words: by its reference, its number or its invoice's number.

    The address must be the order's own, so that a declaration by somebody else takes no effect by itself; an order that
    was never paid is no contract yet. Three queries at most, whatever was typed.
    """
    ids = [uuid.UUID(found) for found in _UUID.findall(text)[:_READ_AT_MOST]]
    references = [found.upper() for found in _REFERENCE.findall(text)[:_READ_AT_MOST]]
    invoices = [found.upper() for found in _INVOICE.findall(text)[:_READ_AT_MOST]]
    paid = Order.objects.filter(email__iexact=normalise_email(email), paid_at__isnull=False)
    orders = paid.order_by("-created_at")
    # Eight digits may be a day beside the number of an invoice.
    found = orders.filter(pk__in=ids).first() if ids else None
    if found is None and references:
        found = orders.filter(reference__in=references).first()
    if found is None and invoices:
        found = orders.filter(invoices__number__in=invoices).first()
    return found


def named_order(text: str) -> str:
    """Return the number of an order or an invoice in a customer's words, in capitals; "" when there is none.

    Nothing else of the words passes: what it gives can be shown to anybody.
    """
    for pattern in (_UUID, _REFERENCE, _INVOICE):
        if found := pattern.search(text):
            return found[0].upper()
    return ""


def returnable_lines(order: Order, credited: Mapping[int, int] | None = None) -> list[ReturnableLine]:
    """Return what of an order can still be returned; nothing once every unit was credited. Two queries, none where its
    lines are prefetched and what was `credited` was read (`units_returned`)."""
    credited = units_returned(order) if credited is None else credited
    lines = (ReturnableLine(item, item.quantity - credited.get(item.pk, 0)) for item in order.items.all())
    return [line for line in lines if line.left > 0]


def open_cases(order: Order) -> QuerySet[WithdrawalCase]:
    """Return cases of the order that the shop has still to bring to an end, oldest first."""
    return (
        WithdrawalCase.objects.filter(order=order, state__in=OPEN_CASES)
        .select_related("withdrawal")
        .order_by("withdrawal__declared_at")
    )


def keeping_from_leaving(order_ids: Collection[uuid.UUID]) -> QuerySet[WithdrawalCase]:
    """Return the cases because of which what is left of these orders may not be sent."""
    return WithdrawalCase.objects.filter(order__in=order_ids, state__in=OPEN_CASES, shipping_allowed_at=None)


def has_left(order: Order, withdrawal: Withdrawal) -> bool:
    """Return whether a piece of a declaration left the workshop, so that there is something to send back. Eight
    queries at most."""
    if order.first_sent_at is None or not withdrawal.lines.exists():
        return order.goods_have_left
    return any(units_to_return(order, withdrawal).values())


def units_to_return(order: Order, withdrawal: Withdrawal) -> dict[int, int]:
    """Return the units of each line that left the workshop and that a declaration covers, all where it names no line,
    by line id. Seven queries at most."""
    left = Counter({item: units for item, units in units_at_customer(order).items() if units > 0})
    declared = dict(withdrawal.lines.values_list("item_id", "quantity"))
    here = Counter[int]()
    if declared and RefundRequest.objects.filter(took_effect(), withdrawal=withdrawal).exists():
        # What was not sent was credited as such: of the rest the customer keeps what nobody credited.
        left -= Counter({line.item.pk: line.left for line in returnable_lines(order)})
    elif declared:
        here = _units_here(order, withdrawal)
    credited = RefundLine.objects.filter(request__withdrawal=withdrawal, sent_quantity__gt=0)
    for item, units in credited.values_list("item", "sent_quantity"):
        left[item] += units
    return {item: min(units - here[item], left[item]) for item, units in (declared or left).items()}


def _units_here(order: Order, withdrawal: Withdrawal) -> Counter[int]:
    """Return the units of each line that a declaration names and that are at the workshop, those of earlier ones
    first. Two queries."""
    here = dict(lines_that_follow().filter(order=order).values_list("pk", "here"))
    before, own = Counter[int](), Counter[int]()
    lines = withdrawn_lines().filter(item__order=order).order_by("withdrawal__declared_at", "pk")
    for item, named_by, beyond in lines.values_list("item", "withdrawal", "beyond"):
        units = min(max(beyond, before[item]), here[item])
        if named_by == withdrawal.pk:
            own[item] = units - before[item]
        before[item] = units
    return own


def units_that_follow(order: Order) -> dict[int, int]:
    """Return the units of each line that are still to be sent to a customer who wants them, by line id
    (`lines_that_follow`). One query."""
    return dict(lines_that_follow().filter(order=order).values_list("pk", "follow"))


def rest_follows(order: Order) -> bool:
    """Return whether something at the workshop is to leave: not what was refunded, or what a withdrawal or a bank keeps
    here. Four queries; six at most, where somebody has withdrawn or a dispute was lost."""
    return (
        is_awaited(order)
        # Nobody knows yet which pieces are meant in words.
        and not keeping_from_leaving([order.pk]).filter(withdrawal__lines=None).exists()
        and open_dispute(order) is None
        and not taken_back([order.pk])
    )


def all_withdrawn(order: Order, cases: Collection[WithdrawalCase]) -> bool:
    """Return whether these cases of an order, their lines prefetched, say that its customer gives all of it back, at
    once or one piece after the other; also once it was refunded for less. One query where its lines were not read."""
    named = Counter[int]()
    for case in cases:
        is_done = order.is_paid and case.state == WithdrawalState.REFUNDED
        if case.goods or not (is_done or case.state in OPEN_CASES):
            continue
        lines = case.withdrawal.lines.all()
        if not lines:
            return True
        for line in lines:
            named[line.item_id] += line.quantity
    return bool(named) and all(named[item.pk] >= item.quantity for item in order.items.all())


def is_answered(case: WithdrawalCase) -> bool:
    """Return whether nothing is left to give back for a declaration in force: it was refunded beside it, or a bank
    took the money back. Not while a refund is under way or can be made again, nor a dispute open, nor before what it
    stopped of the installments was credited. Some thirty queries."""
    order = case.order
    if order is None or case.state not in OPEN_CASES or case.taken_up_at is None:
        return False
    if order.refunds.filter(state__in=REFUNDS_UNDER_WAY).exists() or open_dispute(order) is not None:
        return False
    if (case.voided and not case.withdrawal.refund_requests.exists()) or retryable_refunds(order):
        return False
    declared = dict(case.withdrawal.lines.values_list("item_id", "quantity"))
    left = {line.item.pk for line in returnable_lines(order)}
    if not (left & declared.keys() if declared else left) or not refundable(order):
        return True
    beside = _credited_beside(case)
    return bool(declared) and all(beside[item] >= units for item, units in declared.items() if item in left)


def nothing_left(order: Order) -> bool:
    """Return whether all that was paid went back, or will without a new decision; not while a bank looks at it. Up to
    thirteen queries."""
    return not refundable(order) and open_dispute(order) is None


def _credited_beside(case: WithdrawalCase) -> Counter[int]:
    """Return the units of each line that were credited since a declaration and for none, less those that closed
    another one. A letter may be filed after its refund: it counts from the day of its sending. Two queries."""
    declared = case.withdrawal
    since = RefundLine.objects.filter(
        took_effect("request__"),
        request__order=case.order_id,
        request__withdrawal=None,
        request__created_at__gte=declared.declared_at
        if declared.by_site
        else start_of_day(exercised_on(declared)),
    )
    closed = WithdrawalLine.objects.filter(
        withdrawal__case__order=case.order_id,
        withdrawal__case__state=WithdrawalState.REFUNDED,
        withdrawal__refund_requests=None,
    )
    units = Counter[int]()
    for item, quantity in since.values_list("item_id", "quantity"):
        units[item] += quantity
    for item, quantity in closed.values_list("item_id", "quantity"):
        units[item] -= quantity
    return units


def cases_of(order: Order) -> list[WithdrawalCase]:
    """Return every case of the order, newest first. Three queries at most: the cases, their lines, the items of
    these."""
    return cases_of_orders([order.pk]).get(order.pk, [])


def cases_of_orders(order_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, list[WithdrawalCase]]:
    """Return the cases of those orders that have any, by the order's key, newest first. As many queries as for one."""
    found: defaultdict[uuid.UUID, list[WithdrawalCase]] = defaultdict(list)
    cases = (
        WithdrawalCase.objects.filter(order_id__in=order_ids)
        .select_related("withdrawal")
        .prefetch_related("withdrawal__lines__item")
        .order_by("-withdrawal__declared_at")
    )
    for case in cases:
        if case.order_id is not None:
            found[case.order_id].append(case)
    return dict(found)


@dataclass(frozen=True, slots=True)
class WithdrawalPanel:
    """What an order's pages say of the right to withdraw: until when, the link of the function (L221-21), and what was
    declared. `all_withdrawn`, also once it was refunded for less than all, `all_credited` (every unit was) and the
    euros `taken_back` by banks take the promised date and the period off the page. Not `shown` for an unpaid order;
    `offered` while there is money to give back for a unit."""

    shown: bool
    cases: list[WithdrawalCase]
    deadline: date | None = None
    is_over: bool = False
    url: str = ""
    all_withdrawn: bool = False
    all_credited: bool = False
    taken_back: Decimal = ZERO
    offered: bool = False


def withdrawal_panel(
    order: Order, cases: list[WithdrawalCase], *, all_credited: bool, taken_back: Decimal
) -> WithdrawalPanel:
    """Return the panel of an order whose cases were read, and what banks took back of one that they emptied. No query
    where its lines were read.

    The link carries the order's signature: who sees this page may follow it without signing in.
    """
    taken_back = taken_back if order.is_paid else ZERO
    offered = order.is_paid and not taken_back and not all_credited
    if order.paid_at is None or not (offered or cases):
        return WithdrawalPanel(shown=False, cases=cases, all_credited=all_credited, taken_back=taken_back)
    deadline = withdrawal_deadline(order)
    return WithdrawalPanel(
        shown=True,
        cases=cases,
        deadline=deadline,
        is_over=deadline is not None and deadline < timezone.localdate(),
        url=withdrawal_path(order, access_token(order)),
        all_withdrawn=all_withdrawn(order, cases),
        all_credited=all_credited,
        taken_back=taken_back,
        offered=offered,
    )


def find_withdrawal(key: str) -> Withdrawal | None:
    """Return the declaration of a submission, if it was filed. One query."""
    return Withdrawal.objects.filter(submission_key=key).first()


def may_wait(case: WithdrawalCase) -> bool:
    """Return whether the refund may wait: the goods are with the customer, and neither they nor a proof came
    (L221-24)."""
    return (
        case.state == WithdrawalState.GOODS_AWAITED
        and case.goods_received_at is None
        and case.shipping_proof_at is None
    )


def days_since(case: WithdrawalCase, today: date) -> int:
    """Return days since the declaration: 0 on its own day."""
    return (today - shop_day(case.withdrawal.declared_at)).days


def urgency_of(case: WithdrawalCase, today: date | None = None) -> Urgency:
    """Return the colour of a case: red from the last day on, amber from the tenth, unless the refund may wait."""
    if case.state not in OPEN_CASES:
        return Urgency.CLOSED
    if may_wait(case):
        return Urgency.WAITING
    passed = days_since(case, today or timezone.localdate())
    if passed >= LAST_ALERT_DAY:
        return Urgency.RED
    return Urgency.AMBER if passed >= FIRST_ALERT_DAY else Urgency.GREEN


def withdrawal_path(order: Order | None = None, token: str = "") -> str:
    """Return the address of the withdrawal form in the active language; filled in for an order when one is given."""
    path = reverse("orders:withdrawal")
    if order is None:
        return path
    return f"{path}?commande={order.pk}" + (f"&acces={token}" if token else "")


def function_sentence(url: str) -> str:
    """Return where the withdrawal function is, in the words of the model notice, in Markdown (annex of R221-3, note
    3)."""
    return _(
        "Vous pouvez également exercer votre droit de rétractation en ligne sur notre site, au bas de chaque page : "
        "[renoncer au contrat ici](%(url)s). Si vous utilisez cette fonctionnalité en ligne, nous vous enverrons, dans "
        "les meilleurs délais, un accusé de réception de la rétractation sur un support durable (par exemple, par "
        "courriel), y compris son contenu ainsi que la date et l'heure de sa soumission."
    ) % {"url": url}
