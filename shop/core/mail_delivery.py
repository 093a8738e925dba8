"""Delivering the outbox: claim a row, render it, send it, mark it.

A row is claimed by one guarded UPDATE and leased for three minutes, so two workers never hold it at once and a
killed one gives it back when the lease ends. Sending happens outside any transaction. A mail can go out twice
(a worker killed between the server's answer and the mark), under the same Message-ID; it can't get lost.
"""

from __future__ import annotations

import logging
import re
import smtplib
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import formataddr, parseaddr

from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.db import transaction
from django.db.models import Count, F, Min, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.template.loader import render_to_string
from django.utils import timezone, translation

from shop.core.clocks import is_misdated
from shop.core.mail import enqueue_delivery
from shop.core.mail_content import (
    MailFile,
    is_marketing,
    load_attachments,
    report_missed,
    report_refused_address,
    resolve_content,
)
from shop.core.models import MailState, OutgoingMail, ShopSettings
from shop.core.site import absolute_url

logger = logging.getLogger(__name__)

# A mail server answers fourteen times for one mail, STARTTLS and sign-in included, and has EMAIL_TIMEOUT for each.
LEASE = timedelta(minutes=3)

# Quick tries for a hiccup or a greylisting server, slow ones for an outage: two days in all.
RETRY_DELAYS = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=15),
    timedelta(hours=1),
    timedelta(hours=4),
    timedelta(hours=12),
    timedelta(hours=30),
)
MAX_ATTEMPTS = len(RETRY_DELAYS) + 1
NO_WORKER_AFTER = timedelta(minutes=5)
# One or two may not exist.
REFUSED_RECIPIENTS = 3
# A row whose worker died this often is taken for the cause of it.
MAX_CRASHES = 5
_BLANK_LINES = re.compile(r"\n{3,}")
_BREAKS = re.compile(r"[\x00-\x20\x7f\x85\u2028\u2029]+")
_TRAILING_SPACE = re.compile(r"(?<![ \t])[ \t]+\n")
_ENHANCED_CODE = re.compile(r"\b5\.(\d{1,3})\.(\d{1,3})\b")


# Long enough for any sentence of ours; what people typed into it is cut rather than refused.
SUBJECT_LENGTH = 200


class MailRefusedError(Exception):
    """The mail server refused this mail for good; trying again would change nothing."""


class NoSuchMailboxError(MailRefusedError):
    """The mail server says that there is no such mailbox (RFC 3463: 5.1.x, or a mailbox that was closed, 5.2.1)."""


@dataclass(frozen=True, slots=True)
class RenderedMail:
    """A mail as a person reads it."""

    subject: str
    text: str
    html: str


def deliver(mail_id: int, *, now: datetime | None = None) -> MailState | None:
    """Deliver one mail if it is due. Return its new state, or ``None`` when there was nothing to do.

    Safe to call any number of times and from any number of workers.
    """
    mail = _claim(mail_id, now or timezone.now())
    if mail is None or mail.state != MailState.SENDING:
        return None
    try:
        if not resolve_content(mail):
            _still_ours(mail).delete()
            return None
        if not mail.text:
            _store_rendering(mail, render(mail))
        files, missing = load_attachments(mail.attachments)
        _send(mail, files)
        report_missed(missing)
    except MailRefusedError as error:
        state = _mark_failed(mail, error)
        if isinstance(error, NoSuchMailboxError):
            report_refused_address(mail.to)
        return state
    except Exception as error:
        if mail.attempts >= MAX_ATTEMPTS:
            return _mark_failed(mail, error)
        return _mark_for_retry(mail, error)
    # No guard on the lease here: it has been sent, whoever holds the row by now.
    OutgoingMail.objects.filter(pk=mail.pk).exclude(state=MailState.SENT).update(
        state=MailState.SENT, sent_at=timezone.now(), lease_until=None, last_error=""
    )
    return MailState.SENT


