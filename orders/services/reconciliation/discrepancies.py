"""What reconciliation found: written down once, told to the workshop, closed when it is gone or understood."""

import uuid
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from orders.journal import record_event
from orders.models import Finding, FindingKind
from orders.models.payment import PROVIDER_ID
from orders.services.reconciliation.comparison import Difference
from shop.core.mail import ALERT_LINES, queue_mail
from shop.core.models import ShopSettings
from shop.core.money import amount_string, from_cents
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User


def record_differences(
    differences: Sequence[Difference], *, gone: Collection[int], now: datetime
) -> list[Finding]:
    """Writes a finding for each difference that has none, closes those that are `gone` (keys of findings).

    Tells the workshop once a night while anything is open. A difference that somebody closed by hand stays closed.
    Returns what is open.
    """
    with transaction.atomic():
        Finding.objects.bulk_create(
            [
                Finding(
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
        Finding.objects.filter(pk__in=gone, resolved_at=None).update(
            resolved_at=now, resolution=_("Disparu au rapprochement suivant.")
        )
        still_open = list(Finding.objects.filter(resolved_at=None).select_related("order").order_by("pk"))
        if still_open:
            _mail(still_open, str(timezone.localdate(now)))
    return still_open


def record_unmatched_payment(
    *, provider_id: str, order_id: uuid.UUID | None, cents: int, detail: str
) -> None:
    """A message tells of money that no attempt of the shop asked for: written down and mailed once an object."""
    finding = Finding(
        kind=FindingKind.PAYMENT_UNMATCHED,
        provider_id=provider_id[:PROVIDER_ID],
        order_id=order_id,
        amount=from_cents(cents),
        detail=detail[:300],
    )
    with transaction.atomic():
        Finding.objects.bulk_create([finding], ignore_conflicts=True)
        _mail([finding], f"{finding.kind}:{finding.provider_id[:100]}")


def resolve_finding(*, finding_id: int, how: str, actor: "User | None") -> Finding:
    """A person has looked and says why it is in order. Raises Problem 409 when it is closed already."""
    with transaction.atomic():
        finding = Finding.objects.select_for_update().get(pk=finding_id)
        if finding.resolved_at is not None:
            raise Problem("finding_resolved", _("Cet écart est déjà réglé."), 409)
        finding.resolved_at = timezone.now()
        finding.resolution = how[:300]
        finding.save(update_fields=["resolved_at", "resolution"])
        if finding.order is not None:
            record_event(
                finding.order, "finding.resolved", actor=actor, movement=finding.provider_id, how=how[:300]
            )
    return finding


def _mail(findings: Iterable[Finding], once: str) -> None:
    rows = list(findings)
    with translation.override("fr"):
        lines = [
            {
                "kind": str(finding.get_kind_display()),
                "amount": amount_string(finding.amount),
                "movement": finding.provider_id,
                "order": finding.order.reference if finding.order else "",
                "detail": finding.detail,
            }
            for finding in rows[:ALERT_LINES]
        ]
    queue_mail(
        kind="reconciliation_findings",
        to=ShopSettings.load().alert_address,
        language="fr",
        context={
            "findings": lines,
            "count": len(rows),
            "more": max(0, len(rows) - ALERT_LINES),
            "admin_url": settings.SITE_URL
            + reverse("admin:orders_finding_changelist")
            + "?resolved_at__isempty=1",
        },
        dedupe_key=f"reconciliation_findings:{once}",
        reference="",
    )
