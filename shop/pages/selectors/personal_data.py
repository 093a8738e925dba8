"""What the page of one's own data shows, and the register of processing activities."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from allauth.account.models import EmailAddress
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import User
from shop.core.personal_data import Person, ProcessingActivity, activities, period_text
from shop.pages.models import DataExport, Erasure, ErasureState, ExportState


@dataclass(frozen=True, slots=True)
class PrintedActivity:
    """An activity with its periods in words, in the active language: « 3 ans après votre dernière activité »."""

    activity: ProcessingActivity
    periods: tuple[str, ...]


def person_of(user: User) -> Person:
    """Return who is meant by an account: its key, and the addresses that were proven. One query."""
    proven = EmailAddress.objects.filter(user_id=user.pk, verified=True).values_list("email", flat=True)
    return Person(user.pk, tuple(dict.fromkeys((user.email, *proven))))


def current_export(user_key: int, email: str = "") -> DataExport | None:
    """Return the export of a member, or of an address without an account, that is under way, else the latest; none that
    has expired. One query."""
    latest = DataExport.objects.filter(user_key=user_key, email=email).first()
    if latest is not None and latest.expires_at is not None and latest.expires_at <= timezone.now():
        return None
    return latest


def ready_export(user_key: int, key: uuid.UUID, email: str = "") -> DataExport | None:
    """Return an archive that its person may download now. One query."""
    return DataExport.objects.filter(
        pk=key, user_key=user_key, email=email, state=ExportState.READY, expires_at__gt=timezone.now()
    ).first()


def exports_of(person: Person) -> QuerySet[DataExport]:
    """Return the exports of an account, and those that were asked for without one by an address of the person."""
    own = Q(user_key=0, email__in=person.emails)
    return DataExport.objects.filter(own | Q(user_key=person.key) if person.key else own)


def erasure_of(user_key: int) -> Erasure | None:
    """Return the erasure that is registered for an account, or under way. One query."""
    return Erasure.objects.filter(user_key=user_key).exclude(state=ErasureState.DONE).first()


def asked_erasure(erasure: Erasure | None) -> Erasure | None:
    """Return an erasure as pages show it to its person: nothing while nobody has asked for it."""
    return None if erasure is None or erasure.is_tentative else erasure


def blocked_member(email: str) -> User | None:
    """Return the account of an address whose member can't sign in: who proves the address has their rights by it. One
    query."""
    return User.objects.filter(email=email, is_active=False).first()


def person_of_address(email: str) -> Person:
    """Return who is meant by an address that was proven: a blocked member, or somebody without an account. Two queries
    at most."""
    member = blocked_member(email)
    return Person(0, (email,)) if member is None else person_of(member)


def erasure_of_address(email: str) -> Erasure | None:
    """Return the erasure that is registered, or under way, for a blocked member or somebody without an account. Two
    queries at most."""
    member = blocked_member(email)
    if member is not None:
        return erasure_of(member.pk)
    # An account that is being erased has lost its address. Few at a time, and SQLite can't ask a list of JSON for a
    # member.
    by_address = Q(user_key=None) | Q(closed_at__isnull=False)
    running = Erasure.objects.filter(by_address).exclude(state=ErasureState.DONE)
    return next((erasure for erasure in running if email in erasure.emails), None)


def open_matters(person: Person) -> list[str]:
    """Return what has to end before a person can be erased, as sentences in the active language."""
    return [
        sentence
        for activity in activities()
        if activity.open_matters is not None
        for sentence in activity.open_matters(person)
    ]


def printed_activities() -> list[PrintedActivity]:
    """Return the register of processing activities (GDPR art. 30). No query."""
    return [PrintedActivity(activity, _periods(activity)) for activity in activities()]


def _periods(activity: ProcessingActivity) -> tuple[str, ...]:
    return tuple(f"{period_text(period.name)} {period.since}" for period in activity.periods)


def kept_after_erasure() -> Sequence[PrintedActivity]:
    """Return the activities of which something stays after an erasure."""
    return [printed for printed in printed_activities() if printed.activity.kept]
