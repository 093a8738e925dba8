"""Where an account is signed in: one row a session, as allauth writes it at each sign-in, and how they are ended."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from datetime import datetime, timedelta

from allauth.usersessions.models import UserSession
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

from accounts.models import User

SEEN = "seen"
"""Session key: when the row was last updated, in seconds of the epoch."""
SEEN_STEP = int(timedelta(hours=1).total_seconds())
"""How exact « last seen » is: a session writes it at most this often."""
MOST_SESSIONS = 50
"""Of one account at once; another sign-in ends the oldest."""

# The first that fits: most browsers also name those that they descend from.
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/|FxiOS/", "Firefox"),
    ("Chrome/|CriOS/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Macintosh|Mac OS X", "Mac"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session that is still good."""

    id: int
    device: str
    first_seen: datetime
    last_seen: datetime
    is_current: bool


def device_name(user_agent: str) -> str:
    """Return the browser and the system as far as they can be told, such as « Firefox, Windows »."""
    named = [
        next((name for pattern, name in table if re.search(pattern, user_agent)), "")
        for table in (_BROWSERS, _SYSTEMS)
    ]
    return ", ".join(filter(None, named)) or _("Appareil inconnu")


def open_sessions(request: HttpRequest, user: User) -> list[OpenSession]:
    """Return where the account is signed in, this session first, then the latest. Two queries."""
    rows = {row.session_key: row for row in UserSession.objects.filter(user_id=user.pk)}
    stored = Session.objects.filter(session_key__in=rows, expire_date__gt=timezone.now())
    found = [
        OpenSession(
            id=row.pk,
            device=device_name(row.user_agent),
            first_seen=row.created_at,
            last_seen=row.last_seen_at,
            is_current=session.session_key == request.session.session_key,
        )
        for session in stored
        if _is_good(session, user) and (row := rows[session.session_key])
    ]
    return sorted(found, key=lambda each: (not each.is_current, -each.last_seen.timestamp()))


def note_seen(request: HttpRequest, user: User) -> None:
    """Write once an hour that this session and its account are in use; a session that does not say when it was seen
    began its hour with the account's latest sign-in.
    """
    now = int(time.time())
    signed_in = int(user.last_login.timestamp()) if user.last_login else 0
    if now - request.session.get(SEEN, signed_in) >= SEEN_STEP:
        request.session[SEEN] = now
        moment = timezone.now()
        UserSession.objects.filter(session_key=request.session.session_key).update(last_seen_at=moment)
        # Not of one that was erased meanwhile.
        User.objects.filter(pk=user.pk, is_active=True).update(last_seen_at=moment)


def end_session(user: User, session_id: int) -> None:
    """End one session of this person; nothing happens for any other's, and for one that ended."""
    _end([row.session_key for row in UserSession.objects.filter(user_id=user.pk, pk=session_id)])


def end_oldest_sessions(user: User) -> None:
    """End the sessions of this person beyond `MOST_SESSIONS`. One query where there are none."""
    rows = UserSession.objects.filter(user_id=user.pk).order_by("-created_at", "-pk")
    if keys := list(rows.values_list("session_key", flat=True)[MOST_SESSIONS:]):
        _end(keys)


def end_other_sessions(request: HttpRequest, user: User) -> None:
    """End all sessions of this person but the request's own."""
    others = UserSession.objects.filter(user_id=user.pk).exclude(session_key=request.session.session_key)
    _end(list(others.values_list("session_key", flat=True)))


def move_session(old_key: str | None, request: HttpRequest) -> None:
    """Follow the session of a request to its new key, after Django rotated it."""
    UserSession.objects.filter(session_key=old_key).update(session_key=request.session.session_key)


def end_all_sessions(user: User) -> None:
    """End every session of this person, in the caller's transaction."""
    _end(list(UserSession.objects.filter(user_id=user.pk).values_list("session_key", flat=True)))


def purge_ended_sessions(now: datetime, limit: int) -> int:
    """Delete sessions that expired and the rows of those that are gone, at most `limit` of each; return of how many of
    one or the other."""
    expired = list(Session.objects.filter(expire_date__lt=now).values_list("session_key", flat=True)[:limit])
    Session.objects.filter(session_key__in=expired).delete()
    stored = Session.objects.filter(session_key=OuterRef("session_key"))
    rows = list(UserSession.objects.filter(~Exists(stored)).values_list("pk", flat=True)[:limit])
    UserSession.objects.filter(pk__in=rows).delete()
    return max(len(expired), len(rows))


def _end(keys: list[str]) -> None:
    with transaction.atomic():
        Session.objects.filter(session_key__in=keys).delete()
        UserSession.objects.filter(session_key__in=keys).delete()


def _is_good(session: Session, user: User) -> bool:
    """Return whether Django still takes it: signed in with the present password and role."""
    held = session.get_decoded().get(HASH_SESSION_KEY, "")
    return constant_time_compare(held, user.get_session_auth_hash())
