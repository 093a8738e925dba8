"""The account of who is signed in, held while something is written for it."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import QuerySet
from rest_framework.exceptions import NotAuthenticated


def blocked_members() -> QuerySet[Any]:
    """Return the blocked accounts, for conditions. They get the mails of their orders and of their account, and no
    others: what they asked for waits until they are unblocked, and its links end it meanwhile."""
    return get_user_model()._default_manager.filter(is_active=False)


def find_open_member(user_id: int) -> Any:
    """Return the row of an open account, held until the transaction ends: an erasure waits for what is written for its
    person. None where the erasure was quicker, or the account was blocked."""
    accounts = get_user_model()._default_manager.select_for_update(no_key=True)
    return accounts.filter(pk=user_id, is_active=True).first()


def hold_account(user_id: int) -> Any:
    """Return the row of an account, a blocked one too, held until the transaction ends. None where an erasure closed
    it."""
    account = get_user_model()._default_manager.select_for_update(no_key=True).filter(pk=user_id).first()
    return None if account is None or account.is_closed else account


def lock_member(user_id: int) -> Any:
    """Return the row of who is signed in as `find_open_member` does. Raises `NotAuthenticated` where there is none."""
    member = find_open_member(user_id)
    if member is None:
        raise NotAuthenticated
    return member
