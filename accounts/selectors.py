"""Reads about people."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from allauth.account.models import EmailAddress
from allauth.mfa import app_settings as mfa_settings
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from accounts.models import Address, EmailChange, Role, SignUp, User, UserRole
from shop.core.email_addresses import normalise_email
from shop.core.keyset import KeysetPage, read_page
from shop.core.searching import rows_with_words


def roles_of(user: AbstractBaseUser | AnonymousUser) -> list[str]:
    """Return the person's roles as ``/api/me`` gives them; a member without a row has ``user``. One query."""
    if not user.is_authenticated or not user.is_active:
        return []
    return list(UserRole.objects.filter(user_id=user.pk).values_list("role", flat=True)) or [Role.USER.value]


def role_of(user: User) -> Role:
    """Return the role that an account holds. A query, unless it came with `user_role`."""
    held = getattr(user, "user_role", None)
    return Role(held.role) if held else Role.USER


def find_user(email: str) -> User | None:
    """Return the active account of an address, in whatever case it is typed. One query."""
    return User.objects.filter(email=normalise_email(email), is_active=True).first()


def has_account(email: str) -> bool:
    """Return whether an address, in its stored form, has an account, a blocked one included. One query."""
    return User.objects.filter(email=email).exists()


def newest_sign_up(email: str, *, without_account: bool = False) -> SignUp | None:
    """Return the newest sign-up of an address, in its stored form; on demand only while it has no account. One query,
    whatever comes of it.
    """
    sign_ups = SignUp.objects.filter(email=email)
    if without_account:
        sign_ups = sign_ups.filter(~Exists(User.objects.filter(email=OuterRef("email"))))
    return sign_ups.order_by("-created_at", "-pk").first()


def is_email_confirmed(user: User) -> bool:
    """Return whether the owner of the account has proved that the address is theirs. One query."""
    confirmed: bool = EmailAddress.objects.filter(user_id=user.pk, email=user.email, verified=True).exists()
    return confirmed


def with_proof(users: QuerySet[User]) -> QuerySet[User]:
    """Return the accounts with `has_proved_email`: whether the owner has proved that the address is theirs."""
    proved = EmailAddress.objects.filter(user=OuterRef("pk"), email=OuterRef("email"), verified=True)
    return users.annotate(has_proved_email=Exists(proved))


def find_users(
    *, search: str = "", role: str = "", cursor: str = "", page_size: int = 20
) -> KeysetPage[User]:
    """Return a page of the accounts, newest first, each with its role and whether its address is proved. One query.

    `search` is parts of the address and the names; a member without a row has the role `user`. Raises BadCursor.
    """
    users = rows_with_words(
        with_proof(User.objects.select_related("user_role")), search, ("email", "first_name", "last_name")
    )
    if role == Role.USER:
        users = users.filter(Q(user_role__role=role) | Q(user_role=None))
    elif role:
        users = users.filter(user_role__role=role)
    return read_page(users, cursor, moment="date_joined", size=page_size)


def user_with_role(user_id: int) -> User | None:
    """Return an account with its role and whether its address is proved. One query."""
    return with_proof(User.objects.select_related("user_role")).filter(pk=user_id).first()


@dataclass(frozen=True, slots=True)
class SecondFactors:
    """What an account has besides its password; `codes_left` is 0 where it has no recovery codes."""

    app: Authenticator | None
    passkeys: list[Authenticator]
    codes_left: int


def second_factors(user: User) -> SecondFactors:
    """Return the second factors of a person, passkeys in the order in which they were added. One query."""
    app: Authenticator | None = None
    passkeys: list[Authenticator] = []
    codes_left = 0
    for row in Authenticator.objects.filter(user_id=user.pk).order_by("pk"):
        match row.type:
            case Authenticator.Type.TOTP:
                app = row
            case Authenticator.Type.WEBAUTHN:
                passkeys.append(row)
            case Authenticator.Type.RECOVERY_CODES:
                codes_left = mfa_settings.RECOVERY_CODE_COUNT - row.data["used_mask"].bit_count()
    return SecondFactors(app, passkeys, codes_left)


def addresses_of(user: User) -> list[Address]:
    """Return the member's addresses, that of deliveries first, then the newest. One query."""
    return list(Address.objects.filter(user=user))


def address_of(user: User, address_id: int) -> Address | None:
    """Return one address of this member; None for an unknown one and for somebody else's. One query."""
    return Address.objects.filter(user=user, pk=address_id).first()


EMAIL_CHANGE_LIFETIME = timedelta(days=settings.RETENTION["email_change_days"])


def pending_email_change(user: User) -> EmailChange | None:
    """Return the change of address that the member asked for, while its links are good. One query."""
    oldest = timezone.now() - EMAIL_CHANGE_LIFETIME
    change = EmailChange.objects.filter(user=user, requested_at__gt=oldest).first()
    if change is None or not constant_time_compare(change.session_hash, user.get_session_auth_hash()):
        return None
    return change
