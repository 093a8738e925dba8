"""Where the provider's account and the shop's ledger differ. Reads the database only; nothing is called or changed."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from orders.models import (
    COLLECTED_PAYMENTS,
    PAID_STATUSES,
    Attempt,
    DiscrepancyKind,
    LedgerEntry,
    LedgerKind,
    Order,
    Payment,
)
from orders.models.payment import DEMONSTRATION_MOVEMENT, TRANSFER_MOVEMENT
from orders.stripe.account_activity import Charge, Dispute
from orders.stripe.facts import RefundFacts
from orders.stripe.gateway import SHOP_MARK
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.money import ZERO, format_amount, from_cents

SETTLED_AFTER = timedelta(minutes=15)
"""What happened since is perhaps still on its way by webhook, and no difference yet."""
ORDER_PREFIX = "order-"
PAYMENT_PREFIX = "payment-"
"""Discrepancies about rows that name no movement of the provider carry one of these and the row's key."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One movement on which both sides differ. `kind` and `provider_id` identify it."""

    kind: DiscrepancyKind
    provider_id: str
    order_id: uuid.UUID | None
    amount: Decimal
    detail: str

    @property
    def key(self) -> tuple[str, str]:
        """The unique pair of the discrepancy's row."""
        return str(self.kind), self.provider_id


class Ledger:
    """The ledger's entries of some movements, and the attempts that they belong to. Two queries."""

    def __init__(self, *, movement_ids: Iterable[str], intent_ids: Iterable[str]) -> None:
        self._entries = {
            (entry.provider_id, entry.kind): entry
            for entry in LedgerEntry.objects.filter(provider_id__in=set(movement_ids))
        }
        self._attempts = {
            attempt.intent_id: attempt
            for attempt in Attempt.objects.filter(intent_id__in=set(intent_ids) - {""}).select_related(
                "payment"
            )
        }

    def entry(self, movement_id: str, kind: LedgerKind) -> LedgerEntry | None:
        return self._entries.get((movement_id, kind))

    def attempt(self, intent_id: str) -> Attempt | None:
        return self._attempts.get(intent_id)

    def owns(self, intent_id: str, metadata: dict[str, str]) -> bool:
        """Return False for payments of another site on the same account."""
        return intent_id in self._attempts or metadata.get(SHOP_MARK) == settings.SITE_URL


def read_ledger(
    charges: Sequence[Charge], refunds: Sequence[RefundFacts], disputes: Sequence[Dispute]
) -> Ledger:
    """Return the ledger of these movements. Two queries."""
    return Ledger(
        movement_ids=[
            *(charge.charge_id for charge in charges),
            *(refund.refund_id for refund in refunds),
            *(refund.charge_id for refund in refunds),
            *(dispute.dispute_id for dispute in disputes),
        ],
        intent_ids=[
            *(charge.intent_id for charge in charges),
            *(refund.intent_id for refund in refunds),
            *(dispute.intent_id for dispute in disputes),
        ],
    )


def charge_difference(charge: Charge, ledger: Ledger) -> Difference | None:
    """Compare a charge with the ledger. One that was refunded whole needs no order."""
    entry = ledger.entry(charge.charge_id, LedgerKind.CHARGE)
    there = from_cents(charge.amount_cents)
    if entry is None:
        if charge.returned_cents >= charge.amount_cents:
            return None
        attempt = ledger.attempt(charge.intent_id)
        return Difference(
            DiscrepancyKind.MONEY_WITHOUT_ORDER,
            charge.charge_id,
            None if attempt is None else attempt.payment.order_id,
            there,
            _("Encaissé chez Stripe, absent du grand livre."),
        )
    if charge.currency != "eur":
        detail = _("Encaissé en %(currency)s.") % {"currency": charge.currency.upper()}
    elif entry.amount != there:
        detail = _both(there, entry.amount)
    else:
        return None
    return Difference(DiscrepancyKind.AMOUNT_DIFFERS, charge.charge_id, entry.order_id, there, detail)


def refund_difference(refund: RefundFacts, ledger: Ledger) -> Difference | None:
    """Compare a refund with the ledger, of a charge that is in the books."""
    charge = ledger.entry(refund.charge_id, LedgerKind.CHARGE)
    if charge is None:
        return None
    there = from_cents(refund.amount_cents)
    booked = ledger.entry(refund.refund_id, LedgerKind.REFUND)
    failed = ledger.entry(refund.refund_id, LedgerKind.REFUND_FAILED)
    if refund.status == "succeeded":
        if booked is None:
            detail = _("Rendu chez Stripe, absent du grand livre.")
        elif -booked.amount != there:
            detail = _both(there, -booked.amount)
        elif failed is not None:
            detail = _("Rendu chez Stripe, noté comme rejeté au grand livre.")
        else:
            return None
    elif refund.status in ("failed", "canceled") and booked is not None and failed is None:
        detail = _("Rejeté chez Stripe, noté comme rendu au grand livre.")
    else:
        return None
    return Difference(DiscrepancyKind.REFUND_DIFFERS, refund.refund_id, charge.order_id, there, detail)


