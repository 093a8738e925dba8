"""What a restore that was killed has left is opened by nobody, and none begins while the shop runs."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.db.backends.signals import connection_created

from shop.backups import moving, unfinished
from shop.backups.unfinished import (
    IN_USE,
    MARK,
    REFUSAL,
    UNDER_WAY,
    end_restore,
    nobody_else,
    refuse_unfinished,
)
from shop.backups.work_folder import InUseError

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    yield
    connection_created.disconnect(refuse_unfinished)
    if MARK in connection.introspection.table_names():
        end_restore()
    connection_created.connect(refuse_unfinished)


@contextmanager
def another_process(kind: int) -> Iterator[None]:
    folder = os.open(settings.DATA_DIR, os.O_RDONLY)
    try:
        fcntl.flock(folder, kind | fcntl.LOCK_NB)
        yield
    finally:
        os.close(folder)


def leave_the_server() -> None:
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]


@pytest.mark.postgres
def test_database_of_a_restore_that_broke_off_opens_for_nobody_until_one_has_ended() -> None:
    # A process that has had a good one before: it was dropped, and made anew.
    leave_the_server()
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE TABLE {MARK} (step integer)")
    for _again in range(2):
        leave_the_server()
        with pytest.raises(OperationalError) as refusal, connection.cursor():
            pass
        assert str(refusal.value) == REFUSAL
        assert connection.connection is None
    connection_created.disconnect(refuse_unfinished)
    end_restore()
    connection_created.connect(refuse_unfinished)
    leave_the_server()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


@pytest.mark.postgres
def test_connection_of_the_pool_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(connection.introspection, "table_names", lambda cursor: asked.append(cursor) or ["a"])
    leave_the_server()
    for _request in range(3):
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        connection.close()
    assert len(asked) == 1
    monkeypatch.undo()


def test_move_marks_its_database_before_it_makes_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(moving, "call_command", die)
    with pytest.raises(KeyboardInterrupt):
        moving.make_tables()
    assert MARK in connection.introspection.table_names()
    assert not connection_created.disconnect(refuse_unfinished), "the move itself opens it"


@pytest.mark.parametrize("command", [["restore", "--highest-invoice", "none"], ["move_database", "--to"]])
def test_restore_and_move_are_refused_while_a_process_of_the_shop_runs(
    command: list[str], tmp_path: Path
) -> None:
    new = tmp_path / "new.sqlite3"
    arguments = [*command, f"sqlite:///{new}"] if command[-1] == "--to" else command
    with another_process(fcntl.LOCK_SH), pytest.raises(CommandError) as refusal:
        call_command(*arguments)
    assert str(refusal.value) == IN_USE
    assert not new.exists()


@pytest.mark.postgres
def test_they_are_refused_while_another_machine_is_connected(monkeypatch: pytest.MonkeyPatch) -> None:
    with nobody_else():
        connection.close()
    monkeypatch.setattr(unfinished, "GONE_WITHIN", 0.2)
    parameters = connection.get_connection_params()
    names = ("dbname", "user", "password", "host", "port")
    elsewhere = psycopg.connect(**{name: parameters[name] for name in names if name in parameters})
    with elsewhere, pytest.raises(InUseError) as refusal, nobody_else():
        pass
    assert str(refusal.value) == IN_USE


@pytest.mark.postgres
def test_process_of_the_shop_is_seen_and_kept_out_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    leave_the_server()
    with connection.cursor():
        pass
    with pytest.raises(BlockingIOError), another_process(fcntl.LOCK_EX):
        pass
    with nobody_else(), pytest.raises(BlockingIOError), another_process(fcntl.LOCK_SH):
        pass
    leave_the_server()
    os.close(unfinished._data_dir)
    monkeypatch.setattr(unfinished, "_data_dir", None)
    with another_process(fcntl.LOCK_EX):
        for _again in range(2):
            with pytest.raises(OperationalError) as refusal, connection.cursor():
                pass
            assert str(refusal.value) == UNDER_WAY
            assert connection.connection is None
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
