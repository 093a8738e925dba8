"""Noting that a return was filed, which takes it off the list of what waits."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from orders.models import FiledReturn, ReturnKind
from shop.core.audit import record_audit


def note_filed(
    *, kind: ReturnKind, period: str, filed: bool, actor: User | None, seen_at: datetime | None = None
) -> None:
    """Note that a return was filed, or with `filed` False that it is to be filed after all. What the shop knew at
    `seen_at`, when its amounts were read, counts as declared; now by default. Repeated calls change nothing."""
    with transaction.atomic():
        if filed:
            now = timezone.now()
            row, made = FiledReturn.objects.get_or_create(
                kind=kind, period=period, defaults={"filed_at": min(seen_at or now, now)}
            )
            if made:
                record_audit("return.filed", row, actor=actor, after={"kind": kind, "period": period})
            return
        known = FiledReturn.objects.select_for_update().filter(kind=kind, period=period).first()
        if known is not None:
            record_audit("return.unfiled", known, actor=actor, before={"kind": kind, "period": period})
            known.delete()


def note_corrected(*, kind: ReturnKind, period: str, actor: User | None, seen_at: datetime | None) -> None:
    """Note that a filed return was corrected: what the shop knew at `seen_at` counts as declared; see `note_filed`."""
    with transaction.atomic():
        note_filed(kind=kind, period=period, filed=False, actor=actor)
        note_filed(kind=kind, period=period, filed=True, actor=actor, seen_at=seen_at)
