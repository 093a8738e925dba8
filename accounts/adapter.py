"""What the shop changes in allauth: what is stored, the steps of signing in, and where people land."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.usersessions.models import UserSession
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import translation

from accounts.devices import known_device, remember_device
from accounts.mails import send_new_device
from accounts.models import User
from accounts.redirects import is_own_path
from accounts.sessions import device_name, end_oldest_sessions
from accounts.staff_sessions import start_clock
from shop.core.limits import NEW_DEVICE_MAIL, consume

NO_ADDRESS = "::"


class ShopAccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """The shop writes its mails and notices itself, and every step ends on ``/auth``."""

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
        # The library does it where it led through the steps itself, and not for who signs in while ordering.
        UserSession.objects.create_from_request(request)
        end_oldest_sessions(user)
        if not is_known and consume(NEW_DEVICE_MAIL, user.email):
            with translation.override(user.language):
                device = device_name(request.headers.get("User-Agent", ""))
            send_new_device(user, device=device)

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: the shop's pages have their own notices."""

    def is_safe_url(self, url: str) -> bool:
        return is_own_path(url)

    def send_mail(self, *args: Any, **kwargs: Any) -> None:
        """Nothing: the shop's services write their mails (`accounts.mails`)."""

    def respond_email_verification_sent(self, request: HttpRequest, user: User | None) -> HttpResponse:
        return HttpResponseRedirect(reverse("accounts:auth"))

    def respond_user_inactive(self, request: HttpRequest, user: User | None) -> HttpResponse:
        return HttpResponseRedirect(reverse("accounts:auth"))
