"""Reads about people."""

from __future__ import annotations

from datetime import timedelta

from allauth.account.models import EmailAddress
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from accounts.models import Address, EmailChange, Role, SignUp, User, UserRole, normalise_email


def roles_of(user: AbstractBaseUser | AnonymousUser) -> list[str]:
    """Return the person's roles as ``/api/me`` gives them; a member without a row has ``user``. One query."""
    if not user.is_authenticated or not user.is_active:
        return []
    return list(UserRole.objects.filter(user_id=user.pk).values_list("role", flat=True)) or [Role.USER.value]


def find_user(email: str) -> User | None:
    """Return the active account of an address, in whatever case it is typed. One query."""
    return User.objects.filter(email=normalise_email(email), is_active=True).first()


def has_account(email: str) -> bool:
    """Return whether an address, in its stored form, has an account, a blocked one included. One query."""
    return User.objects.filter(email=email).exists()


def unconfirmed_sign_up(email: str) -> SignUp | None:
    """Return the newest sign-up of an address, in its stored form, that has no account. One query, whatever comes of
    it.
    """
    owner = User.objects.filter(email=OuterRef("email"))
    return SignUp.objects.filter(~Exists(owner), email=email).order_by("-created_at", "-pk").first()


def is_email_confirmed(user: User) -> bool:
    """Return whether the owner of the account has proved that the address is theirs. One query."""
    confirmed: bool = EmailAddress.objects.filter(user_id=user.pk, email=user.email, verified=True).exists()
    return confirmed


def addresses_of(user: User) -> list[Address]:
    """Return the member's addresses, that of deliveries first, then the newest. One query."""
    return list(Address.objects.filter(user=user))


def address_of(user: User, address_id: int) -> Address | None:
    """Return one address of this member; None for an unknown one and for somebody else's. One query."""
    return Address.objects.filter(user=user, pk=address_id).first()


EMAIL_CHANGE_LIFETIME = timedelta(days=1)


def pending_email_change(user: User) -> EmailChange | None:
    """Return the change of address that the member asked for, while its links are good. One query."""
    oldest = timezone.now() - EMAIL_CHANGE_LIFETIME
    change = EmailChange.objects.filter(user=user, requested_at__gt=oldest).first()
    if change is None or not constant_time_compare(change.session_hash, user.get_session_auth_hash()):
        return None
    return change
