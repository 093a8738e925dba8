"""Asking for the newsletter, confirming it, choosing what it is about, and ending it (L34-5 CPCE).

The owner of an address agrees by a link that only their mailbox got, or signed in with the address proven. A
confirmation is all that a stranger can cause, and few of them an hour.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone, translation

from accounts.selectors import find_user
from blog.mails.links import confirm_url, preferences_url, unsubscribe_url
from blog.models import (
    CampaignRecipient,
    ConsentAction,
    ConsentRecord,
    Purpose,
    Subscriber,
    Suspension,
    Topic,
)
from blog.selectors.subscribers import TOPIC_COLUMNS, find_by_token
from blog.services.newsletter.consents import Origin, lock_address, locked_subscriber, record_consent
from catalog.models import Category
from shop.core import limits
from shop.core.email_addresses import clean_email
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.mail import purge_mails_of, queue_mail
from shop.core.models import MailState, OutgoingMail
from shop.core.personal_data import kept_until, period_text

MAILS = "newsletter"
"""How the kinds of its mails begin."""
REMINDER_MAIL = "cart_reminder"


@dataclass(frozen=True, slots=True)
class Choices:
    """What the owner of an address wants. `category_ids` None: every collection; `cart_reminders` and `language` None:
    as they were."""

    newsletter: bool
    topics: frozenset[Topic] = frozenset(Topic)
    category_ids: Collection[int] | None = None
    cart_reminders: bool | None = None
    language: str | None = None


def ask_subscription(*, email: str, origin: Origin) -> None:
    """Ask the owner of the address to confirm; who is subscribed already gets the link to their preferences.

    Nothing of it shows to the caller: a known address makes no difference, nor one that was written to too often.
    Raises `Problem` (400 `invalid`) for an address that is none.
    """
    address = clean_email(email)
    with transaction.atomic():
        if not limits.consume_mail(limits.NEWSLETTER_MAIL, address):
            return
        subscriber, _is_new = locked_subscriber(address, origin.language)
        if subscriber.receives:
            _write(subscriber, "newsletter_preferences", preferences_url=preferences_url(subscriber))
            return
        subscriber.asked_at = timezone.now()
        subscriber.language = origin.language
        subscriber.save(update_fields=["asked_at", "language"])
        record_consent(subscriber, Purpose.NEWSLETTER, ConsentAction.ASKED, origin)
        with translation.override(subscriber.language):
            period = period_text("newsletter_days")
        _write(subscriber, "newsletter_confirm", confirm_url=confirm_url(subscriber), period=period)


def confirm_subscription(*, key: str, origin: Origin) -> Subscriber | None:
    """The owner of the address wants the newsletter, for the first time or again; None for a link that names nobody.

    Whoever was suspended is written to again: the mailbox that got the link exists. Safe to repeat.
    """
    with transaction.atomic():
        subscriber = _locked(key)
        if subscriber is not None and not subscriber.receives:
            _subscribe(subscriber, origin)
        return subscriber


def unsubscribe(
    *,
    key: str,
    origin: Origin,
    purpose: Purpose = Purpose.NEWSLETTER,
    campaign_id: int | None,
) -> Subscriber | None:
    """What the link at the end of every letter does: no newsletter and no reminder any more. That of a reminder ends
    the reminders alone, and that of a confirmation deletes the address. None for a link that names nobody. Safe to
    repeat."""
    with transaction.atomic():
        subscriber = _locked(key)
        if subscriber is None:
            return None
        if Subscriber.objects.filter(_never_answered(), pk=subscriber.pk).exists():
            # Whoever got the link wants the address gone.
            subscriber.delete()
            return subscriber
        if campaign_id is not None and purpose == Purpose.NEWSLETTER and subscriber.subscribed_at is not None:
            letters = CampaignRecipient.objects.filter(campaign_id=campaign_id, subscriber=subscriber)
            letters.filter(unsubscribed_at=None).update(unsubscribed_at=timezone.now())
        _end(subscriber, origin, purpose)
        return subscriber


def end_mails(*, email: str, origin: Origin) -> None:
    """Send no newsletter and no reminder any more to who asked to be erased, which may wait for open orders."""
    with transaction.atomic():
        subscriber = Subscriber.objects.select_for_update().filter(email=email).first()
        if subscriber is not None:
            _end(subscriber, origin, Purpose.NEWSLETTER)


def save_preferences(*, key: str, choices: Choices, origin: Origin) -> Subscriber | None:
    """Write what the owner chose on the page of their link; None for a link that names nobody."""
    with transaction.atomic():
        subscriber = _locked(key)
        if subscriber is not None:
            _apply(subscriber, choices, origin)
        return subscriber


def save_member_choices(*, email: str, choices: Choices, origin: Origin) -> Subscriber:
    """Write what a member chose, signed in, for their own proven address: no mail has to confirm it."""
    with transaction.atomic():
        subscriber, is_new = locked_subscriber(email, choices.language or origin.language)
        if is_new and not choices.newsletter and not choices.cart_reminders:
            subscriber.delete()
        else:
            _apply(subscriber, choices, origin)
        return subscriber


def change_language(*, email: str, language: str) -> None:
    """A member chose the language of the shop's mails: letters follow, whatever they chose for these before."""
    Subscriber.objects.filter(email=email).update(language=language)


