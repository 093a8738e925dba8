"""A backup is whole or is none, and holds no secret."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tarfile
from collections.abc import Iterator
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.conf import settings as shop_settings
from django.contrib.sessions.backends.db import SessionStore
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

from shop.backups import making, restoring
from shop.backups.making import BackupRefused, backup_names, make_backup
from shop.backups.models import Backup
from shop.backups.restoring import RestoreRefused, fetch_archive
from shop.backups.selectors import backup_is_late, last_backup
from shop.backups.stored_files import DamagedError
from shop.backups.unfinished import MARK, end_restore
from shop.backups.vault import open_vault

pytestmark = pytest.mark.django_db(transaction=True)

NIGHT = datetime(2026, 11, 23, 2, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _few_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests are about what is done with rows, not about all of them."""
    few = [model for model in making.rows.stored_models() if model._meta.app_label in ("core", "sessions")]
    monkeypatch.setattr(
        making.rows,
        "stored_models",
        lambda without=(): [model for model in few if model._meta.label not in without],
    )


@pytest.fixture
def picture() -> Iterator[str]:
    name = storages["private"].save("contact/drill.jpg", ContentFile(b"a picture"))
    export = storages["private"].save("exports/archive.zip", ContentFile(b"everything about somebody"))
    yield name
    storages["private"].delete(name)
    storages["private"].delete(export)


def backup_at(moment: datetime) -> Backup:
    with time_machine.travel(moment, tick=False):
        return make_backup()