def due_mails(now: datetime) -> list[int]:
    """Return the ids of the mails to deliver now, those whose worker died included, oldest first. Bulk mails are not
    among them. One query."""
    return list(_due_ids(now, is_bulk=False)[:500])


def oldest_waiting_mail(now: datetime) -> datetime | None:
    """Return since when the mail that waits longest could have been delivered; None when none waits. Bulk mails and
    those planned for later are not among them. One query."""
    waiting = OutgoingMail.objects.filter(state__in=(MailState.QUEUED, MailState.SENDING), is_bulk=False)
    groups = waiting.order_by().values_list("state", "attempts").annotate(Min("next_attempt_at"))
    # The next try is as much later as the delays after the earlier ones; one that is under way has had no delay yet.
    moments = [
        moment - sum(RETRY_DELAYS[: attempts - (state == MailState.SENDING)], timedelta(0))
        for state, attempts, moment in groups
    ]
    return min((moment for moment in moments if moment <= now), default=None)


def refused_since(now: datetime) -> datetime | None:
    """Return since when the mail server refuses every mail for good, three recipients at least; None while it takes
    some. Bulk mails are not among them. One query."""
    rows = OutgoingMail.objects.order_by("-created_at")
    last_taken = rows.filter(state=MailState.SENT).values("created_at")[:1]
    by_the_server = Q()
    for refusal in (MailRefusedError, NoSuchMailboxError):
        by_the_server |= Q(last_error__startswith=f"{refusal.__name__}:")
    refused = rows.filter(
        by_the_server,
        state=MailState.FAILED,
        is_bulk=False,
        created_at__gt=Coalesce(Subquery(last_taken), datetime.min.replace(tzinfo=UTC)),
    ).aggregate(first=Min("created_at"), recipients=Count("to", distinct=True))
    return refused["first"] if refused["recipients"] >= REFUSED_RECIPIENTS else None


def deliver_bulk(reference: str, *, end: float, goes_on: Callable[[], bool]) -> bool:
    """Deliver the bulk mails of a reference one by one, until `end` on the monotonic clock or `goes_on` says no.

    Every other mail goes first: as soon as one is due, this stops. Return whether none of them is due any more. It also
    stops at the first one that the server did not take.
    """
    while True:
        now = timezone.now()
        waiting = _due_ids(now, is_bulk=True).filter(reference=reference).first()
        if waiting is None:
            return True
        if time.monotonic() > end or not goes_on() or _due_ids(now, is_bulk=False).exists():
            return False
        if deliver(waiting, now=now) == MailState.QUEUED:
            return False


def sweep(now: datetime) -> None:
    """Find whatever a lost message, a broker that was away or a killed worker left behind.

    What is due is handed to the workers again. What nobody took for ``NO_WORKER_AFTER`` is delivered here: on
    a machine that runs jobs from cron there may be no worker at all.
    """
    _requeue_misdated(now)
    for mail_id in due_mails(now):
        enqueue_delivery(mail_id)
    deliver_overdue(now)


def _requeue_misdated(now: datetime) -> None:
    """No mail waits longer than the longest delay: what does was written or claimed by a clock that was ahead."""
    longest = RETRY_DELAYS[-1]
    queued = OutgoingMail.objects.filter(state=MailState.QUEUED)
    queued.filter(is_misdated("next_attempt_at", now, within=longest)).update(next_attempt_at=now)
    claimed = OutgoingMail.objects.filter(state=MailState.SENDING)
    claimed.filter(is_misdated("lease_until", now, within=longest)).update(lease_until=now)


def deliver_overdue(now: datetime) -> int:
    """Delivers, for about 20 seconds, the mails that have waited too long; returns how many were handled.

    It stops at the first one that the server did not take: the next sweep goes on.
    """
    end = time.monotonic() + 20
    handled = 0
    for mail_id in due_mails(now - NO_WORKER_AFTER):
        if time.monotonic() > end:
            break
        state = deliver(mail_id, now=now)
        handled += state is not None
        if state == MailState.QUEUED:
            break
    return handled


