"""How often something may be tried: sign-ins, sign-ups, reset mails.

Counted in the database by single guarded statements, so that a limit holds across processes, against parallel
tries, and while the cache is down. Call these outside a transaction that may be rolled back: the count would
be rolled back with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import F
from django.utils import timezone
from django.utils.crypto import salted_hmac

from accounts.models import AttemptCounter


@dataclass(frozen=True, slots=True)
class Limit:
    """At most ``attempts`` per ``window``, counted from the first of them."""

    scope: str
    attempts: int
    window: timedelta


# Failures only: a sign-in that succeeds is given back. However many addresses a guesser uses, five tries
# an account; its owner is locked out for minutes at most, and a password reset opens the door at once.
SIGN_IN_ACCOUNT = Limit("sign-in account", 5, timedelta(minutes=5))
# Wide enough for a company or a school behind one address.
SIGN_IN_ADDRESS = Limit("sign-in address", 100, timedelta(minutes=5))
SIGN_UP_ADDRESS = Limit("sign-up address", 20, timedelta(minutes=10))
RESET_ADDRESS = Limit("reset address", 20, timedelta(minutes=10))
# Mails that anybody can make the shop send to anybody.
RESET_MAIL = Limit("reset mail", 1, timedelta(minutes=15))
EXISTS_MAIL = Limit("account exists mail", 1, timedelta(minutes=15))
CONFIRMATION_MAIL = Limit("confirmation mail", 1, timedelta(minutes=3))


def try_again(limit: Limit, who: str) -> bool:
    """Counts one attempt of ``who`` and tells whether it is within the limit."""
    now = timezone.now()
    key = _key(limit, who)
    # The usual case in one statement; what follows is for a window that ended and for a new key.
    if _count(key, limit, now):
        return True
    end = now + limit.window
    if AttemptCounter.objects.filter(key=key, expires_at__lte=now).update(count=0, expires_at=end):
        return _count(key, limit, now)
    AttemptCounter.objects.bulk_create([AttemptCounter(key=key, expires_at=end)], ignore_conflicts=True)
    return _count(key, limit, now)


def give_back(limit: Limit, who: str) -> None:
    """Takes back one counted attempt that turned out to be honest."""
    AttemptCounter.objects.filter(key=_key(limit, who), count__gt=0).update(count=F("count") - 1)


def forget(limit: Limit, who: str) -> None:
    """Starts the count of ``who`` afresh."""
    AttemptCounter.objects.filter(key=_key(limit, who)).delete()


def purge_expired(now: datetime) -> int:
    """Deletes the counters whose window is over; returns how many."""
    return AttemptCounter.objects.filter(expires_at__lte=now).delete()[0]


def _count(key: str, limit: Limit, now: datetime) -> bool:
    return bool(
        AttemptCounter.objects.filter(key=key, expires_at__gt=now, count__lt=limit.attempts).update(
            count=F("count") + 1
        )
    )


def _key(limit: Limit, who: str) -> str:
    return salted_hmac("accounts.limits", f"{limit.scope}\n{who}", algorithm="sha256").hexdigest()
