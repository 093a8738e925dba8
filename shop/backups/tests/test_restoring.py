"""A restore is whole or is none: what it refuses, and what one leaves that breaks off."""

from __future__ import annotations

import fcntl
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings as shop_settings
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

from shop.backups import restoring
from shop.backups.models import Backup
from shop.backups.restoring import fetch_archive
from shop.backups.stored_files import DamagedError
from shop.backups.tests.nights import NIGHT, backup_at, stored_at
from shop.backups.unfinished import MARK, end_restore
from shop.backups.vault import open_vault

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("few_tables")]


def test_archive_with_one_other_byte_is_refused(target: Path, tmp_path: Path) -> None:
    backup_at(NIGHT)
    path = target / "backups/2026-11-23T02-00-00Z.tar"
    with path.open("r+b") as stream:
        stream.seek(2000)
        byte = stream.read(1)
        stream.seek(2000)
        stream.write(bytes([byte[0] ^ 1]))
    with pytest.raises(DamagedError) as refusal:
        fetch_archive(open_vault(), "", tmp_path)
    assert str(refusal.value) == "backups/2026-11-23T02-00-00Z.tar is not what was stored."


def test_restore_into_a_database_with_tables_changes_nothing(target: Path) -> None:
    backup_at(NIGHT)
    with pytest.raises(CommandError) as refusal:
        call_command("restore", "--highest-invoice", "none")
    assert str(refusal.value) == (
        "The database is not empty: a backup is brought back into a new one. "
        "What a restore that broke off has left is no shop to open: drop it first."
    )
    assert Backup.objects.count() == 1


@pytest.mark.parametrize("arguments", [["--check"], ["--highest-invoice", "none"]])
def test_damaged_record_of_the_last_numbers_stops_a_restore_before_it_writes(
    target: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    backup_at(NIGHT)
    (target / "records").mkdir()
    (target / "records/issued-invoices.json").write_text('{"2026": 1')
    written: list[object] = []
    monkeypatch.setattr(restoring, "refuse_unless_empty", lambda: None)
    monkeypatch.setattr(restoring, "bring_files_back", lambda *args, **_: written.append(args))
    monkeypatch.setattr(restoring, "bring_rows_back", lambda *args, **_: written.append(args))
    with pytest.raises(CommandError, match=r"^records/issued-invoices\.json is damaged\.$"):
        call_command("restore", *arguments, stdout=StringIO())
    assert written == []


@pytest.mark.parametrize(
    ("where", "arguments"),
    [
        ("shop.backups.restoring.bring_rows_back", ["restore", "--highest-invoice", "none"]),
        (
            "shop.backups.management.commands.move_database.move_database",
            ["move_database", "--to", "sqlite:////a"],
        ),
    ],
)
def test_full_disk_of_the_new_database_is_told_in_a_sentence(
    target: Path, monkeypatch: pytest.MonkeyPatch, where: str, arguments: list[str]
) -> None:
    def fill(*args: object, **kwargs: object) -> None:
        raise OperationalError("database or disk is full")

    backup_at(NIGHT)
    monkeypatch.setattr(restoring, "refuse_unless_empty", lambda: None)
    monkeypatch.setattr(where, fill)
    monkeypatch.setattr("shop.backups.management.commands.restore.begin_restore", lambda: None)
    with pytest.raises(CommandError, match=r"^database or disk is full$"):
        call_command(*arguments, stdout=StringIO())


@pytest.mark.parametrize("breaks_at", ["restoring.bring_rows_back", "finish_restore", ""])
def test_restore_that_breaks_off_leaves_a_database_that_nothing_opens(
    target: Path, monkeypatch: pytest.MonkeyPatch, breaks_at: str
) -> None:
    command = "shop.backups.management.commands.restore"

    def die(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    backup_at(NIGHT)
    monkeypatch.setattr(restoring, "refuse_unless_empty", lambda: None)
    monkeypatch.setattr(restoring, "bring_rows_back", lambda *args, **_: None)
    monkeypatch.setattr(f"{command}.finish_restore", lambda restored: iter(()))
    if not breaks_at:
        call_command("restore", "--highest-invoice", "none", stdout=StringIO())
        assert MARK not in connection.introspection.table_names()
        return
    monkeypatch.setattr(f"{command}.{breaks_at}", die)
    with pytest.raises(KeyboardInterrupt):
        call_command("restore", "--highest-invoice", "none", stdout=StringIO())
    assert MARK in connection.introspection.table_names()
    end_restore()


@pytest.mark.parametrize(
    ("unanswered", "told", "first"),
    [
        ([], "", ""),
        (
            [("Stripe", OSError("STRIPE_SECRET_KEY is empty"))],
            "Stripe did not answer: STRIPE_SECRET_KEY is empty\n",
            "manage.py ask_stripe_since 2026-11-23T02-00-00Z, or installments may be charged twice; ",
        ),
    ],
)
def test_restore_says_at_its_end_what_comes_before_the_shop_starts(
    target: Path,
    monkeypatch: pytest.MonkeyPatch,
    unanswered: list[tuple[str, Exception]],
    told: str,
    first: str,
) -> None:
    backup_at(NIGHT)
    monkeypatch.setattr(restoring, "refuse_unless_empty", lambda: None)
    monkeypatch.setattr(restoring, "bring_rows_back", lambda *args, **_: None)
    monkeypatch.setattr(
        "shop.backups.management.commands.restore.finish_restore", lambda restored: iter(unanswered)
    )
    said, errors = StringIO(), StringIO()
    call_command("restore", "--highest-invoice", "none", stdout=said, stderr=errors)
    assert said.getvalue().endswith(f"\nRestored. Now: {first}manage.py audit_books, then start the shop.\n")
    assert errors.getvalue() == told


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], "Say which invoice or credit note was sent last"),
        (["--highest-invoice", "123"], "123 is no number of an invoice, such as F-2026-00123."),
        (["--highest-invoice", "F-26-123"], "F-26-123 is no number of an invoice, such as F-2026-00123."),
    ],
)
def test_restore_without_the_last_number_is_refused(target: Path, given: list[str], words: str) -> None:
    with pytest.raises(CommandError) as refusal:
        call_command("restore", *given)
    assert str(refusal.value).startswith(words)


