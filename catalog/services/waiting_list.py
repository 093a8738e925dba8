"""Wishes of visitors that staff take back for them."""

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction

from catalog.models import Favourite, Notice
from shop.core.audit_rows import record_row


def delete_wish(*, row: Notice | Favourite, actor: AbstractBaseUser) -> None:
    """Delete a notice that somebody asked for, or a member's favourite. The trail keeps neither columns nor address."""
    with transaction.atomic():
        record_row("deleted", row, actor=actor)
        row.delete()
