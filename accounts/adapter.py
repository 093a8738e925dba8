"""What the shop changes in allauth: addresses, links, mails, and where people land."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import translation

from accounts.devices import known_device, remember_device
from accounts.mails import send_new_device
from accounts.models import User, normalise_email
from accounts.redirects import is_own_path
from accounts.sessions import device_name
from accounts.staff_sessions import start_clock
from shop.core.languages import active_language
from shop.core.mail import queue_mail
from shop.core.site import absolute_url

NO_ADDRESS = "::"
# allauth's template prefixes and the shop's kinds of mail.
MAIL_KINDS = {
    "account/email/email_confirmation": "account_confirm_email",
    "account/email/email_confirmation_signup": "account_confirm_email",
    "account/email/account_already_exists": "account_exists",
    "account/email/password_reset_key": "account_password_reset",
    "account/email/password_reset": "account_password_changed",
    "account/email/password_changed": "account_password_changed",
}


class ShopAccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Addresses are normalised our way, mails go through the outbox, and every step ends on ``/auth``."""

    def clean_email(self, email: str) -> str:
        return normalise_email(email)

    def get_client_ip(self, request: HttpRequest) -> str:
        """No address: allauth would store it with the session, where nothing of the shop reads it."""
        return NO_ADDRESS

    def get_login_stages(self) -> list[str]:
        return ["allauth.account.stages.EmailVerificationStage", "accounts.stages.SecondFactorStage"]

    def login(self, request: HttpRequest, user: User) -> None:
        """Start the session, once every step of signing in is done."""
        is_known = user.last_login is None or known_device(request, user) is not None
        super().login(request, user)
        start_clock(request, user)
        remember_device(request, user)
        if not is_known:
            with translation.override(user.language):
                device = device_name(request.headers.get("User-Agent", ""))
            send_new_device(user, device=device)

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: the shop's pages have their own notices."""

    def is_safe_url(self, url: str) -> bool:
        return is_own_path(url)

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        return absolute_url(reverse("accounts:confirm-email", args=[emailconfirmation.key]))

    def get_reset_password_from_key_url(self, key: str) -> str:
        return absolute_url(reverse("accounts:reset-link", args=[key]))

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Write allauth's mails to the outbox. Raises ``KeyError`` for one the shop has no text for."""
        queue_mail(
            kind=MAIL_KINDS[template_prefix],
            to=email,
            language=active_language(),
            context={
                "url": context.get("activate_url") or context.get("password_reset_url") or "",
                "signin_url": absolute_url(reverse("accounts:auth")),
                "reset_url": absolute_url(reverse("accounts:auth")) + "?mode=forgot",
            },
        )

    def respond_email_verification_sent(self, request: HttpRequest, user: User | None) -> HttpResponse:
        return HttpResponseRedirect(reverse("accounts:auth"))

    def respond_user_inactive(self, request: HttpRequest, user: User | None) -> HttpResponse:
        return HttpResponseRedirect(reverse("accounts:auth"))
