"""The audit trail: who changed what, when, from what to what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db.models import Model

from shop.core.models import AuditEntry


def record_audit(
    action: str,
    subject: Model,
    *,
    actor: AbstractBaseUser | None,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> AuditEntry:
    """Write one entry, in the transaction of the change that it tells of. One query.

    `action` is `<noun>.<verb>`, such as `role.changed`; `before` and `after` hold what JSON can hold of the fields that
    changed, amounts as strings of euros, and never personal data: an entry can't be erased.
    """
    return AuditEntry.objects.create(
        action=action,
        subject_type=subject._meta.label_lower,
        subject_id=str(subject.pk),
        actor_id=actor.pk if actor is not None else None,
        before=dict(before or {}),
        after=dict(after or {}),
    )
