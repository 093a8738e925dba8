"""What a member changes about themselves that concerns more than the account."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction

from accounts.models import User
from accounts.services.members import lock_member
from blog.services.newsletter.subscriptions import change_language


def change_profile(*, user: User, changed: Collection[str]) -> None:
    """Save the fields that a member changed on their row; letters follow the language of the mails.

    Raises `NotAuthenticated` (see `lock_member`).
    """
    with transaction.atomic():
        lock_member(user.pk)
        user.save(update_fields=list(changed))
        if "language" in changed:
            change_language(email=user.email, language=user.language)
