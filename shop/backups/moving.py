"""Moving the shop's rows to another database, of the same engine or the other one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, OperationalError, connection, connections, transaction

from shop.backups import rows
from shop.backups.snapshot import extra_database
from shop.backups.unfinished import begin_restore, end_restore, nobody_else
from shop.setting_values import read_database

MOVED = "moved"


class MoveRefused(Exception):
    """Nothing was moved. The text says why."""


def move_database(url: str, *, say: Callable[[str], object]) -> int:
    """Write every row of the shop into the empty database of `url` and compare each. Returns how many there are.

    No other process opens the database meanwhile; the one moved from stays as it is. Rows arrive all or none.
    Raises MoveRefused, and InUseError while the shop runs.
    """
    try:
        values = read_database("--to", url)
    except ImproperlyConfigured as error:
        raise MoveRefused(str(error)) from error
    values = {**connection.settings_dict, "OPTIONS": {}, "CONN_MAX_AGE": 0, **values}
    with nobody_else(), extra_database(MOVED, values):
        try:
            names = connections[MOVED].introspection.table_names()
        except OperationalError as error:
            raise MoveRefused(f"The other database can't be opened: {error}") from error
        if names:
            raise MoveRefused("The other database is not empty: drop it, and make a new one.")
        say("Making the tables …")
        _make_tables_at(url)
        rows.lift_time_limits(MOVED)
        with _standing_still(), transaction.atomic(MOVED):
            total = _copy(rows.stored_models(), say)
            end_restore(MOVED)
        return total


def _copy(models: list[rows.Model], say: Callable[[str], object]) -> int:
    total = 0
    rows.clear_what_migrations_wrote(models, MOVED)
    for model in models:
        sent = rows.write_rows(model, rows.columns(model), rows.read_rows(model, DEFAULT_DB_ALIAS), MOVED)
        arrived = rows.digest_of(model, MOVED)
        if (sent.count, sent.hexdigest()) != (arrived.count, arrived.hexdigest()):
            raise MoveRefused(f"{model._meta.label} did not arrive as it was: {sent.count}, {arrived.count}.")
        if sent.count:
            say(f"{model._meta.label}: {sent.count}, each the same")
        total += sent.count
    rows.continue_sequences(models, MOVED)
    connections[MOVED].check_constraints()
    return total


def make_tables() -> None:
    """Make the tables of an empty database that is this process's own. From the first one it is marked: without their
    rows they would open as a shop whose first invoice has a number that was given."""
    begin_restore()
    call_command("migrate", verbosity=0)


def _make_tables_at(url: str) -> None:
    # In a process of its own: migrations that write rows write them into its one database.
    ended = subprocess.run(  # noqa: S603 - our own command
        [
            sys.executable,
            str(settings.BASE_DIR / "manage.py"),
            "shell",
            "--no-imports",
            "--command",
            "from shop.backups.moving import make_tables; make_tables()",
        ],
        env={**os.environ, "DATABASE_URL": url},
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode:
        raise MoveRefused(f"The tables could not be made: {ended.stderr.strip()[-500:]}")


@contextmanager
def _standing_still() -> Iterator[None]:
    """SQLite's transactions of the shop keep other writers out from their beginning."""
    if connection.vendor == "postgresql":
        with rows.one_moment(DEFAULT_DB_ALIAS):
            yield
        return
    with transaction.atomic():
        yield
