"""Refunds as staff and customers see them."""

import uuid
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from django.db.models import Prefetch, Q, TextChoices
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from orders.models import (
    AUTOMATIC_REFUNDS,
    COMMITTED_REFUNDS,
    REFUNDS_UNDER_WAY,
    Attempt,
    DisputeState,
    Order,
    Refund,
    RefundReason,
    RefundRequest,
    RefundState,
    TransferReturn,
)
from orders.selectors.money import waiting_refunds
from orders.selectors.provider_words import refund_failure_in_words
from orders.selectors.refund_debts import balances, uncredited
from orders.selectors.refund_words import automatic_refund_text, reason_for_reader
from shop.core.languages import active_language
from shop.core.money import ZERO


class RefundProgress(TextChoices):
    """The progress of a decision as a whole, whatever it took: one refund, three, or none."""

    PENDING = "pending", _("En cours")
    SUCCEEDED = "succeeded", _("Effectué")
    FAILED = "failed", _("Échoué")


@dataclass(frozen=True, slots=True)
class ShownRefund:
    """What a customer reads of a refund: `money` goes back to the card, `voided` is no longer collected. Of the money
    `owed` was not accepted by a bank and `taken` was given back by a bank in a lost dispute; where there is any of
    them, `paid_back` has gone back and `under_way` goes. `language` is that of `reason`."""

    money: Decimal
    voided: Decimal
    reason: str
    language: str
    progress: RefundProgress
    decided_at: datetime
    settled_at: datetime | None
    owed: Decimal = ZERO
    taken: Decimal = ZERO
    paid_back: Decimal = ZERO
    under_way: Decimal = ZERO

    @property
    def arrives(self) -> bool:
        """Whether money of it comes to its customer's account by itself, or came."""
        return self.money > self.owed + self.taken


def find_request(request_id: uuid.UUID) -> RefundRequest | None:
    """Return a decision with its lines and refunds. Three queries."""
    return RefundRequest.objects.prefetch_related("lines", _newest_last()).filter(pk=request_id).first()


def automatic_refund_of(attempt: Attempt | uuid.UUID) -> Refund | None:
    """Return the refund by which the money of an attempt goes back by itself. One query."""
    return Refund.objects.filter(attempt=attempt, reason__in=AUTOMATIC_REFUNDS).first()


def order_requests(order: Order) -> list[RefundRequest]:
    """Return the decisions about an order, oldest first, with their lines and refunds. Four queries."""
    found = order.refund_requests.prefetch_related("lines__item", _newest_last())
    return list(found.order_by("created_at"))


@dataclass(frozen=True, slots=True)
class _Failures:
    """What an order's page must know once a refund has failed: the refunds and decisions that wait for a decision; of
    each decision what it lacks, what a bank took back and what is on its way; those that have an effect, those of
    charges that a bank took back; and what no decision has credited."""

    waiting: Set[object] = frozenset()
    lacking: Mapping[uuid.UUID, Decimal] = field(default_factory=dict)
    taken: Mapping[uuid.UUID, Decimal] = field(default_factory=dict)
    on_its_way: Mapping[uuid.UUID, Decimal] = field(default_factory=dict)
    effective: Collection[object] = ()
    by_banks: Set[object] = frozenset()
    free: Decimal = ZERO


def _failures(order: Order) -> _Failures:
    """Five queries."""
    committed, done = balances(order, COMMITTED_REFUNDS, (RefundState.SUCCEEDED,))
    lost = order.refunds.filter(attempt__disputes__state=DisputeState.LOST)
    pairs = waiting_refunds().filter(order=order).values_list("pk", "request")
    return _Failures(
        waiting={pk for pair in pairs for pk in pair},
        lacking=committed.lacking,
        taken=done.taken,
        on_its_way={pk: amount - committed.lacking[pk] for pk, amount in done.lacking.items()},
        effective=done.effective,
        by_banks=set(lost.values_list("request", flat=True)),
        free=uncredited(order),
    )


