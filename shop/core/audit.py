"""The audit trail: who changed what, when, from what to what."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.db.models import Model, QuerySet

from shop.core.dates import end_of_day, start_of_day
from shop.core.keyset import KeysetPage, read_page
from shop.core.models import AuditEntry
from shop.core.row_keys import read_key
from shop.core.searching import rows_with_words

PAGE_SIZE = 50
# More people than these that answer to a name are too many to mean one.
MOST_PEOPLE = 20


def record_audit(
    action: str,
    subject: Model,
    *,
    actor: AbstractBaseUser | None,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> AuditEntry:
    """Write one entry, in the transaction of the change that it tells of. One query.

    `action` is `<noun>.<verb>`, such as `role.changed`, with a label in `shop.core.audit_labels`; `before` and `after`
    hold what JSON can hold of the fields that changed, amounts as strings of euros, and never personal data: an entry
    can't be erased.
    """
    return AuditEntry.objects.create(
        action=action,
        subject_type=subject._meta.label_lower,
        subject_id=str(subject.pk),
        actor_id=actor.pk if actor is not None else None,
        before=dict(before or {}),
        after=dict(after or {}),
    )


def find_audit_entries(
    *,
    person: str = "",
    action: str = "",
    subject_type: str = "",
    subject_id: str = "",
    since: date | None = None,
    until: date | None = None,
    cursor: str = "",
) -> tuple[KeysetPage[AuditEntry], dict[int, str]]:
    """Return a page of the trail, newest first, and by key the people whose account is there. Two queries, one more
    with `person`; none counts the entries.

    `person` is parts of the e-mail address and the name of who did it, or their key; `until` is included. Raises
    BadCursor.
    """
    entries = AuditEntry.objects.all()
    if person:
        entries = entries.filter(actor_id__in=_people(person))
    exact = {"action": action, "subject_type": subject_type, "subject_id": subject_id}
    entries = entries.filter(**{name: value for name, value in exact.items() if value})
    if since:
        entries = entries.filter(created_at__gte=start_of_day(since))
    if until:
        entries = entries.filter(created_at__lte=end_of_day(until))
    page = read_page(entries, cursor, moment="created_at", size=PAGE_SIZE)
    actors = {entry.actor_id for entry in page.rows if entry.actor_id is not None}
    people: QuerySet[Any] = get_user_model()._default_manager.filter(pk__in=actors)
    return page, {user.pk: _name(user) for user in people if not user.is_closed}


def _people(text: str) -> list[int]:
    named = rows_with_words(
        get_user_model()._default_manager.all(), text, ("email", "first_name", "last_name")
    )
    key = read_key(text)
    return [*named.values_list("pk", flat=True)[:MOST_PEOPLE], *([] if key is None else [key])]


def _name(user: AbstractBaseUser) -> str:
    name = " ".join(filter(None, (getattr(user, "first_name", ""), getattr(user, "last_name", ""))))
    return f"{name} ({user.get_username()})" if name else user.get_username()
