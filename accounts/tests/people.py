"""People for tests, and how they use the page ``/auth``."""

from __future__ import annotations

import re
import time

from allauth.account.models import EmailAddress
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.hashers import Argon2PasswordHasher

from accounts.models import SignUp, User
from accounts.services import create_member, grant_role
from accounts.services.signing_up import prepare_sign_up, request_sign_up
from shop.core.mail_delivery import deliver
from shop.core.models import MailState, OutgoingMail

PASSWORD = "carmes-atelier-2026"


def make_member(email: str = "client@example.com", *, confirmed: bool = True, **fields) -> User:
    """A member; with ``confirmed=False`` one that a server command made without asking for a proof."""
    user = create_member(email=email, password=PASSWORD, **fields)
    if not confirmed:
        EmailAddress.objects.filter(user=user).update(verified=False)
    return user


def sign_up(email: str = "client@example.com", **fields) -> SignUp:
    """Somebody asked for an account, and the mail is written."""
    asked = prepare_sign_up(**{"email": email, "password": PASSWORD, "language": "fr", **fields})
    return SignUp.objects.get(pk=request_sign_up(asked))


def deliver_mails() -> None:
    """What a worker does: those that are not sent drop out."""
    for pk in OutgoingMail.objects.filter(state=MailState.QUEUED).order_by("pk").values_list("pk", flat=True):
        deliver(pk)


def make_admin(email: str = "admin@example.com") -> User:
    user = make_member(email)
    grant_role(user=user, role="admin")
    return user


def mails(kind: str | None = None) -> list[tuple[str, str]]:
    """(kind, receiver) of the mails sent so far, oldest first."""
    deliver_mails()
    rows = OutgoingMail.objects.order_by("pk")
    if kind:
        rows = rows.filter(kind=kind)
    return list(rows.values_list("kind", "to"))


def link_in_last_mail() -> str:
    """The path that the newest mail asks to follow."""
    deliver_mails()
    text = OutgoingMail.objects.order_by("-pk")[0].text
    [link] = re.findall(r"http://localhost:8000(/\S*auth/\S+)", text)
    return link


def prove(client, user: User, method: str = "password") -> None:
    """This session of theirs just asked again who they are."""
    session = client.session
    session["account_authentication_methods"] = [{"method": method, "at": time.time()}]
    session["account_authentication_methods_user"] = str(user.pk)
    session.save()


def add_app(user: User) -> str:
    """Gives a person an authenticator app and recovery codes; returns its secret."""
    secret = generate_totp_secret()
    TOTP.activate(user, secret)
    RecoveryCodes.activate(user)
    return secret


def app_code(secret: str, step: int = 0) -> str:
    """What an authenticator app shows now, or so many steps of 30 seconds later."""
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + step))


def post(client, mode, path="/auth", **fields):
    """Sends one of the page's forms."""
    return client.post(path, {"mode": mode, "email": "client@example.com", "password": PASSWORD, **fields})


def signed_in(client) -> bool:
    return SESSION_KEY in client.session


def text(response) -> str:
    """The page as its visitor reads it."""
    return response.content.decode().replace("&#x27;", "'")


def watch_hashing(settings, monkeypatch):
    """A list that gets an entry for each run of Argon2, which hashes passwords from now on."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
    runs = []
    for name in ("encode", "verify"):
        original = getattr(Argon2PasswordHasher, name)
        monkeypatch.setattr(
            Argon2PasswordHasher,
            name,
            lambda self, *args, _run=original: runs.append(1) or _run(self, *args),
        )
    return runs
