"""Sending many orders at once: each in its own transaction, with its own outcome."""

import logging
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from django.db import DatabaseError, transaction
from django.db.models import F
from django.utils.translation import gettext as _

from orders.models import Order, OrderStatus, Shipment
from orders.models.carrier import as_one_word, column_as_one_word
from orders.selectors.workshop import lines_that_follow
from orders.services.fulfilment.previews import MailPreview, preview_mails
from orders.services.fulfilment.shipments import ship_units
from orders.services.status.shipments import latest_shipment
from orders.services.status.transitions import transition_problem
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User

logger = logging.getLogger(__name__)


class Outcome(StrEnum):
    """`already`: it had left before with this very number, and nothing was done."""

    SHIPPED = "shipped"
    ALREADY = "already"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Dispatch:
    """What leaves of an order: all that is still to be sent, in one parcel. `expected_updated_at` is that of the order
    whose preview was read."""

    order_id: uuid.UUID
    carrier: str
    tracking_number: str
    expected_updated_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class DispatchResult:
    """What became of one of them. `code` and `detail` say why it was refused. `same_number` are the references of other
    orders with its tracking number, which is right for parcels that travel as one and else a label scanned twice;
    `updated_at` is the order's that a preview is of."""

    order_id: uuid.UUID
    outcome: Outcome
    code: str = ""
    detail: str = ""
    mails: list[MailPreview] = field(default_factory=list)
    same_number: list[str] = field(default_factory=list)
    updated_at: datetime | None = None


def dispatch_orders(dispatches: Iterable[Dispatch], *, actor: "User | None") -> list[DispatchResult]:
    """Send each of these orders; one that is refused keeps no other from leaving. The same again sends nothing twice.

    Call it outside any transaction.
    """
    return [_result(dispatch, partial(_send, dispatch, actor)) for dispatch in dispatches]


def preview_dispatch(dispatches: Iterable[Dispatch], *, actor: "User | None") -> list[DispatchResult]:
    """Return what sending these orders would do, with the mails that would leave. Nothing of it stays."""
    asked = list(dispatches)
    holders = _holders(asked)
    return [
        replace(
            _result(dispatch, partial(_preview, dispatch, actor)),
            same_number=sorted(
                reference
                for order_id, reference in holders.get(as_one_word(dispatch.tracking_number), {}).items()
                if order_id != dispatch.order_id
            ),
        )
        for dispatch in asked
    ]


def _holders(dispatches: list[Dispatch]) -> dict[str, dict[uuid.UUID, str]]:
    """Return, by tracking number as one word, the references of the orders that have it or would have it. Two
    queries."""
    numbers = {
        dispatch.order_id: as_one_word(dispatch.tracking_number)
        for dispatch in dispatches
        if dispatch.tracking_number
    }
    holders: dict[str, dict[uuid.UUID, str]] = {}
    for order_id, reference in Order.objects.filter(pk__in=numbers).values_list("pk", "reference"):
        holders.setdefault(numbers[order_id], {})[order_id] = reference
    sent = Shipment.objects.annotate(number=column_as_one_word("tracking_number"))
    sent = sent.filter(number__in=set(numbers.values()), undone_at=None)
    for number, order_id, reference in sent.values_list("number", "order", "order__reference"):
        holders.setdefault(number, {})[order_id] = reference
    return holders


def _result(dispatch: Dispatch, act: Callable[[], DispatchResult]) -> DispatchResult:
    try:
        return act()
    except Problem as refused:
        return DispatchResult(dispatch.order_id, Outcome.REFUSED, refused.code, refused.detail)
    except Order.DoesNotExist:
        return DispatchResult(dispatch.order_id, Outcome.REFUSED, "not_found", _("Commande introuvable."))
    except DatabaseError:
        # What was sent before stays sent, and the caller must hear of it.
        logger.exception("order %s could not be dispatched", dispatch.order_id)
        detail = _("Cette commande n'a pas pu être expédiée. Réessayez.")
        return DispatchResult(dispatch.order_id, Outcome.REFUSED, "unavailable", detail)


def _preview(dispatch: Dispatch, actor: "User | None") -> DispatchResult:
    order = Order.objects.get(pk=dispatch.order_id)
    results: list[DispatchResult] = []
    mails = preview_mails(order, lambda: results.append(_send(dispatch, actor)))
    return DispatchResult(dispatch.order_id, results[0].outcome, mails=mails, updated_at=order.updated_at)


def _send(dispatch: Dispatch, actor: "User | None") -> DispatchResult:
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=dispatch.order_id)
        lines = lines_that_follow().filter(order=order)
        units = dict(lines.values_list("pk", "follow"))
        if order.goods_have_left and order.is_paid and not any(units.values()):
            _refuse_another_number(order, dispatch)
            return DispatchResult(order.pk, Outcome.ALREADY)
        if dispatch.expected_updated_at not in (None, order.updated_at):
            raise Problem(
                "conflict",
                _("Quelqu'un a modifié cette commande entre-temps. Vérifiez-la, puis recommencez."),
                409,
            )
        refused = transition_problem(order, OrderStatus.SHIPPED)
        if refused is not None:
            raise refused
        if lines.filter(follow__lt=F("packed")).exists():
            raise Problem(
                "pieces_withdrawn",
                _(
                    "Le client s'est rétracté d'une partie\u00a0: choisissez sur la commande les pièces qui partent."
                ),
                409,
            )
        if lines.filter(follow__gt=F("packed")).exists():
            raise Problem("pieces_not_ready", _("Toutes ses pièces ne sont pas prêtes à emballer."), 409)
        ship_units(
            order_id=order.pk,
            units=units,
            actor=actor,
            carrier=dispatch.carrier,
            tracking_number=dispatch.tracking_number,
            is_last=True,
        )
    return DispatchResult(order.pk, Outcome.SHIPPED)


def _refuse_another_number(order: Order, dispatch: Dispatch) -> None:
    last = latest_shipment(order)
    number = last.tracking_number if last is not None else ""
    if as_one_word(number) != as_one_word(dispatch.tracking_number):
        raise Problem(
            "already_shipped",
            _("Cette commande est déjà partie avec le numéro «\u00a0%(number)s\u00a0».") % {"number": number}
            if number
            else _("Cette commande est déjà partie, sans numéro de suivi."),
            409,
        )
