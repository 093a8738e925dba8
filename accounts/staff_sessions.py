"""How long a session of staff lasts: two moments are stored in it, its sign-in and its latest request."""

from __future__ import annotations

import time

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest

from accounts.models import User
from accounts.notices import leave_notice
from accounts.sessions import note_seen
from shop.core.clocks import are_over

CLOCK = "staff_clock"
"""Session key of `[since, seen]`, in seconds of the epoch."""
# How exact `seen` is: a request writes the session at most this often.
STEP = 60


def start_clock(request: HttpRequest, user: User) -> None:
    """Call it when a session of ``user`` starts."""
    if user.is_staff:
        now = int(time.time())
        request.session[CLOCK] = [now, now]


def user_in_time(request: HttpRequest) -> AbstractBaseUser | AnonymousUser:
    """Return whose session it is; nobody's when it is staff's and its time is over: then it ends.

    A session without a clock was started by something else than the shop's sign-in: the account's latest one counts.
    """
    user = get_user(request)
    if not isinstance(user, User):
        return user
    if not user.is_staff:
        note_seen(request, user)
        return user
    now = int(time.time())
    signed_in = int(user.last_login.timestamp()) if user.last_login else 0
    since, seen = request.session.get(CLOCK, (signed_in, signed_in))
    if are_over(settings.STAFF_SESSION_LIFETIME, since) or are_over(settings.STAFF_SESSION_IDLE, seen):
        request.session.flush()
        leave_notice(request, "session_ended")
        return AnonymousUser()
    if now - seen >= STEP:
        request.session[CLOCK] = [since, now]
    note_seen(request, user)
    return user
