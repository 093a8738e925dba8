"""Addresses that nothing is sent to any more, whatever their owner agreed to: no mailbox, or a complaint."""

from __future__ import annotations

from email import message_from_bytes, policy
from email.message import Message
from email.utils import parseaddr

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from blog.models import ConsentAction, ConsentSource, Purpose, Subscriber, Suspension
from blog.services.newsletter.consents import Origin, record_consent
from blog.services.newsletter.subscriptions import MAILS, REMINDER_MAIL, drop_waiting
from catalog.services.notices import end_alerts
from shop.core.audit import record_audit
from shop.core.email_addresses import normalise_email
from shop.core.models import OutgoingMail


def suspend_address(
    email: str, reason: Suspension = Suspension.NO_MAILBOX, *, actor: User | None = None
) -> bool:
    """Send nothing to this address from now on; False when it is none of the newsletter's, or suspended already.

    Alerts that its owner asked for end with it, unless the mailbox alone is the reason: it may come back.
    """
    address = normalise_email(email)
    with transaction.atomic():
        found = Subscriber.objects.select_for_update().filter(email=address, suspended_at=None)
        subscriber = found.first()
        if reason != Suspension.NO_MAILBOX:
            end_alerts(emails=[address])
        if subscriber is None:
            return False
        subscriber.suspended_at, subscriber.suspension = timezone.now(), reason
        subscriber.save(update_fields=["suspended_at", "suspension"])
        drop_waiting(address, MAILS, REMINDER_MAIL)
        source = ConsentSource.STAFF if actor is not None else ConsentSource.SERVER
        origin = Origin(source, subscriber.language)
        record_consent(subscriber, Purpose.NEWSLETTER, ConsentAction.SUSPENDED, origin)
        if actor is not None:
            record_audit("subscriber.suspended", subscriber, actor=actor, after={"suspension": reason})
        return True


def lift_suspension(*, subscriber_id: int, actor: User) -> bool:
    """Send to this address again, as its owner agreed to; False when it was not suspended."""
    with transaction.atomic():
        found = Subscriber.objects.select_for_update().filter(pk=subscriber_id, suspended_at__isnull=False)
        subscriber = found.first()
        if subscriber is None:
            return False
        before = {"suspension": subscriber.suspension}
        subscriber.suspended_at, subscriber.suspension = None, ""
        subscriber.save(update_fields=["suspended_at", "suspension"])
        record_audit("subscriber.restored", subscriber, actor=actor, before=before)
        return True


def suspend_reported(message: bytes) -> tuple[int, int]:
    """Suspend whom a report of a mail server names; return how many addresses it names and how many it suspended.

    Anybody can write such a report. It counts for an address to which a mail was sent that it gives back: what only
    its receiver knows, a Message-ID or the token of the links, stands in it.
    """
    named = read_report(message)
    return len(named), sum(
        suspend_address(address, reason) for address, reason in named if _gives_back(message, address)
    )


def _gives_back(message: bytes, address: str) -> bool:
    ids = OutgoingMail.objects.filter(to=address).exclude(message_id="").values_list("message_id", flat=True)
    tokens = Subscriber.objects.filter(email=address).values_list("token", flat=True)
    return any(known.encode() in message for known in (*tokens, *ids))


def read_report(message: bytes) -> list[tuple[str, Suspension]]:
    """Return the addresses that a report of a mail server names, with what it says of them.

    A delivery report (RFC 3464) names those whose mail failed for good, the mailbox itself being the cause; a feedback
    report (RFC 5965) those who marked a mail as unwanted. Any other mail names nobody.
    """
    parsed = message_from_bytes(message, policy=policy.default)
    found: list[tuple[str, Suspension]] = []
    for part in parsed.walk():
        match part.get_content_type():
            case "message/delivery-status":
                found += [
                    (_address(block), Suspension.NO_MAILBOX) for block in _blocks(part) if _is_gone(block)
                ]
            case "message/feedback-report":
                for block in _blocks(part) or [part]:
                    kind = str(block.get("Feedback-Type", "")).strip().lower()
                    if kind == "abuse":
                        found.append((_address(block), Suspension.COMPLAINT))
    return [(address, reason) for address, reason in dict.fromkeys(found) if address]


def _blocks(part: Message) -> list[Message]:
    """The groups of fields of a report."""
    payload = part.get_payload()
    return [block for block in payload if isinstance(block, Message)] if isinstance(payload, list) else []


def _is_gone(block: Message) -> bool:
    status = str(block.get("Status", "")).split(" ")[0].strip()
    failed = str(block.get("Action", "")).strip().lower() == "failed"
    return failed and (status.startswith("5.1.") or status == "5.2.1")


def _address(block: Message) -> str:
    for name in ("Original-Rcpt-To", "Original-Recipient", "Final-Recipient"):
        value = str(block.get(name, ""))
        kind, separator, rest = value.partition(";")
        # `rfc822; lea@example.com`. A name in quotes may have a semicolon of its own.
        value = parseaddr(rest if separator and '"' not in kind else value)[1]
        if "@" in value:
            return normalise_email(value)
    return ""
