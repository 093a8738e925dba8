"""What is deleted or anonymised once its period is over (GDPR art. 5(1)(e)): every rule that apps registered, each day,
in batches, with a row of what was done."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone, translation

from accounts.models import User
from blog.selectors.subscribers import gets_letters
from shop.core.each_row import each_row
from shop.core.mail import queue_mail
from shop.core.members import hold_account
from shop.core.personal_data import RetentionRule, kept_until, last_use, retention_rules
from shop.core.site import absolute_url
from shop.pages.models import Erasure, InactivityNotice, RetentionRun
from shop.pages.services.erasures import request_erasure

logger = logging.getLogger(__name__)

BATCH = 200
_READ = 500
MAX_SECONDS = 180
"""A run ends before its task does; what is left goes on the next day."""


def apply_rules(now: datetime) -> dict[str, int]:
    """Apply every rule, and return how many things each deleted. One that fails is reported on its row, and keeps the
    others from nothing."""
    end = time.monotonic() + MAX_SECONDS
    return {rule.name: _apply(rule, now, end) for rule in retention_rules()}


def _apply(rule: RetentionRule, now: datetime, end: float) -> int:
    before, count, fault = kept_until(rule.period, now), 0, ""
    try:
        while time.monotonic() < end:
            found = rule.purge(before, BATCH)
            count += found
            if found < BATCH:
                break
    except Exception as error:
        logger.exception("retention rule %s failed", rule.name)
        fault = f"{type(error).__name__}: {error}"[:300]
    day = timezone.localdate(now)
    run, _created = RetentionRun.objects.get_or_create(day=day, rule=rule.name)
    run.count, run.fault = run.count + count, fault
    run.save(update_fields=["count", "fault"])
    return count


def warn_inactive(before: datetime, limit: int) -> int:
    """Write to members without activity since a month before their period ends, at most `limit`; return how many. Who
    is blocked is one of them, and can write to the workshop."""
    soon = before + timedelta(days=settings.RETENTION["inactive_notice_days"])
    return each_row(_idle_members(soon, limit=limit), _warn)


def _warn(user: User) -> bool:
    with transaction.atomic(), translation.override(user.language):
        held = hold_account(user.pk)
        if held is None:
            return False
        _notice, created = InactivityNotice.objects.get_or_create(user_key=user.pk)
        if created:
            queue_mail(
                kind="account_inactive",
                to=user.email,
                language=user.language,
                context={
                    "url": absolute_url(reverse("accounts:auth" if held.is_active else "contact")),
                    "is_blocked": not held.is_active,
                    "ends_at": _end(timezone.now()).isoformat(),
                    "keeps_newsletter": gets_letters(user.email),
                },
                dedupe_key=f"inactive:{user.pk}:{timezone.localdate():%Y%m%d}",
            )
    return created


def erase_inactive(before: datetime, limit: int) -> int:
    """Register the erasure of members who were warned before and did not come back, at most `limit`; return how many
    notices are dealt with. Who came back is forgotten as inactive."""
    notices = list(InactivityNotice.objects.filter(announced_at__lt=before).order_by("pk")[:limit])
    return each_row(notices, _follow)


def _follow(notice: InactivityNotice) -> bool:
    with transaction.atomic():
        # Who signs in at this moment is waited for.
        user = hold_account(notice.user_key)
        if user is not None and not user.is_staff and last_use([user.pk])[user.pk] < notice.announced_at:
            request_erasure(user=user, language=user.language, by_inactivity=True)
        notice.delete()
    return True


def _end(announced: datetime) -> datetime:
    return announced + timedelta(days=settings.RETENTION["inactive_notice_days"])


def _idle_members(before: datetime, *, limit: int) -> list[User]:
    """Members, not staff, whom no app has seen since. Who did not sign in may still have ordered."""
    candidates = (
        User.objects.filter(is_staff=False, date_joined__lt=before)
        .exclude(Q(last_login__gte=before) | Q(last_seen_at__gte=before))
        .exclude(pk__in=InactivityNotice.objects.values("user_key"))
        .exclude(pk__in=Erasure.objects.filter(user_key__isnull=False).values("user_key"))
        .order_by("pk")
    )
    found: list[User] = []
    for users in _batches(candidates.iterator(chunk_size=_READ), _READ):
        used = last_use([user.pk for user in users])
        found += [user for user in users if used[user.pk] < before]
        if len(found) >= limit:
            break
    return found[:limit]


def _batches(users: Iterable[User], size: int) -> Iterator[list[User]]:
    """Yield lists of at most `size`."""
    rows = iter(users)
    while chunk := list(islice(rows, size)):
        yield chunk
