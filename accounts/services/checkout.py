"""Accounts at checkout: signing up or in while ordering."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import members, signing_in
from shop.core.problems import Problem


@dataclass(frozen=True, slots=True)
class CheckoutAccount:
    """The new member, or ``existed``: the address has an account, whose owner is told by mail."""

    user: User | None
    existed: bool


def sign_up_at_checkout(
    *, email: str, password: str, first_name: str, last_name: str, language: str
) -> CheckoutAccount:
    """Makes a member in the caller's transaction and asks them by mail to confirm the address.

    When the address is known no member is given and the order goes on as a guest's; the answer tells nothing.
    Raises ``Problem`` (400) with ``errors["password"]`` or ``errors["email"]``.
    """
    made = members.sign_up(
        email=email, password=password, first_name=first_name, last_name=last_name, language=language
    )
    return CheckoutAccount(user=made.user, existed=made.existed)


def authenticate_at_checkout(request: HttpRequest, *, email: str, password: str) -> User:
    """The member who signs in while ordering; start their session with ``sign_in_now``.

    Call it before opening the transaction of the order, or a refusal would undo the count of tries. Raises
    ``Problem`` as ``check_credentials`` does, and 400 with ``errors["password"]`` when none was typed.
    """
    if not password:
        message = _("Veuillez entrer votre mot de passe")
        raise Problem("password_required", message, errors={"password": [message]})
    return signing_in.check_credentials(request, email=email, password=password)