def test_restore_without_a_lost_file_brings_back_the_others(
    target: Path, picture: str, tmp_path: Path
) -> None:
    other = storages["private"].save("contact/other.jpg", ContentFile(b"another picture"))
    backup_at(NIGHT)
    path = stored_at(target, picture, tmp_path)
    path.unlink()
    archive, vault = fetch_archive(open_vault(), "", tmp_path), open_vault()
    for name in (picture, other):
        storages["private"].delete(name)

    with pytest.raises(DamagedError, match=r"missing at the target, such as private: .*--without-lost-files"):
        restoring.refuse_missing_files(archive, vault)
    lost: list[str] = []
    assert restoring.bring_files_back(archive, vault, tmp_path, lost=lost) == 1
    assert lost == [words for words in lost if f"private: {picture}" in words] != []
    assert Path(storages["private"].path(other)).read_bytes() == b"another picture"
    storages["private"].delete(other)


def test_restore_after_one_that_was_killed_writes_its_last_file_again(
    target: Path, picture: str, tmp_path: Path
) -> None:
    backup_at(NIGHT)
    archive, vault = fetch_archive(open_vault(), "", tmp_path), open_vault()
    path = Path(storages["private"].path(picture))
    for half in (b"a pic", b""):
        path.write_bytes(half)
        assert restoring.bring_files_back(archive, vault, tmp_path) == 1
        assert path.read_bytes() == b"a picture"
    path.write_bytes(b"a Picture")
    with pytest.raises(DamagedError, match=rf"private: {picture} is there with another content\."):
        restoring.bring_files_back(archive, vault, tmp_path)
    assert path.read_bytes() == b"a Picture"


def test_restore_that_was_killed_leaves_nothing_after_the_next_one(target: Path) -> None:
    backup_at(NIGHT)
    work = shop_settings.DATA_DIR / "restore.work"
    work.mkdir()
    (work / "rows.tar").write_bytes(b"every customer")
    with (shop_settings.DATA_DIR / "restore.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(CommandError, match=r"Another restore is under way\."):
            call_command("restore", "--check", stdout=StringIO())
    assert (work / "rows.tar").exists()
    call_command("restore", "--check", stdout=StringIO())
    assert not work.exists()
