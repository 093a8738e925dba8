"""What distinguishes visits within a day, and nothing else: no cookie, no storage, no identifier that outlives it."""

from __future__ import annotations

import hashlib
import secrets
from datetime import date

from django.conf import settings

from shop.core.client_address import network_of
from shop.statistics.models import DailySalt

_salts: dict[date, bytes] = {}


def visit_key(day: date, address: str, user_agent: str) -> str:
    """Return the hash of a visit: of the network, the browser's name, the shop and the day's secret.

    One query, and a write for the first visit of a day, where this process does not know the day's secret yet.
    """
    text = "\n".join((network_of(address), user_agent, settings.SITE_URL))
    return hashlib.blake2b(text.encode("utf-8", "replace"), key=_salt(day), digest_size=16).hexdigest()


def _salt(day: date) -> bytes:
    found = _salts.get(day)
    if found is None:
        row, _created = DailySalt.objects.get_or_create(day=day, defaults={"salt": secrets.token_hex(32)})
        found = bytes.fromhex(row.salt)
        # Yesterday's is forgotten with the first visit of a day.
        _salts.clear()
        _salts[day] = found
    return found


def forget_salts() -> None:
    """Forget what this process knows of salts; the next visit reads the day's again."""
    _salts.clear()
