"""Which sign-up this browser asked for: its session remembers, so that it may confirm it with its own password."""

from __future__ import annotations

import uuid

from django.http import HttpRequest

SESSION_KEY = "sign_up"


def remember_sign_up(request: HttpRequest, sign_up_id: uuid.UUID) -> None:
    """Keeps the newest one."""
    request.session[SESSION_KEY] = str(sign_up_id)


def remembered_sign_up(request: HttpRequest) -> str | None:
    """The key of the sign-up that this browser asked for last."""
    known: str | None = request.session.get(SESSION_KEY)
    return known


def forget_sign_up(request: HttpRequest) -> None:
    """After its confirmation."""
    request.session.pop(SESSION_KEY, None)