def move_subscriber(old: str, new: str) -> None:
    """A member proved another address: what they agreed to moves there with its proof and choices, and so do the
    letters that wait, as those of a paused one may for days.

    Where the new address has answered for itself already, its answer stays and the old one is given up. Nobody
    answers for an address that was only typed: that row goes.
    """
    with transaction.atomic():
        lock_address(new)
        rows = Subscriber.objects.select_for_update().filter(email__in=(old, new)).order_by("pk")
        found = {row.email: row for row in rows}
        moved, there = found.get(old), found.get(new)
        if moved is None:
            return
        if there is not None and Subscriber.objects.filter(_has_proof(), pk=there.pk).exists():
            _unsubscribe_quietly(moved)
            return
        if there is not None:
            there.delete()
        moved.email = new
        if moved.suspension == Suspension.NO_MAILBOX:
            # Another may take it. Who complained, or was suspended by staff, is the same person there.
            moved.suspended_at, moved.suspension = None, ""
        moved.save(update_fields=["email", "suspended_at", "suspension"])
        OutgoingMail.objects.filter(is_bulk=True, state=MailState.QUEUED, to=old).update(to=new)


def _unsubscribe_quietly(subscriber: Subscriber) -> None:
    """Nothing more is sent; nobody withdrew anything, so no answer is recorded."""
    if subscriber.subscribed_at is None and subscriber.cart_reminders_at is None:
        return
    subscriber.unsubscribed_at = timezone.now()
    subscriber.subscribed_at = subscriber.cart_reminders_at = None
    subscriber.save(update_fields=["subscribed_at", "unsubscribed_at", "cart_reminders_at"])


def purge_unconfirmed(before: datetime, limit: int) -> int:
    """Delete addresses that asked before and that nobody confirmed, at most `limit`; return how many."""
    return _purge(_never_answered() & Q(asked_at__lt=before), limit)


def purge_marketing_mails(before: datetime, limit: int) -> int:
    """Delete mails of the newsletter and reminders of carts from before, at most `limit`; return how many."""
    count = purge_mails_of(MAILS, before, limit)
    return count + purge_mails_of(REMINDER_MAIL, before, limit - count)


def purge_unsubscribed(before: datetime, limit: int) -> int:
    """Delete addresses that have received nothing since before, suspended ones too, with their proofs: at most `limit`.
    Returns how many. What anybody may ask for in their name keeps none, but while its link is good."""
    asked = Q(asked_at__gte=kept_until("newsletter_days", timezone.now()))
    left = Q(subscribed_at=None, cart_reminders_at=None) & ~Q(unsubscribed_at__gte=before)
    gone = left | Q(suspended_at__lt=before)
    answers = ConsentRecord.objects.filter(created_at__gte=before).exclude(action=ConsentAction.ASKED)
    return _purge(gone & ~asked & _has_proof() & ~Q(pk__in=answers.values("subscriber")), limit)


def _never_answered() -> Q:
    return Q(subscribed_at=None, unsubscribed_at=None, cart_reminders_at=None) & ~_has_proof()


def _has_proof() -> Q:
    answers = (ConsentAction.CONFIRMED, ConsentAction.WITHDRAWN)
    return Q(pk__in=Subscriber.objects.filter(consents__action__in=answers).values("pk"))