def resend(*, mail_id: int) -> bool:
    """Put a dead letter back into the queue, its tries counted from zero. False when it was not one."""
    with transaction.atomic():
        # No bulk mail any more: who sends those may be done with theirs, and would never try it again.
        revived = OutgoingMail.objects.filter(pk=mail_id, state=MailState.FAILED).update(
            state=MailState.QUEUED, attempts=0, crashes=0, next_attempt_at=timezone.now(), is_bulk=False
        )
        if revived:
            transaction.on_commit(lambda: enqueue_delivery(mail_id), robust=True)
    return bool(revived)


def render(mail: OutgoingMail) -> RenderedMail:
    """Return the mail's subject, text and HTML in its language. What people typed is only ever template context."""
    with translation.override(mail.language):
        values = {
            **mail.context,
            "shop": ShopSettings.load(),
            "language": mail.language,
            "site_url": settings.SITE_URL,
            "home_url": absolute_url("/" if mail.language == settings.LANGUAGE_CODE else f"/{mail.language}"),
        }
        subject = render_to_string(f"mail/{mail.kind}.subject.txt", values)
        text = render_to_string(f"mail/{mail.kind}.txt", values)
        html = render_to_string(f"mail/{mail.kind}.html", {**values, "mail_subject": _one_line(subject)})
    return RenderedMail(subject=_one_line(subject)[:SUBJECT_LENGTH], text=_tidy(text), html=html)


def _due_ids(now: datetime, *, is_bulk: bool) -> QuerySet[OutgoingMail, int]:
    rows = OutgoingMail.objects.filter(
        _due(now), state__in=(MailState.QUEUED, MailState.SENDING), is_bulk=is_bulk
    )
    return rows.order_by("next_attempt_at", "pk").values_list("pk", flat=True)


def _due(now: datetime) -> Q:
    return Q(state=MailState.QUEUED, next_attempt_at__lte=now) | Q(
        state=MailState.SENDING, lease_until__lte=now
    )


def _claim(mail_id: int, now: datetime) -> OutgoingMail | None:
    """Take the row for this worker. The UPDATE's own conditions decide between rivals, on any database."""
    rows = OutgoingMail.objects.filter(pk=mail_id)
    lease = {"state": MailState.SENDING, "lease_until": now + LEASE, "attempts": F("attempts") + 1}
    # Nearly every mail: only what was claimed before can have crashed.
    if rows.filter(state=MailState.QUEUED, next_attempt_at__lte=now).update(**lease):
        return rows.first()
    crashed = rows.filter(state=MailState.SENDING, lease_until__lte=now)
    if crashed.filter(crashes__gte=MAX_CRASHES - 1).update(
        state=MailState.FAILED,
        crashes=F("crashes") + 1,
        lease_until=None,
        last_error=f"Le programme d'envoi s'est arrêté {MAX_CRASHES} fois pendant cet envoi.",
    ):
        logger.error("mail %s is a dead letter: its worker died %s times", mail_id, MAX_CRASHES)
        return None
    return rows.first() if crashed.update(crashes=F("crashes") + 1, **lease) else None


def _store_rendering(mail: OutgoingMail, rendered: RenderedMail) -> None:
    mail.subject, mail.text, mail.html = rendered.subject, rendered.text, rendered.html
    stored = {"subject": mail.subject}
    if not mail.is_bulk:
        stored |= {"text": mail.text, "html": mail.html}
    OutgoingMail.objects.filter(pk=mail.pk).update(**stored)


