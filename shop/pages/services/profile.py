"""What a member changes about themselves that concerns more than the account."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from django.db import transaction

from accounts.models import User
from blog.services.newsletter.consents import Origin
from blog.services.newsletter.subscriptions import Choices, change_language, save_member_choices
from catalog.services.notices import change_alert_language
from shop.core.members import lock_member


def change_profile(*, user: User, changed: Collection[str]) -> None:
    """Save the fields that a member changed on their row; letters and alerts follow the language of the mails.

    Raises `NotAuthenticated` (see `lock_member`).
    """
    with transaction.atomic():
        member = lock_member(user.pk)
        user.save(update_fields=list(changed))
        if "language" in changed:
            change_language(email=member.email, language=user.language)
            change_alert_language(user_id=user.pk, email=member.email, language=user.language)


def choose_letters(*, user: User, choices: Choices, origin: Origin) -> None:
    """Write what a member chose to receive, at the address that their account has now, in the language of their mails.

    Raises `NotAuthenticated` (see `lock_member`).
    """
    with transaction.atomic():
        member = lock_member(user.pk)
        choices = replace(choices, language=member.language)
        save_member_choices(email=member.email, choices=choices, origin=origin)