def refunds_for_page(order: Order) -> list[ShownRefund]:
    """Return what the order's page shows, oldest first: decisions and automatic refunds. Three queries, eight where
    any failed.

    A decision without effect is decided anew: it is owed for no more than what no other has credited.
    """
    requests = list(order.refund_requests.select_related("withdrawal").prefetch_related(_newest_last()))
    # What was refunded outside the shop shows in the decisions it counts for, unless its charge goes back by itself.
    by_itself = order.refunds.filter(reason__in=AUTOMATIC_REFUNDS).values("attempt")
    shown_alone = ~Q(reason=RefundReason.EXTERNAL) | Q(attempt__in=by_itself)
    alone = order.refunds.filter(shown_alone, request=None, replaced_by=None)
    automatic = list(alone.select_related("attempt"))
    each = [*automatic, *(refund for request in requests for refund in request.refunds.all())]
    failures = _failures(order) if any(row.state == RefundState.FAILED for row in each) else _Failures()
    free, shown = failures.free, []
    for request in requests:
        owed = failures.lacking.get(request.pk, ZERO)
        by_bank = failures.taken.get(request.pk, ZERO)
        money, of_request = request.amount - request.voided, progress(request)
        if of_request == RefundProgress.FAILED and request.pk not in failures.waiting:
            if owed == request.amount and request.pk not in failures.by_banks:
                # Other decisions gave all of its charge back.
                continue
            owed, by_bank = ZERO, by_bank + owed
        elif of_request != RefundProgress.FAILED:
            owed = ZERO
        elif request.pk not in failures.effective:
            money = owed = min(owed, free)
            free -= owed
            if not owed:
                continue
        under_way = failures.on_its_way.get(request.pk, ZERO)
        reason, language = reason_for_reader(request, order.language)
        shown.append(
            ShownRefund(
                money=money,
                voided=request.voided,
                reason=reason,
                language=language,
                progress=of_request,
                decided_at=request.created_at,
                settled_at=request.settled_at,
                owed=owed,
                taken=by_bank,
                paid_back=money - owed - by_bank - under_way,
                under_way=under_way,
            )
        )
    shown += [_shown_alone(refund, waits=refund.pk in failures.waiting) for refund in automatic]
    return sorted(shown, key=lambda refund: refund.decided_at)


def _shown_alone(refund: Refund, *, waits: bool) -> ShownRefund:
    state = _of_refund(refund)
    failed = refund.amount if state == RefundProgress.FAILED else ZERO
    return ShownRefund(
        money=refund.amount,
        voided=ZERO,
        reason=automatic_refund_text(refund) or str(refund.get_reason_display()),
        language=active_language(),
        progress=state,
        decided_at=refund.created_at,
        settled_at=refund.settled_at,
        owed=failed if waits else ZERO,
        taken=ZERO if waits else failed,
    )


def progress(request: RefundRequest) -> RefundProgress:
    """Return the progress of a decision as a whole. `request` comes with its refunds fetched."""
    if request.settled_at is not None:
        return RefundProgress.SUCCEEDED
    refunds = list(request.refunds.all())
    again = {refund.replaces_id for refund in refunds}
    if any(refund.state == RefundState.FAILED and refund.pk not in again for refund in refunds):
        return RefundProgress.FAILED
    return RefundProgress.PENDING


def _of_refund(refund: Refund) -> RefundProgress:
    if refund.state in REFUNDS_UNDER_WAY:
        return RefundProgress.PENDING
    return RefundProgress.SUCCEEDED if refund.state == RefundState.SUCCEEDED else RefundProgress.FAILED


def _newest_last() -> "Prefetch[str]":
    return Prefetch("refunds", queryset=Refund.objects.order_by("created_at"))


def refund_error_in_words(error: str) -> str:
    """Return a refund's error in words, in the active language: what to do, else what it means; a code that has none is
    shown as it came."""
    texts = {
        "charge_already_refunded": _("Ce paiement avait déjà été remboursé hors de la boutique."),
        "charge_disputed": _(
            "La banque du client conteste ce paiement : répondez au litige. "
            "S'il est perdu, convenez d'un virement pour le reste."
        ),
        "expired_or_canceled_card": _(
            "La carte du client n'existe plus : réessayez plus tard, ou convenez d'un virement."
        ),
        "lost_or_stolen_card": _("La carte du client est perdue ou volée : convenez d'un virement."),
        "insufficient_funds": _("Votre solde chez Stripe ne suffit pas : réessayez quand il est rempli."),
        "canceled": _("Le remboursement a été annulé chez Stripe."),
        "no_payment": _("Ce paiement n'est pas connu de Stripe."),
        TransferReturn.RETURNED: _("La banque a renvoyé ce virement : vérifiez l'IBAN avec le client."),
        TransferReturn.MISTAKEN: _("Ce virement avait été noté par erreur : le client attend son argent."),
    }
    meaning = refund_failure_in_words(error)
    return str(texts.get(error, error if meaning == error else f"{capfirst(meaning)}."))
