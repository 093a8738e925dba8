"""Erasing a person (GDPR art. 17): registered with their password, done by a worker once nothing is open, and a month
later at the latest (art. 12(3))."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services.members import close_account, is_last_admin
from blog.models import ConsentSource
from blog.selectors.subscribers import gets_letters
from blog.services.newsletter.consents import Origin
from blog.services.newsletter.subscriptions import end_mails
from catalog.services.notices import end_alerts
from shop.core.audit import record_audit
from shop.core.clocks import is_due, is_free, is_misdated
from shop.core.each_row import each_row
from shop.core.enqueue import enqueue_after_commit
from shop.core.file_storage import delete_discarded_files
from shop.core.jobs import LEASE
from shop.core.mail import queue_mail
from shop.core.personal_data import Person, activities, kept_until, last_use
from shop.core.problems import Problem
from shop.core.site import absolute_url
from shop.core.transaction_locks import lock_names
from shop.pages.models import Erasure, ErasureState
from shop.pages.selectors.personal_data import (
    blocked_member,
    erasure_of,
    erasure_of_address,
    open_matters,
    person_of,
)

logger = logging.getLogger(__name__)

TASK = "shop.pages.tasks.run_erasure"
RETRY_AFTER = timedelta(minutes=5)
WAIT_FOR_ORDERS = timedelta(hours=1)
"""Between two looks at an erasure that waits for what is open."""


def request_erasure(
    *, user: User, language: str, by_inactivity: bool = False, by_link: bool = False
) -> Erasure:
    """Register the erasure of an account; one that is registered already stays as it is.

    The caller has checked the password, or the link that a blocked member opened. What is open is named in a mail, with
    the day by which it is done all the same.
    Raises `Problem` (409 `last_admin`).
    """
    with transaction.atomic():
        member = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        known = erasure_of(member.pk)
        if known is not None and known.is_tentative and not by_inactivity:
            # From now on it is not taken back by a visit, and what is sent to them ends.
            known.delete()
        elif known is not None:
            return known
        if is_last_admin(member):
            raise Problem(
                "last_admin", _("Impossible d'effacer le dernier administrateur de la boutique."), 409
            )
        person = person_of(member)
        erasure = _register(person, language, by_inactivity=by_inactivity, by_link=by_link)
        record_audit(
            "erasure.requested",
            member,
            actor=None if by_inactivity else member,
            after={"by_inactivity": by_inactivity, "due_by": erasure.due_by.isoformat()},
        )
    return erasure


def request_erasure_by_link(*, email: str, language: str) -> Erasure:
    """Register the erasure of somebody who can't sign in, without an account or with a blocked one, and whose address
    the caller knows to be theirs; one that is registered already stays as it is.

    It takes what the erasure of an account takes. Raises `Problem` (409 `has_account`).
    """
    with transaction.atomic():
        lock_names([f"erasure:{email}"])
        member = blocked_member(email)
        if member is not None:
            return request_erasure(user=member, language=language, by_link=True)
        known = erasure_of_address(email)
        if known is not None:
            return known
        refuse_member(email)
        erasure = _register(Person(0, (email,)), language, by_link=True)
        record_audit("erasure.requested", erasure, actor=None, after={"due_by": erasure.due_by.isoformat()})
    return erasure


def refuse_member(email: str) -> None:
    """Raise `Problem` (409 `has_account`) for the address of an account: its member asks in the member area, unless
    they are blocked."""
    if User.objects.filter(email=email, is_active=True).exists():
        raise Problem(
            "has_account",
            _(
                "Cette adresse a un compte\u00a0: tout se demande dans l'espace membre, sous «\u00a0Mes données\u00a0»."
            ),
            409,
        )


def _register(person: Person, language: str, *, by_inactivity: bool = False, by_link: bool) -> Erasure:
    """Write the row, end what is sent to who asked, tell them what is open, and begin. Nobody asked for one by
    inactivity, which another mail announced."""
    now = timezone.now()
    erasure = Erasure.objects.create(
        user_key=person.key or None,
        emails=list(person.emails),
        language=language,
        by_inactivity=by_inactivity,
        requested_at=now,
        due_by=now + _period(now),
    )
    if not by_inactivity:
        source = ConsentSource.MAIL if by_link else ConsentSource.PROFILE
        for email in person.emails:
            end_mails(email=email, origin=Origin(source, language))
        end_alerts(emails=person.emails)
    with translation.override(language):
        matters = open_matters(person)
        if matters and not by_inactivity:
            queue_mail(
                kind="account_erasure_registered",
                to=person.emails[0],
                language=language,
                context={
                    "matters": matters,
                    "due_by": erasure.due_by.isoformat(),
                    "url": "" if by_link else absolute_url(reverse("members-data")),
                },
                dedupe_key=f"erasure-registered:{erasure.pk}",
            )
    enqueue_after_commit(TASK, erasure.pk)
    return erasure


def erase_member(user: User, language: str) -> dict[str, Any]:
    """Register the erasure of a member and return what `DELETE /api/me` answers. Raises as `request_erasure` does."""
    erasure = request_erasure(user=user, language=language)
    return {
        "state": erasure.state,
        "due_by": erasure.due_by,
        "open_matters": open_matters(_person(erasure)),
    }


def cancel_erasure(*, user: User) -> bool:
    """Take a registered erasure back; False for one that has begun, or none."""
    with transaction.atomic():
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        registered = Erasure.objects.filter(user_key=user.pk, state=ErasureState.REGISTERED)
        if not registered.exists():
            return False
        registered.delete()
        record_audit("erasure.cancelled", user, actor=user)
    return True


def cancel_erasure_by_link(*, email: str) -> bool:
    """Take back what somebody who can't sign in registered, whose address the caller knows to be theirs; False for one
    that has begun, or none."""
    with transaction.atomic():
        lock_names([f"erasure:{email}"])
        member = blocked_member(email)
        if member is not None:
            return cancel_erasure(user=member)
        known = erasure_of_address(email)
        if known is None:
            return False
        registered = Erasure.objects.select_for_update().filter(pk=known.pk, state=ErasureState.REGISTERED)
        row = registered.first()
        if row is None:
            return False
        record_audit("erasure.cancelled", row, actor=None)
        registered.delete()
    return True


def run_erasure(erasure_id: int) -> bool:
    """Go on with an erasure as far as it goes now; True once it is done. Every step may be repeated, and a worker that
    dies is followed by another once its lease is over."""
    now = timezone.now()
    if not Erasure.objects.filter(_due(now), pk=erasure_id).update(lease_until=now + LEASE):
        return False
    erasure = Erasure.objects.get(pk=erasure_id)
    pause = RETRY_AFTER
    try:
        if erasure.closed_at is None and not _close(erasure):
            pause = WAIT_FOR_ORDERS
            return False
        return _erase(erasure)
    except Exception:
        logger.exception("erasure %s did not end", erasure.pk)
        return False
    finally:
        Erasure.objects.filter(pk=erasure.pk).update(lease_until=None, next_try_at=timezone.now() + pause)


def run_due_erasures(now: datetime, *, limit: int = 50) -> int:
    """Go on with every erasure that is due; return how many are done now."""
    waiting, period = Erasure.objects.exclude(state=ErasureState.DONE), _period(now)
    waiting.filter(is_misdated("due_by", now, within=period)).update(due_by=now + period)
    due = waiting.filter(_due(now)).order_by("next_try_at").values_list("pk", flat=True)
    return each_row(due[:limit], run_erasure)


def _period(now: datetime) -> timedelta:
    """How long an erasure waits at most for what is open."""
    return now - kept_until("erasure_days", now)


def _due(now: datetime) -> Q:
    free = is_free("lease_until", now, within=WAIT_FOR_ORDERS)
    return free & is_due("next_try_at", now, within=WAIT_FOR_ORDERS) & ~Q(state=ErasureState.DONE)


def _close(erasure: Erasure) -> bool:
    """Close the account, unless something is open and there is time. A checkout of the member waits here for the row,
    or is waited for, and is counted."""
    with transaction.atomic():
        key = erasure.user_key
        user = None if key is None else User.objects.select_for_update(no_key=True).get(pk=key)
        if not Erasure.objects.filter(pk=erasure.pk).exists():
            return False
        member = None if key is not None else User.objects.filter(email__in=erasure.emails).first()
        if member is not None:
            record_audit("erasure.cancelled", erasure, actor=None)
            if member.is_active:
                # Made since: from then on its member asks in the member area, as `refuse_member` says.
                queue_mail(
                    kind="account_erasure_ended",
                    to=erasure.emails[0],
                    language=erasure.language,
                    context={"url": absolute_url(reverse("members-data"))},
                    dedupe_key=f"erasure-ended:{erasure.pk}",
                )
            else:
                # They can't ask there, and have asked by the link.
                request_erasure(user=member, language=erasure.language, by_link=True)
            erasure.delete()
            return False
        if user is not None and erasure.by_inactivity and last_use([user.pk])[user.pk] > erasure.requested_at:
            # They came back while it waited.
            record_audit("erasure.cancelled", user, actor=None)
            erasure.delete()
            return False
        if user is not None and is_last_admin(user):
            # The others have left since: the page asks to name one.
            return False
        if timezone.now() < erasure.due_by and open_matters(_person(erasure)):
            return False
        if user is not None:
            # They may have changed since it was registered: an address that was given up may be somebody else's.
            erasure.emails = list(person_of(user).emails)
            close_account(user=user)
        erasure.state, erasure.closed_at = ErasureState.RUNNING, timezone.now()
        erasure.save(update_fields=["state", "closed_at", "emails"])
    return True


def _erase(erasure: Erasure) -> bool:
    """Every activity in a transaction of its own, and the files; the mail at the end once all of them were tried."""
    person = _person(erasure)
    erasers = [activity.erase for activity in activities() if activity.erase is not None]
    erased = each_row(erasers, lambda erase: transaction.atomic(erase)(person)) == len(erasers)
    gone = delete_discarded_files()
    with translation.override(erasure.language):
        left = open_matters(person)
    with transaction.atomic():
        if erasure.announced_at is None:
            _announce(erasure, left)
            return False
        if left or not (erased and gone):
            return False
        erasure.state, erasure.emails, erasure.done_at = ErasureState.DONE, [], timezone.now()
        erasure.save(update_fields=["state", "emails", "done_at"])
        key = erasure.user_key
        record_audit("erasure.done", erasure if key is None else User.objects.get(pk=key), actor=None)
    return True


def _announce(erasure: Erasure, left: list[str]) -> None:
    """The mail goes to the address that is being erased; the row that carries it is deleted once it is sent."""
    queue_mail(
        kind="account_erased",
        to=erasure.emails[0],
        language=erasure.language,
        context={
            "matters": left,
            "by_inactivity": erasure.by_inactivity,
            "is_guest": erasure.is_guest,
            "keeps_newsletter": erasure.by_inactivity and gets_letters(erasure.emails[0]),
        },
        dedupe_key=f"erasure-done:{erasure.pk}",
    )
    erasure.announced_at = timezone.now()
    erasure.save(update_fields=["announced_at"])


def _person(erasure: Erasure) -> Person:
    """After the last mail the address may be somebody else's, or theirs with another account: an order that is still
    open is waited for, for months maybe, and nothing new is taken."""
    return Person(
        erasure.user_key or 0,
        tuple(erasure.emails),
        until=erasure.announced_at,
        by_inactivity=erasure.by_inactivity,
    )
