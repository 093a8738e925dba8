"""People for tests, and how they use the page ``/auth``."""

from __future__ import annotations

import re

from django.contrib.auth import SESSION_KEY

from accounts.models import User
from accounts.services import create_member, grant_role
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail

PASSWORD = "figurine-atelier-2026"


def make_member(email: str = "client@example.com", *, confirmed: bool = True, **fields) -> User:
    return create_member(email=email, password=PASSWORD, confirmed=confirmed, **fields)


def make_admin(email: str = "admin@example.com") -> User:
    user = make_member(email)
    grant_role(user=user, role="admin")
    return user


def mails(kind: str | None = None) -> list[tuple[str, str]]:
    """(kind, receiver) of the mails written so far, oldest first."""
    rows = OutgoingMail.objects.order_by("pk")
    if kind:
        rows = rows.filter(kind=kind)
    return list(rows.values_list("kind", "to"))


def link_in_last_mail() -> str:
    """The path that the newest mail asks to follow."""
    text = render(OutgoingMail.objects.order_by("-pk")[0]).text
    [link] = re.findall(r"http://localhost:8000(/\S*auth/\S+)", text)
    return link


def post(client, mode, path="/auth", **fields):
    """Sends one of the page's forms."""
    return client.post(path, {"mode": mode, "email": "client@example.com", "password": PASSWORD, **fields})


def signed_in(client) -> bool:
    return SESSION_KEY in client.session


def text(response) -> str:
    """The page as its visitor reads it."""
    return response.content.decode().replace("&#x27;", "'")