def _purge(rows: Q, limit: int) -> int:
    with transaction.atomic():
        # Who agrees at this moment is waited for, and stays.
        found = Subscriber.objects.select_for_update().filter(rows).order_by("pk")
        keys = list(found.values_list("pk", flat=True)[:limit])
        Subscriber.objects.filter(pk__in=keys).delete()
    return len(keys)


def _locked(key: str) -> Subscriber | None:
    found = find_by_token(key)
    return None if found is None else Subscriber.objects.select_for_update().filter(pk=found.pk).first()


def _apply(subscriber: Subscriber, choices: Choices, origin: Origin) -> None:
    for topic, column in TOPIC_COLUMNS.items():
        setattr(subscriber, column, topic in choices.topics)
    if choices.language is not None:
        subscriber.language = _known(choices.language)
    subscriber.every_category = choices.category_ids is None
    subscriber.save(update_fields=[*TOPIC_COLUMNS.values(), "language", "every_category"])
    # Nobody deletes them until the transaction ends (`delete_category`).
    wanted = Category.objects.select_for_update(no_key=True).filter(pk__in=choices.category_ids or ())
    subscriber.categories.set(wanted.order_by("pk"))
    if choices.newsletter and not subscriber.receives:
        _subscribe(subscriber, origin)
    elif not choices.newsletter and subscriber.subscribed_at is not None:
        _unsubscribe(subscriber, origin)
    if choices.cart_reminders is not None:
        _set_cart_reminders(subscriber, choices.cart_reminders, origin)


def _end(subscriber: Subscriber, origin: Origin, purpose: Purpose) -> None:
    _set_cart_reminders(subscriber, False, origin)
    if purpose == Purpose.NEWSLETTER and subscriber.subscribed_at is not None:
        _unsubscribe(subscriber, origin)


def _subscribe(subscriber: Subscriber, origin: Origin) -> None:
    subscriber.subscribed_at, subscriber.unsubscribed_at = timezone.now(), None
    subscriber.suspended_at, subscriber.suspension = None, ""
    subscriber.save(update_fields=["subscribed_at", "unsubscribed_at", "suspended_at", "suspension"])
    record_consent(subscriber, Purpose.NEWSLETTER, ConsentAction.CONFIRMED, origin)


def _unsubscribe(subscriber: Subscriber, origin: Origin) -> None:
    subscriber.subscribed_at, subscriber.unsubscribed_at = None, timezone.now()
    subscriber.save(update_fields=["subscribed_at", "unsubscribed_at"])
    drop_waiting(subscriber.email, MAILS)
    record_consent(subscriber, Purpose.NEWSLETTER, ConsentAction.WITHDRAWN, origin)


def _set_cart_reminders(subscriber: Subscriber, wanted: bool, origin: Origin) -> None:
    has_them = subscriber.gets_cart_reminders if wanted else subscriber.cart_reminders_at is not None
    if wanted == has_them or (wanted and find_user(subscriber.email) is None):
        return
    subscriber.cart_reminders_at = timezone.now() if wanted else None
    if wanted:
        subscriber.suspended_at, subscriber.suspension = None, ""
    else:
        drop_waiting(subscriber.email, REMINDER_MAIL)
    subscriber.save(update_fields=["cart_reminders_at", "suspended_at", "suspension"])
    record_consent(
        subscriber,
        Purpose.CART_REMINDERS,
        ConsentAction.CONFIRMED if wanted else ConsentAction.WITHDRAWN,
        origin,
    )


def drop_waiting(email: str, *kinds: str) -> None:
    """Delete the mails to this address whose kinds begin so and which the mail server has not taken yet: they would be
    tried for two days."""
    for kind in kinds:
        OutgoingMail.objects.filter(kind__startswith=kind, to=email, state=MailState.QUEUED).delete()


def _write(subscriber: Subscriber, kind: str, **more: str) -> None:
    queue_mail(
        kind=kind,
        to=subscriber.email,
        language=subscriber.language,
        context={"unsubscribe_url": unsubscribe_url(subscriber), **more},
    )


def _known(language: str) -> str:
    return language if language in dict(settings.LANGUAGES) else SOURCE_LANGUAGE
