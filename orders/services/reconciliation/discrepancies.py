"""What reconciliation found: recorded once, mailed to the workshop, closed when it is gone or understood."""

import uuid
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from orders.journal import record_event
from orders.mails import mail_workshop
from orders.models import Discrepancy, DiscrepancyKind
from orders.models.payment import PROVIDER_ID
from orders.services.reconciliation.comparison import Difference
from shop.core.audit import record_audit
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.mail import ALERT_LINES
from shop.core.money import amount_string, from_cents
from shop.core.problems import Problem
from shop.core.site import absolute_url

if TYPE_CHECKING:
    from accounts.models import User


def record_differences(
    differences: Sequence[Difference], *, gone: Collection[int], now: datetime
) -> list[Discrepancy]:
    """Write a discrepancy for each difference that has none, close those that are `gone` (keys of discrepancies).

    Mails the workshop once a night while anything is open. What was gone by itself and is found again is open again;
    what a person explained, only when the figures are others. Call it in the language of the staff area: it is by its
    text that a difference is the same. Returns what is open.
    """
    with transaction.atomic():
        known = {found.key: found for found in differences}
        rows = Discrepancy.objects.filter(provider_id__in={found.provider_id for found in differences})
        for row in rows.select_for_update().order_by("pk"):
            if found := known.get((row.kind, row.provider_id)):
                _find_again(row, found, now)
        Discrepancy.objects.bulk_create(
            [
                Discrepancy(
                    kind=found.kind,
                    provider_id=found.provider_id,
                    order_id=found.order_id,
                    amount=found.amount,
                    detail=found.detail[:300],
                    found_at=now,
                )
                for found in differences
            ],
            ignore_conflicts=True,
        )
        Discrepancy.objects.filter(pk__in=gone, resolved_at=None).update(
            resolved_at=now, resolution=_("Disparu au rapprochement suivant."), is_explained=False
        )
        still_open = list(Discrepancy.objects.filter(resolved_at=None).select_related("order").order_by("pk"))
        if still_open:
            _mail(still_open, str(timezone.localdate(now)))
    return still_open


def _find_again(row: Discrepancy, found: Difference, now: datetime) -> None:
    figures = (found.amount, found.detail[:300])
    is_same = (row.amount, row.detail) == figures
    if is_same and (row.resolved_at is None or row.is_explained):
        return
    row.amount, row.detail = figures
    if row.resolved_at is not None:
        # What a person wrote about other figures stays to be read.
        row.resolution = row.resolution if row.is_explained else ""
        row.found_at, row.resolved_at, row.is_explained = now, None, False
    row.save()


def record_unmatched_payment(
    *, provider_id: str, order_id: uuid.UUID | None, cents: int, detail: str
) -> None:
    """Record and mail, once an object, money of an event that no attempt of the shop asked for."""
    discrepancy = Discrepancy(
        kind=DiscrepancyKind.PAYMENT_UNMATCHED,
        provider_id=provider_id[:PROVIDER_ID],
        order_id=order_id,
        amount=from_cents(cents),
        detail=detail[:300],
    )
    with transaction.atomic():
        Discrepancy.objects.bulk_create([discrepancy], ignore_conflicts=True)
        _mail([discrepancy], f"{discrepancy.kind}:{discrepancy.provider_id[:100]}")


def resolve_discrepancy(*, discrepancy_id: int, how: str, actor: "User | None") -> Discrepancy:
    """Record why a discrepancy is in order. Raises Problem 409 when it is closed already."""
    with transaction.atomic():
        discrepancy = Discrepancy.objects.select_for_update().get(pk=discrepancy_id)
        if discrepancy.resolved_at is not None:
            raise Problem("discrepancy_resolved", _("Cet écart est déjà réglé."), 409)
        discrepancy.resolved_at = timezone.now()
        discrepancy.resolution = how[:300]
        discrepancy.is_explained = True
        discrepancy.save(update_fields=["resolved_at", "resolution", "is_explained"])
        if discrepancy.order is not None:
            record_event(
                discrepancy.order,
                "discrepancy.resolved",
                actor=actor,
                movement=discrepancy.provider_id,
                how=how[:300],
            )
        elif actor is not None:
            # Money of no order has no journal.
            record_audit(
                "discrepancy.resolved",
                discrepancy,
                actor=actor,
                after={"amount": amount_string(discrepancy.amount)},
            )
    return discrepancy


def _mail(discrepancies: Iterable[Discrepancy], once: str) -> None:
    rows = list(discrepancies)
    with translation.override(SOURCE_LANGUAGE):
        lines = [
            {
                "kind": str(discrepancy.get_kind_display()),
                "amount": amount_string(discrepancy.amount),
                "movement": discrepancy.provider_id,
                "order": discrepancy.order.reference if discrepancy.order else "",
                "detail": discrepancy.detail,
            }
            for discrepancy in rows[:ALERT_LINES]
        ]
    context = {
        "discrepancies": lines,
        "count": len(rows),
        "more": max(0, len(rows) - ALERT_LINES),
        "admin_url": absolute_url(reverse("staff-discrepancies")),
    }
    mail_workshop("reconciliation_discrepancies", context, once=once)