def _send(mail: OutgoingMail, files: list[MailFile]) -> None:
    shop = ShopSettings.load()
    message = EmailMultiAlternatives(
        subject=mail.subject,
        body=mail.text,
        from_email=formataddr((_one_line(shop.shop_name), parseaddr(settings.DEFAULT_FROM_EMAIL)[1])),
        to=[mail.to],
        reply_to=[address] if (address := mail.context.get("reply_to") or shop.email) else None,
        headers={
            "Message-ID": mail.message_id,
            "Auto-Submitted": "auto-generated",
            **_unsubscribe_headers(mail),
        },
    )
    message.attach_alternative(mail.html, "text/html")
    for file in files:
        message.attach(file.name, file.content, file.mime_type)
    # What the server refuses before it sees a mail (TLS, sign-in) is a setting to repair, after which the mail can go.
    with get_connection() as message.connection:
        _hand_over(message)


def _hand_over(message: EmailMultiAlternatives) -> None:
    """Send over the message's own connection. Raises MailRefusedError for what the server refuses for good."""
    try:
        message.send()
    except smtplib.SMTPHeloError:
        # It greets late where it asks for neither TLS nor a password.
        raise
    except smtplib.SMTPRecipientsRefused as error:
        refusals = error.recipients.values()
        if all(_names_no_mailbox(code, reason) for code, reason in refusals):
            raise NoSuchMailboxError(_describe(error)) from error
        if all(code >= 500 for code, _reason in refusals):
            raise MailRefusedError(_describe(error)) from error
        raise
    except smtplib.SMTPResponseException as error:
        if error.smtp_code >= 500:
            raise MailRefusedError(_describe(error)) from error
        raise
    except (smtplib.SMTPNotSupportedError, UnicodeError) as error:
        raise MailRefusedError(_describe(error)) from error


def _names_no_mailbox(code: int, reason: bytes | str) -> bool:
    """Return whether this refusal means the address itself. One of policy, of size or of a full mailbox does not; a
    server without enhanced codes means the address by 550, 551 and 553."""
    text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    enhanced = _ENHANCED_CODE.search(text)
    if enhanced:
        return enhanced[1] == "1" or enhanced.groups() == ("2", "1")
    return code in (550, 551, 553)


def _unsubscribe_headers(mail: OutgoingMail) -> dict[str, str]:
    """RFC 8058: the button that mail programs show for mails which can be ended. The address is the one in the text
    and takes a POST without cookie."""
    url = str(mail.context.get("unsubscribe_url", ""))
    if not url:
        if is_marketing(mail.kind):
            raise MailRefusedError(f"{mail.kind}: a marketing mail without unsubscribe_url")
        return {}
    return {"List-Unsubscribe": f"<{url}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}


def _mark_for_retry(mail: OutgoingMail, error: Exception) -> MailState | None:
    delay = RETRY_DELAYS[mail.attempts - 1]
    logger.warning("mail %s not sent, next try in %s: %s", mail.pk, delay, _describe(error))
    ours = _still_ours(mail).update(
        state=MailState.QUEUED,
        next_attempt_at=timezone.now() + delay,
        lease_until=None,
        last_error=_describe(error),
    )
    return MailState.QUEUED if ours else None


def _mark_failed(mail: OutgoingMail, error: Exception) -> MailState | None:
    logger.error("mail %s (%s) is a dead letter: %s", mail.pk, mail.kind, _describe(error))
    ours = _still_ours(mail).update(state=MailState.FAILED, lease_until=None, last_error=_describe(error))
    return MailState.FAILED if ours else None


def _still_ours(mail: OutgoingMail) -> QuerySet[OutgoingMail]:
    """Return the row, unless another worker took it over after our lease ended."""
    return OutgoingMail.objects.filter(pk=mail.pk, state=MailState.SENDING, attempts=mail.attempts)


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:1000]


def _tidy(text: str) -> str:
    """Return the text without the blank lines that template tags leave behind."""
    return _BLANK_LINES.sub("\n\n", _TRAILING_SPACE.sub("\n", text)).strip() + "\n"


def _one_line(value: str) -> str:
    """Return the value without line breaks or control characters; no-break spaces stay."""
    return _BREAKS.sub(" ", value).strip(" ")
