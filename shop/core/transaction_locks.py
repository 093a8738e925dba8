"""Locks on things that are no rows: held until the end of the transaction that took them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from django.db import connection


def lock_names(names: Iterable[str]) -> None:
    """Let one transaction at a time go on for each of the names; "" is none. One query.

    In one order, so that two transactions that want the same names can't wait for each other in a circle. SQLite needs
    none of it: its transactions write one after the other from their start. Raises OperationalError when another
    transaction keeps a name longer than PostgreSQL's `lock_timeout`.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("A name is locked in a transaction.")
    if connection.vendor != "postgresql":
        return
    keys = sorted({_key(name) for name in names if name})
    if keys:
        with connection.cursor() as cursor:
            # The rows of an array come, and are locked, in its order.
            cursor.execute("SELECT pg_advisory_xact_lock(key) FROM unnest(%s::bigint[]) AS key", [keys])


def _key(name: str) -> int:
    """PostgreSQL's advisory locks are numbers of 64 bits."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)
