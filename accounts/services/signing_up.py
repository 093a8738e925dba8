"""Signing up: what was typed is kept, and becomes an account when the owner of the address confirms it.

Anybody can type anybody's address. So that nobody prepares an account that its owner would take over:

- no account exists before the address is proved: no session, no favourites, no orders of it;
- the password typed at sign-up counts only when the link of the mail is opened by the browser that signed up. In any
  other browser whoever opened the link chooses the password, and says whether the rest is theirs: the name and the
  orders placed with the sign-up. Unless they do, the account starts empty, and those orders stay where they were,
  reachable by their signed links and by the browser that placed them;
- the first link that is used ends all others of the address.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from datetime import datetime

from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from accounts import mails
from accounts.models import SignUp, User
from accounts.passwords import refuse_weak_password
from accounts.services.members import clean_email, create_member
from accounts.sign_ups import sign_up_of_key
from shop.core import limits
from shop.core.mail import queue_mail
from shop.core.problems import Problem

# The link is made when the mail is delivered, which may take two days.

# Orders placed with a sign-up, and what was written with the proven address, become the account's: `orders` does it,
# accounts knows nothing of orders.
Join = Callable[[User, Sequence[uuid.UUID]], None]
_joiners: list[Join] = []


def register_orders(join: Join) -> None:
    """From now on `join(user, order_ids)` is called. Call it in an `AppConfig.ready()`; again changes nothing."""
    if join not in _joiners:
        _joiners.append(join)


def _join_orders(user: User, order_ids: Sequence[uuid.UUID]) -> None:
    """Give these orders, and the reviews of its address, to an account that has just proved it, in the caller's
    transaction."""
    for join in _joiners:
        join(user, order_ids)


def prepare_sign_up(
    *, email: str, password: str | None, language: str, first_name: str = "", last_name: str = ""
) -> SignUp:
    """Return a sign-up, checked and its password hashed, not yet written; nothing is looked up.

    Without a password it is chosen when the link is opened. Raises ``Problem`` (400): ``invalid_email``,
    ``weak_password``.
    """
    address = clean_email(email)
    if password is not None:
        refuse_weak_password(password, User(email=address, first_name=first_name, last_name=last_name))
    return SignUp(
        email=address,
        password=make_password(password),
        first_name=first_name,
        last_name=last_name,
        language=language,
    )


def request_sign_up(
    sign_up: SignUp, *, earlier_id: str | None = None, order: tuple[uuid.UUID, str] | None = None
) -> uuid.UUID:
    """Write a prepared sign-up and the mail that follows; return its key.

    What the mail says (confirm the address, or: it has an account) is found out at delivery: here the same is done
    for every address. ``earlier_id`` is the sign-up that the same browser asked for before: for the same address it
    is replaced and keeps its orders. ``order`` is the id and the reference of one placed with the sign-up.
    """
    with transaction.atomic():
        earlier = None
        if earlier_id is not None:
            earlier = SignUp.objects.select_for_update().filter(pk=earlier_id, email=sign_up.email).first()
        if earlier is not None:
            sign_up.pk, sign_up.orders = earlier.pk, earlier.orders
        if order is not None:
            sign_up.orders = [*sign_up.orders, {"id": str(order[0]), "reference": order[1]}]
        sign_up.save(force_insert=earlier is None, force_update=earlier is not None)
        send_sign_up_mail(sign_up)
    return sign_up.pk


def send_sign_up_mail(sign_up: SignUp) -> None:
    """Queue the mail about a sign-up. Its text and how often one is sent are ``accounts.mails``' affair."""
    queue_mail(
        kind="account_sign_up",
        to=sign_up.email,
        language=sign_up.language,
        context={"sign_up": str(sign_up.pk)},
    )


def confirm_sign_up(*, key: str, password: str | None, is_theirs: bool) -> User:
    """Make the account of a sign-up whose link was opened, its address proved; every link of the address ends.

    ``password`` is the one chosen now; ``None`` keeps the one typed at sign-up, which only the browser that signed up
    may ask for, and only where one was typed. With ``is_theirs`` the account gets the name, and the orders placed with
    the sign-up. Raises ``Problem`` (400): ``invalid_link``, ``weak_password``. Locks the sign-ups of the address, then
    the orders.
    """
    with transaction.atomic():
        asked = sign_up_of_key(key)
        if asked is None:
            raise _invalid_link()
        # All of them in one order: links of two sign-ups of one address opened at once wait here for each other.
        held = SignUp.objects.select_for_update().filter(email=asked.email).order_by("pk")
        sign_up = next((row for row in held if row.pk == asked.pk), None)
        if sign_up is None or (password is None and not sign_up.has_password):
            raise _invalid_link()
        names = {"first_name": sign_up.first_name, "last_name": sign_up.last_name} if is_theirs else {}
        if password is not None:
            refuse_weak_password(password, User(email=sign_up.email, **names))
        try:
            with transaction.atomic():
                user = create_member(
                    email=sign_up.email,
                    password=password,
                    password_hash=sign_up.password if password is None else None,
                    language=sign_up.language,
                    **names,
                )
        except IntegrityError:
            # An operator made the account in this moment.
            raise _invalid_link() from None
        SignUp.objects.filter(email=sign_up.email).delete()
        mails.send_welcome(user)
        orders = sign_up.orders if is_theirs else []
        _join_orders(user, [uuid.UUID(order["id"]) for order in orders])
    limits.reset(limits.SIGN_IN_ACCOUNT, user.email)
    return user


def purge_sign_ups(before: datetime, limit: int) -> int:
    """Delete sign-ups that nobody confirmed since, at most `limit`; return how many."""
    old = SignUp.objects.filter(created_at__lt=before).values_list("pk", flat=True)[:limit]
    return SignUp.objects.filter(pk__in=list(old)).delete()[0]


def _invalid_link() -> Problem:
    return Problem("invalid_link", _("Ce lien de confirmation n'est plus valable."), 400)
