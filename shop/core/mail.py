"""Writing a mail: a row in the caller's transaction, delivered later by a worker.

The caller's rollback takes the mail with it, its commit makes the mail certain: the row is the truth and
the task only starts its delivery sooner. Delivery itself is in ``shop.core.mail_delivery``.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from shop.core.enqueue import enqueue
from shop.core.mail_content import Attachment
from shop.core.models import MailState, OutgoingMail

logger = logging.getLogger(__name__)

# Mails about an account: they carry links that open it, and nobody needs them later.
ACCOUNT_MAILS = "account_"
# They go with their order.
CONTRACT_MAILS = ("order_confirmation", "withdrawal_received")
ALERT_LINES = 50
"""How many things a mail to the workshop names one by one; it counts the rest, and the admin lists them."""
DELIVERY_TASK = "shop.core.tasks.deliver_mail"
# The sweep publishes a message of its own for what waits longer than this.
DELIVERY_EXPIRES_SECONDS = 60.0


def queue_mail(
    *,
    kind: str,
    to: str,
    language: str,
    context: dict[str, Any],
    dedupe_key: str | None = None,
    reference: str = "",
    attachments: Sequence[Attachment] = (),
    not_before: datetime | None = None,
) -> OutgoingMail | None:
    """Write a mail to be sent once the surrounding transaction commits.

    ``kind`` names the templates ``mail/<kind>.{subject.txt,txt,html}``; ``context`` is JSON and is read by
    them at the first delivery, in ``language``. With a ``dedupe_key`` the mail is written once: a second
    call gives the first row back. ``reference`` is what operators search by (an order's reference, say).
    ``context["reply_to"]``, one plain address, is where answers go instead of the shop's own.
    With ``not_before``, a day ahead at most, it waits until then, when the sweep finds it, and may be taken back by
    ``withdraw_mails``.
    ``attachments`` name files that their providers read at delivery (``shop.core.mail_content``).

    Returns ``None`` when there is no address to write to. Raises ``ValidationError`` when ``to`` is not one
    plain address, which also keeps line breaks out of the headers.
    """
    address = to.strip()
    if not address:
        logger.warning("mail %s not written: no address (reference %s)", kind, reference)
        return None
    validate_email(address)
    if language not in dict(settings.LANGUAGES):
        language = settings.LANGUAGE_CODE
    values: dict[str, Any] = {
        "kind": kind,
        "to": address,
        "language": language,
        "context": context,
        "reference": reference,
        "message_id": new_message_id(),
        "attachments": [attachment.as_json() for attachment in attachments],
    }
    if not_before is not None:
        values["next_attempt_at"] = not_before
    if dedupe_key is None:
        mail = OutgoingMail.objects.create(**values)
    else:
        # Written first: of two that write it at once, the other waits for the end of this transaction.
        OutgoingMail.objects.bulk_create(
            [OutgoingMail(dedupe_key=dedupe_key, **values)], ignore_conflicts=True
        )
        mail = OutgoingMail.objects.get(dedupe_key=dedupe_key)
        if mail.message_id != values["message_id"]:
            return mail
    if not_before is None:
        transaction.on_commit(partial(enqueue_delivery, mail.pk), robust=True)
    return mail


@dataclass(frozen=True, slots=True)
class BulkMail:
    """One mail of many that say the same. `context` is what its resolver needs (`shop.core.mail_content`)."""

    to: str
    language: str
    context: dict[str, Any]
    dedupe_key: str


def queue_bulk_mails(*, kind: str, reference: str, mails: Iterable[BulkMail]) -> None:
    """Write mails that go after all others, in the caller's transaction; one whose key is known is left out.

    Nobody sends them by themselves: the caller has them delivered by their reference
    (`shop.core.mail_delivery.deliver_bulk`), at its own pace.
    """
    rows = [
        OutgoingMail(
            kind=kind,
            reference=reference,
            is_bulk=True,
            message_id=new_message_id(),
            to=mail.to,
            language=mail.language,
            context=mail.context,
            dedupe_key=mail.dedupe_key,
        )
        for mail in mails
    ]
    OutgoingMail.objects.bulk_create(rows, ignore_conflicts=True)


def withdraw_mails(dedupe_prefix: str) -> list[OutgoingMail]:
    """Take back, in the caller's transaction, mails that still wait for their ``not_before``; return them as they were.

    One that a worker has claimed, or that failed once, stays.
    """
    rows = OutgoingMail.objects.filter(
        dedupe_key__startswith=dedupe_prefix,
        state=MailState.QUEUED,
        attempts=0,
        next_attempt_at__gt=timezone.now(),
    )
    # One that a worker claims meanwhile has left.
    return [mail for mail in rows.order_by("pk") if rows.filter(pk=mail.pk).delete()[0]]


def move_mails(old: str, new: str) -> None:
    """A member proved another address: what was written to them before stays theirs, in their archive and when they
    are erased. Runs in the caller's transaction."""
    theirs = Q(to__iexact=old, moved_to="") | Q(moved_to=old)
    OutgoingMail.objects.filter(theirs).update(moved_to=new)


def enqueue_delivery(mail_id: int) -> None:
    """Publish the task that delivers the mail.

    A broker that is away costs time, not the mail, and an old message is dropped: the sweep finds the row.
    """
    enqueue(DELIVERY_TASK, mail_id, expires=DELIVERY_EXPIRES_SECONDS)


def purge_account_mails(before: datetime, limit: int) -> int:
    """Delete mails about accounts that are older than `before`, at most `limit`; return how many."""
    return _purge(OutgoingMail.objects.filter(kind__startswith=ACCOUNT_MAILS), before, limit)


def purge_mails_of(kinds: str, before: datetime, limit: int) -> int:
    """Delete mails whose kind begins so that are older than `before`, at most `limit`; return how many."""
    return _purge(OutgoingMail.objects.filter(kind__startswith=kinds), before, limit)


def purge_mails(before: datetime, limit: int) -> int:
    """Delete what was sent before, at most `limit`; return how many. What a customer must be able to show stays as
    long as the order: the contract (L213-1) and the acknowledgement of a withdrawal (L221-21)."""
    return _purge(OutgoingMail.objects.exclude(kind__in=CONTRACT_MAILS), before, limit)


def _purge(mails: QuerySet[OutgoingMail], before: datetime, limit: int) -> int:
    old = mails.filter(created_at__lt=before).order_by("pk").values_list("pk", flat=True)[:limit]
    return OutgoingMail.objects.filter(pk__in=list(old)).delete()[0]


def new_message_id() -> str:
    """Return a Message-ID that stays with the row, so that a mail delivered twice is recognised as one."""
    host = urlsplit(settings.SITE_URL).hostname or "localhost"
    return f"<{uuid.uuid4().hex}@{host}>"
