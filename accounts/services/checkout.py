"""Accounts at checkout: signing up or in while ordering."""

from __future__ import annotations

import uuid

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services import signing_in
from accounts.services.signing_up import prepare_sign_up, request_sign_up
from accounts.sign_ups import remember_sign_up, remembered_sign_up
from shop.core.problems import Problem


class CheckoutSignUp:
    """A sign-up with an order. The order is a guest's until its address is proved, whether or not it is known.

    Making it checks and hashes what was typed, outside the transaction of the order; raises ``Problem`` (400) with
    ``errors["password"]`` or ``errors["email"]``.
    """

    def __init__(self, *, email: str, password: str, first_name: str, last_name: str, language: str) -> None:
        self._sign_up = prepare_sign_up(
            email=email, password=password, first_name=first_name, last_name=last_name, language=language
        )
        self._id: uuid.UUID | None = None

    def request(self, browser: HttpRequest, *, order_id: uuid.UUID, reference: str) -> None:
        """Write it and its mail in the transaction of the order, which joins the account at the confirmation."""
        self._id = request_sign_up(
            self._sign_up, earlier_id=remembered_sign_up(browser), order=(order_id, reference)
        )

    def remember(self, browser: HttpRequest) -> None:
        """Let this browser confirm with its own password; call it after the commit."""
        if self._id is not None:
            remember_sign_up(browser, self._id)


def authenticate_at_checkout(request: HttpRequest, *, email: str, password: str, next_page: str) -> User:
    """Return the member who signs in while ordering; start their session with ``sign_in_now``.

    Call it before opening the transaction of the order, or a refusal would undo the count of tries. Raises
    ``Problem`` as ``check_credentials`` does, 403 ``second_factor_required`` for an account that has one, with the
    ``signin_url`` that comes back to ``next_page``, and 400 with ``errors["password"]`` when none was typed.
    """
    if not password:
        message = _("Veuillez entrer votre mot de passe")
        raise Problem("password_required", message, errors={"password": [message]})
    user = signing_in.check_credentials(request, email=email, password=password)
    if user.has_second_factor:
        raise Problem(
            "second_factor_required",
            _(
                "Votre compte demande une seconde étape. Connectez-vous d'abord\u00a0: votre panier vous attend."
            ),
            403,
            extra={"signin_url": reverse("accounts:auth", query={"next": next_page})},
        )
    return user