def dispute_difference(dispute: Dispute, ledger: Ledger) -> Difference | None:
    """Compare a dispute, and its reversal when the shop won, with the ledger."""
    attempt = ledger.attempt(dispute.intent_id)
    if attempt is None or dispute.is_inquiry:
        return None
    there = from_cents(dispute.amount_cents)
    taken = ledger.entry(dispute.dispute_id, LedgerKind.DISPUTE)
    returned = ledger.entry(dispute.dispute_id, LedgerKind.DISPUTE_WON)
    if taken is None:
        detail = _("Repris par la banque du client, absent du grand livre.")
    elif -taken.amount != there:
        detail = _both(there, -taken.amount)
    elif dispute.status == "won" and returned is None:
        detail = _("Litige gagné chez Stripe, montant non revenu au grand livre.")
    elif dispute.status != "won" and returned is not None:
        detail = _("Litige gagné au grand livre, montant non revenu chez Stripe.")
    else:
        return None
    return Difference(
        DiscrepancyKind.DISPUTE_DIFFERS, dispute.dispute_id, attempt.payment.order_id, there, detail
    )


def entry_without_movement(entry: LedgerEntry) -> Difference:
    """Return the difference of an entry that the provider does not know."""
    kinds = {
        LedgerKind.CHARGE: DiscrepancyKind.ORDER_WITHOUT_MONEY,
        LedgerKind.REFUND: DiscrepancyKind.REFUND_DIFFERS,
        LedgerKind.REFUND_FAILED: DiscrepancyKind.REFUND_DIFFERS,
    }
    return Difference(
        kinds.get(LedgerKind(entry.kind), DiscrepancyKind.DISPUTE_DIFFERS),
        entry.provider_id,
        entry.order_id,
        abs(entry.amount),
        _("Au grand livre, inconnu de Stripe."),
    )


def movements_of_provider() -> QuerySet[LedgerEntry]:
    """Return the ledger without what never went through the provider: the demonstration, and the shop's own
    transfers."""
    return LedgerEntry.objects.exclude(
        Q(provider_id__startswith=DEMONSTRATION_MOVEMENT) | Q(provider_id__startswith=TRANSFER_MOVEMENT)
    )


def booked_between(since: datetime, until: datetime) -> list[LedgerEntry]:
    """Return what moved in those days or was written in them, without what the provider does not know. One query."""
    moved = Q(occurred_at__gte=since, occurred_at__lte=until)
    written = Q(created_at__gte=since, created_at__lte=until)
    return list(movements_of_provider().filter(moved | written))


def payments_without_charge(which: Q) -> list[Difference]:
    """Return payments among `which` that say they were paid, while no charge is booked. One query."""
    charged = LedgerEntry.objects.filter(kind=LedgerKind.CHARGE, payment=OuterRef("pk"))
    return [
        Difference(
            DiscrepancyKind.ORDER_WITHOUT_MONEY,
            f"{PAYMENT_PREFIX}{payment.pk}",
            payment.order_id,
            payment.amount,
            _("Échéance notée payée, sans encaissement au grand livre."),
        )
        for payment in Payment.objects.filter(which, ~Exists(charged), state__in=COLLECTED_PAYMENTS).order_by(
            "pk"
        )
    ]


def orders_without_charge(which: Q) -> list[Difference]:
    """Return orders among `which` that say they were paid, while neither a payment nor the ledger says so. One
    query."""
    charged = LedgerEntry.objects.filter(kind=LedgerKind.CHARGE, order=OuterRef("pk"))
    collected = Payment.objects.filter(order=OuterRef("pk"), state__in=COLLECTED_PAYMENTS)
    return [
        Difference(
            DiscrepancyKind.ORDER_WITHOUT_MONEY,
            f"{ORDER_PREFIX}{order.pk}",
            order.pk,
            order.total,
            _("Commande notée payée, sans encaissement au grand livre."),
        )
        for order in Order.objects.filter(
            which, ~Exists(charged), ~Exists(collected), status__in=PAID_STATUSES
        ).order_by("pk")
    ]


def _both(there: Decimal, here: Decimal) -> str:
    return _("%(there)s chez Stripe, %(here)s au grand livre.") % {
        "there": format_amount(there or ZERO, SOURCE_LANGUAGE),
        "here": format_amount(here or ZERO, SOURCE_LANGUAGE),
    }