def test_backup_names_secrets_and_contains_none(
    target: Path, picture: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STRIPE_SECRET_KEY", "sk_live_of_the_shop")
    SessionStore().create()
    backup = backup_at(NIGHT)

    assert (backup.name, last_backup(NIGHT)) == ("2026-11-23T02-00-00Z", NIGHT)
    archive = fetch_archive(open_vault(), "", tmp_path)
    assert "STRIPE_SECRET_KEY" in archive.manifest["secrets"]
    stored = b"".join(path.read_bytes() for path in target.rglob("*") if path.is_file())
    for secret in (b"sk_live_of_the_shop", shop_settings.SECRET_KEY.encode()):
        assert secret not in stored
    with tarfile.open(target / "backups/2026-11-23T02-00-00Z.tar") as tar:
        assert not [name for name in tar.getnames() if "Session" in name]
        assert json.loads(tar.extractfile("manifest.json").read())["made_at"] == "2026-11-23T02:00:00+00:00"
    names = [file.name for file in archive.files if file.storage == "private"]
    assert picture in names
    assert not [name for name in names if name.startswith("exports/")]


def test_backup_stores_a_file_once_and_drops_it_with_the_last_backup_that_has_it(
    target: Path, picture: str, settings: Any
) -> None:
    settings.BACKUP_DAYS, settings.BACKUP_WEEKS, settings.BACKUP_MONTHS = 2, 0, 0
    backup_at(NIGHT)
    files = {path.name: path.stat().st_mtime_ns for path in (target / "files").iterdir()}
    backup_at(NIGHT.replace(day=24))
    assert {path.name: path.stat().st_mtime_ns for path in (target / "files").iterdir()} == files

    storages["private"].delete(picture)
    backup_at(NIGHT.replace(day=25))
    assert len(list((target / "files").iterdir())) == len(files)
    backup_at(NIGHT.replace(day=26))
    assert len(list((target / "files").iterdir())) == len(files) - 1
    names = ["2026-11-26T02-00-00Z", "2026-11-25T02-00-00Z"]
    assert backup_names(open_vault()) == names == list(Backup.objects.values_list("name", flat=True))


def test_backup_that_broke_off_is_never_listed_and_goes_with_the_next(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise OSError("No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(making, "_put_list", fail)
        with pytest.raises(OSError, match="No space left"):
            backup_at(NIGHT)
    assert [path.name for path in (target / "backups").iterdir()] == ["2026-11-23T02-00-00Z.tar"]
    assert backup_names(open_vault()) == []
    assert last_backup(NIGHT) is None

    backup_at(NIGHT.replace(hour=3))
    assert sorted(path.name for path in (target / "backups").iterdir()) == [
        "2026-11-23T03-00-00Z.json.gz",
        "2026-11-23T03-00-00Z.tar",
    ]


def test_second_backup_at_once_is_refused(target: Path) -> None:
    with (shop_settings.DATA_DIR / "backup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(BackupRefused) as refusal:
            make_backup()
    assert str(refusal.value) == "Another backup is under way."
    assert not target.exists()


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


def test_backup_command_without_a_target_says_so(settings: Any) -> None:
    settings.BACKUP_URL = ""
    with pytest.raises(CommandError) as refusal:
        call_command("backup")
    assert str(refusal.value) == "BACKUP_URL is not set."


def test_backup_is_late_after_a_day_and_two_hours(
    target: Path, settings: Any, django_assert_num_queries: object
) -> None:
    assert backup_is_late(NIGHT)
    Backup.objects.create(name="a", made_at=NIGHT, finished_at=NIGHT, rows=1, files=0, size=1)
    assert not backup_is_late(NIGHT.replace(day=24, hour=4))
    assert backup_is_late(NIGHT.replace(day=24, hour=4, second=1))
    settings.BACKUP_URL = ""
    assert not backup_is_late(NIGHT.replace(day=30))


def test_backup_leaves_no_work_behind(target: Path) -> None:
    backup_at(NIGHT)
    assert [
        name for name in os.listdir(shop_settings.DATA_DIR) if name.startswith(("backup.work", "record-"))
    ] == []


def test_backup_that_was_killed_leaves_nothing_after_the_next_one(target: Path) -> None:
    work = shop_settings.DATA_DIR / "backup.work"
    work.mkdir()
    (work / "rows.tar").write_bytes(b"every customer")
    for folder in ("backups", "files"):
        (target / folder).mkdir(parents=True)
        (target / folder / "a.partial").write_bytes(b"half")

    backup_at(NIGHT)
    assert not work.exists()
    assert list(target.rglob("*.partial")) == []


def test_target_that_lost_all_backups_is_refused_until_somebody_says_that_it_is_new(target: Path) -> None:
    backup_at(NIGHT)
    target.rename(target.with_name("disk that was taken out"))
    with pytest.raises(CommandError, match="BACKUP_URL has none of the backups that were made: is its disk"):
        call_command("backup")
    assert not target.exists()
    assert last_backup(NIGHT) == NIGHT

    call_command("backup", "--new-target")
    assert len(backup_names(open_vault())) == 1


def test_backup_without_most_of_the_pictures_is_refused_and_keeps_the_earlier_ones(
    target: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.BACKUP_DAYS, settings.BACKUP_WEEKS, settings.BACKUP_MONTHS = 1, 0, 0
    store = making.store_files
    # Not those of other tests.
    monkeypatch.setattr(
        making,
        "store_files",
        lambda vault, work: (file for file in store(vault, work) if file.name.startswith("drill/")),
    )
    pictures = storages["default"]
    names = [pictures.save(f"drill/{number}.jpg", ContentFile(b"a picture")) for number in range(100)]
    assert backup_at(NIGHT).files == 100

    def delete(count: int) -> None:
        for _ in range(count):
            pictures.delete(names.pop())

    delete(50)
    second = backup_at(NIGHT.replace(day=24))
    assert second.files == 50

    delete(41)
    before = backup_names(open_vault())
    with pytest.raises(CommandError) as refusal, time_machine.travel(NIGHT.replace(day=25), tick=False):
        call_command("backup")
    assert str(refusal.value).startswith(
        "The last backup has 50 files, and 9 are left. Is the folder of the pictures"
    )
    assert backup_names(open_vault()) == before == [second.name]
    assert last_backup(NIGHT.replace(day=26)) == second.made_at

    with time_machine.travel(NIGHT.replace(day=25), tick=False):
        call_command("backup", "--without-lost-files")
    assert backup_names(open_vault()) == ["2026-11-25T02-00-00Z"]
    # What was said once need not be said each night; nor are the pictures of one piece worth it.
    delete(9)
    assert backup_at(NIGHT.replace(day=26)).files == 0


def test_backup_to_another_place_says_nothing_about_the_shop_s_own(target: Path, tmp_path: Path) -> None:
    backup_at(NIGHT)
    with time_machine.travel(NIGHT.replace(day=25), tick=False):
        call_command("backup", "--to", str(tmp_path / "stick"))
    assert len(list((tmp_path / "stick/backups").glob("*.json.gz"))) == 1
    assert last_backup(NIGHT.replace(day=26)) == NIGHT


def test_backup_of_a_clock_that_ran_ahead_is_not_the_last_one(target: Path, tmp_path: Path) -> None:
    ahead = backup_at(NIGHT.replace(hour=5)).name
    assert last_backup(NIGHT) is None
    assert backup_is_late(NIGHT)

    true = backup_at(NIGHT).name
    assert backup_names(open_vault()) == [ahead, true]
    with time_machine.travel(NIGHT, tick=False):
        with pytest.raises(RestoreRefused) as refusal:
            fetch_archive(open_vault(), "", tmp_path)
        assert fetch_archive(open_vault(), ahead, tmp_path).name == ahead
    assert str(refusal.value) == (
        f"The backup {ahead} is dated in the future: this machine's clock is wrong, or its maker's was. "
        f"Name the one to take: {ahead}, {true} …"
    )


def test_list_that_was_cut_off_keeps_every_file_and_stops_no_backup(
    target: Path, picture: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    backup_at(NIGHT)
    path = target / "backups/2026-11-23T02-00-00Z.json.gz"
    path.write_bytes(path.read_bytes()[:40])
    before = set((target / "files").iterdir())
    storages["private"].delete(picture)

    assert backup_at(NIGHT.replace(day=24)).name == "2026-11-24T02-00-00Z"
    assert set((target / "files").iterdir()) == before
    assert "backups/2026-11-23T02-00-00Z.json.gz is not what was stored." in caplog.text
    with pytest.raises(DamagedError, match="is not what was stored"):
        fetch_archive(open_vault(), "2026-11-23T02-00-00Z", tmp_path)


def test_files_that_somebody_put_beside_the_backups_are_none(target: Path) -> None:
    backup_at(NIGHT)
    (target / "backups/copy of the list.json.gz").write_bytes(b"")
    backup_at(NIGHT.replace(day=24))
    assert backup_names(open_vault()) == ["2026-11-24T02-00-00Z", "2026-11-23T02-00-00Z"]


def test_file_whose_name_is_no_utf8_is_backed_up_under_it(target: Path, tmp_path: Path) -> None:
    folder = Path(storages["private"].path("old"))
    folder.mkdir(parents=True)
    path = os.fsencode(folder) + b"/caf\xe9.jpg"
    Path(os.fsdecode(path)).write_bytes(b"of years ago")
    try:
        backup_at(NIGHT)
    finally:
        shutil.rmtree(folder)
    archive = fetch_archive(open_vault(), "", tmp_path)
    assert restoring.bring_files_back(archive, open_vault(), tmp_path) == 1
    assert Path(os.fsdecode(path)).read_bytes() == b"of years ago"
    shutil.rmtree(folder)


def stored_at(target: Path, picture: str, work: Path) -> Path:
    """Where the target keeps a private file; others of the same content may be there."""
    files = fetch_archive(open_vault(), "", work).files
    (found,) = (file for file in files if (file.storage, file.name) == ("private", picture))
    return target / found.object_name


def test_file_that_the_target_lost_or_cut_off_is_told_and_stored_again(
    target: Path, picture: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    backup_at(NIGHT)
    call_command("restore", "--check")
    assert "Every file is there as it was stored." in capsys.readouterr().out
    path = stored_at(target, picture, tmp_path)
    for day, spoil in ((24, path.unlink), (25, lambda: path.write_bytes(b"a pic"))):
        spoil()
        with pytest.raises(CommandError, match=r"files are missing or damaged\."):
            call_command("restore", "--check")
        assert f"private: {picture}" in capsys.readouterr().err
        backup_at(NIGHT.replace(day=day))
        assert path.read_bytes() == b"a picture"


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


@pytest.mark.postgres
def test_second_backup_on_another_machine_is_refused(target: Path) -> None:
    elsewhere = connection.copy("elsewhere")
    try:
        with elsewhere.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [making._LOCK])
            with pytest.raises(BackupRefused, match="Another backup is under way, on another machine"):
                make_backup()
            cursor.execute("SELECT pg_advisory_unlock(%s)", [making._LOCK])
    finally:
        elsewhere.close()
        elsewhere.close_pool()
    # Nothing of the lock stays behind.
    backup_at(NIGHT)
    backup_at(NIGHT.replace(day=24))


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
