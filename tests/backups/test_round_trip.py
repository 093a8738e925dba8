"""Every kind of row comes back as it was, on each engine and from one to the other."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from contextlib import closing, nullcontext
from pathlib import Path
from types import ModuleType
from urllib.parse import urlsplit

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import DatabaseError, DataError, IntegrityError, connection, transaction
from django.test import override_settings

from catalog.models import Synonym
from orders.models import Invoice, InvoiceSeries
from orders.tests.factories import make_order, make_zones, pay_order
from shop.backups import moving, restoring, rows
from shop.backups.making import make_backup
from shop.backups.management.commands import move_database, restore
from shop.backups.snapshot import extra_database
from shop.backups.unfinished import MARK
from shop.backups.vault import open_vault
from shop.pages.models import HomeSection
from tests.database import empty_tables
from tests.permissions.world import make_world

pytestmark = pytest.mark.django_db(transaction=True)


def make_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row of every kind; earlier tests have deleted those that migrations wrote."""
    make_zones()
    Synonym.objects.get_or_create(language="fr", words="hibou, chouette")
    HomeSection.objects.get_or_create(kind="hero")
    make_world(monkeypatch)


def digests(alias: str = "default") -> dict[str, tuple[int, str]]:
    found = {}
    for model in rows.stored_models():
        digest = rows.digest_of(model, alias)
        found[model._meta.label] = (digest.count, digest.hexdigest())
    return found


@pytest.mark.both_engines
def test_backup_of_every_kind_of_row_comes_back_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_everything(monkeypatch)
    picture = storages["private"].save("contact/back.jpg", ContentFile(b"a picture"))
    before = {label: found for label, found in digests().items() if label not in rows.ENDS_WITH_THE_MACHINE}
    del before["backups.Backup"]
    assert sum(1 for count, _digest in before.values() if count) > 80
    with override_settings(BACKUP_URL=str(tmp_path / "target")):
        # Its rows name pictures that nobody drew, and a backup that was made elsewhere.
        make_backup(to_new_target=True, without_lost_files=True)
        empty_tables()
        storages["private"].delete(picture)
        archive = restoring.fetch_archive(open_vault(), "", tmp_path)
        restoring.bring_files_back(archive, open_vault(), tmp_path)
        restoring.bring_rows_back(archive, say=lambda text: None)

    after = digests()
    assert {label: after[label] for label in before} == before
    assert {label for label in rows.ENDS_WITH_THE_MACHINE if after[label][0]} == set()
    with storages["private"].open(picture) as stream:
        assert stream.read() == b"a picture"
    storages["private"].delete(picture)
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE orders_invoice SET total = 1")
    last = InvoiceSeries.objects.get().last_number
    assert Invoice.objects.get(order=pay_order(make_order())).sequence == last + 1


@pytest.mark.postgres
def test_move_to_sqlite_and_to_postgresql_again_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_everything(monkeypatch)
    before = digests()
    path = tmp_path / "moved.sqlite3"
    said: list[str] = []
    # The tables are made by a process of the shop, not of the tests.
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "shop.settings")
    call_command("move_database", "--to", f"sqlite:///{path}", stdout=_Lines(said))
    total = sum(count for count, _digest in before.values())
    assert said[-1].startswith(f"{total} rows moved, each the same on both sides.")
    sqlite = {**connection.settings_dict, "ENGINE": "django.db.backends.sqlite3", "NAME": path, "OPTIONS": {}}
    with extra_database("there", sqlite):
        assert digests("there") == before

        empty_tables()
        with transaction.atomic():
            rows.clear_what_migrations_wrote(rows.stored_models(), "default")
            for model in rows.stored_models():
                rows.write_rows(model, rows.columns(model), rows.read_rows(model, "there"), "default")
            rows.continue_sequences(rows.stored_models(), "default")
    assert digests() == before
    assert Invoice.objects.filter(order=pay_order(make_order())).exists()


@pytest.mark.postgres
def test_move_into_a_database_with_tables_moves_nothing() -> None:
    url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}").geturl()
    with pytest.raises(moving.MoveRefused) as refusal:
        moving.move_database(url, say=lambda text: None)
    assert str(refusal.value) == "The other database is not empty: drop it, and make a new one."


def test_move_that_is_killed_leaves_a_database_that_nothing_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*args: object) -> None:
        raise KeyboardInterrupt

    def mark(url: str) -> None:
        with closing(sqlite3.connect(path)) as moved:
            moved.execute(f"CREATE TABLE {MARK} (step integer)")

    path = tmp_path / "moved.sqlite3"
    monkeypatch.setattr(moving, "_make_tables_at", mark)
    monkeypatch.setattr(moving, "_copy", die)
    with pytest.raises(KeyboardInterrupt):
        moving.move_database(f"sqlite:///{path}", say=lambda text: None)
    with closing(sqlite3.connect(path)) as moved:
        assert moved.execute("SELECT name FROM sqlite_master").fetchall() == [(MARK,)]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("garbage", "--to is no address such as postgresql://"),
        ("mysql://user:secret@host/shop", "--to is no address such as postgresql://"),
        ("postgresql://user:secret@127.0.0.1:9/shop", "The other database can't be opened: "),
        ("sqlite:////nowhere/shop.sqlite3", "The other database can't be opened: "),
    ],
)
def test_move_to_what_is_no_database_is_refused_in_a_sentence(url: str, words: str) -> None:
    with pytest.raises(CommandError) as refusal:
        call_command("move_database", "--to", url)
    assert str(refusal.value).startswith(words)
    assert "secret" not in str(refusal.value)


@pytest.mark.both_engines
def test_a_row_that_the_database_does_not_take_is_named_by_its_table() -> None:
    names = rows.columns(Synonym)
    values = {"id": 1, "language": "fr", "words": "hibou"}
    line = json.dumps([values.get(name) for name in names]).encode()
    with pytest.raises(IntegrityError) as refusal, transaction.atomic():
        rows.write_rows(Synonym, names, [line, line], "default")
    assert re.match("catalog.Synonym: (UNIQUE constraint failed|duplicate key value)", str(refusal.value))
    assert not Synonym.objects.filter(words="hibou").exists()


@pytest.mark.parametrize(
    ("command", "work", "given"),
    [
        (restore, "highest_invoices", ["restore"]),
        (move_database, "move_database", ["move_database", "--to", "sqlite:////tmp/shop.sqlite3"]),
    ],
)
def test_what_the_database_does_not_take_is_said_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, command: ModuleType, work: str, given: list[str]
) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise DataError("catalog.Synonym: value too long")

    monkeypatch.setattr(command, work, refuse)
    monkeypatch.setattr(restore, "nobody_else", nullcontext)
    with pytest.raises(CommandError, match=r"^catalog\.Synonym: value too long$"):
        call_command(*given)


class _Lines:
    """What a command writes, a line each."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def write(self, text: str) -> None:
        self._lines.append(text.strip())

    def isatty(self) -> bool:
        return False

    def flush(self) -> None: ...
