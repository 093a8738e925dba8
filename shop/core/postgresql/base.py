"""Django's PostgreSQL backend whose waits end: for a connection, for an answer, for a server that went silent.

The server's own `statement_timeout` says nothing when the server, or the way to it, does not answer at all.
"""

from __future__ import annotations

import select
from time import monotonic
from typing import Any, TypeVar

import psycopg
from django.conf import settings
from django.db.backends.base.base import NO_DB_ALIAS
from django.db.backends.postgresql import base
from psycopg.abc import PQGen
from psycopg_pool import ConnectionPool, PoolTimeout

from shop.core.circuit import CallRefused, Circuit
from shop.core.deadlines import seconds_left

Value = TypeVar("Value")

# A connection that was idle answers within this or is taken for lost.
CHECK_SECONDS = 0.5
# One that was used since is only looked at; a way to the server that is cut shows with the first answer.
IDLE_SECONDS = 1.0


class BoundedConnection(psycopg.Connection[Any]):
    """A connection that is given up when an answer takes longer than the request has left."""

    # Of the check after a connection was idle; None at all other times.
    longest_wait: float | None = None
    # When it was given back to the pool.
    last_used = float("-inf")

    def wait(self, gen: PQGen[Value], interval: float = 0.1, timeout: float | None = None) -> Value:
        """Raises OperationalError, with the connection closed, when the time is over."""
        left = seconds_left()
        limits = (timeout, left or settings.DATABASE_STATEMENT_SECONDS + 5, self.longest_wait)
        seconds = min(limit for limit in limits if limit is not None)
        try:
            return super().wait(gen, min(interval, seconds), seconds)
        except psycopg.errors._WaitTimeout as error:
            if seconds == timeout:
                raise
            # Its state is unknown: nothing may be asked of it again.
            self.pgconn.finish()
            raise psycopg.OperationalError(f"the database did not answer in {seconds:.2f} s") from error


class BoundedPool(ConnectionPool[BoundedConnection]):
    """A pool that gives out no lost connection: one that was idle is asked whether it still answers, one that was
    used a moment ago is looked at, which takes no way to the server and back.

    The check of Psycopg's own pool waits a second after each lost connection; after a restart of the server all are.
    """

    def __init__(self, **options: Any) -> None:
        # One call tries while the server is away. Another request hears so at once instead of waiting, too.
        self._circuit = Circuit((psycopg.OperationalError,), patience=0.0, limit=1, pause=1.0)
        super().__init__(connection_class=BoundedConnection, open=False, **options)

    def getconn(self, timeout: float | None = None) -> BoundedConnection:
        """Raises PoolTimeout when none is to be had in time."""
        seconds = min(timeout or self.timeout, seconds_left() or self.timeout)
        end = monotonic() + seconds
        try:
            with self._circuit.call():
                while True:
                    connection = super().getconn(max(0.01, end - monotonic()))
                    if self._answers(connection, end - monotonic()):
                        return connection
                    self.putconn(connection)
                    if monotonic() >= end:
                        raise PoolTimeout(f"no connection that answers within {seconds:.2f} s")
        except CallRefused as error:
            raise PoolTimeout(str(error)) from error

    def putconn(self, conn: BoundedConnection) -> None:
        conn.last_used = monotonic()
        super().putconn(conn)

    def _answers(self, connection: BoundedConnection, seconds: float) -> bool:
        connection.longest_wait = max(0.01, min(CHECK_SECONDS, seconds))
        try:
            if monotonic() - connection.last_used >= IDLE_SECONDS or _has_news(connection):
                self.check_connection(connection)
        except psycopg.Error:
            connection.close()
            return False
        finally:
            connection.longest_wait = None
        return True


def _has_news(connection: BoundedConnection) -> bool:
    """Whether there is something to read that nobody asked for: the server's goodbye, or the end of the line. Raises
    OperationalError for a connection that this side has closed."""
    look = select.poll()
    look.register(connection.fileno(), select.POLLIN)
    return bool(look.poll(0))


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's wrapper with the pool above in the place of Psycopg's."""

    @property
    def queries_logged(self) -> bool:
        """With DEBUG Django keeps the last 9,000 statements of each connection. A shop that is only tried out, or
        measured, would be larger and slower for it than the one that sells; who wants them captures them."""
        return bool(self.force_debug_cursor)

    @property
    def pool(self) -> BoundedPool | None:
        options = self.settings_dict["OPTIONS"].get("pool")
        if self.alias == NO_DB_ALIAS or not options:
            return None
        pools: dict[str, BoundedPool] = self._connection_pools  # type: ignore[attr-defined]
        if self.alias not in pools:
            pool = BoundedPool(
                kwargs={**self.get_connection_params(), "autocommit": True},
                configure=self._configure_connection,  # type: ignore[attr-defined]
                **options,
            )
            # Of two threads at the start one sets it; neither pool is open yet.
            pools.setdefault(self.alias, pool)
        return pools[self.alias]
