"""A backup is whole or is none, and holds no secret."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
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
from django.db.migrations.recorder import MigrationRecorder

from shop.backups import making, restoring
from shop.backups.making import BackupRefused, backup_names, make_backup
from shop.backups.models import Backup
from shop.backups.restoring import RestoreRefused, fetch_archive
from shop.backups.selectors import backup_is_late, last_backup
from shop.backups.snapshot import snapshot
from shop.backups.stored_files import DamagedError
from shop.backups.tests.nights import NIGHT, backup_at, stored_at
from shop.backups.vault import Vault, open_vault
from shop.core.models import ScheduledJob

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("few_tables")]


def test_backup_names_secrets_and_contains_none(
    target: Path, picture: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STRIPE_SECRET_KEY", "sk_live_of_the_shop")
    monkeypatch.setenv("ALERT_EMAIL_URL", "smtp://shop:of-the-alerts@mail.example")
    SessionStore().create()
    backup = backup_at(NIGHT)

    assert (backup.name, last_backup(NIGHT)) == ("2026-11-23T02-00-00Z", NIGHT)
    archive = fetch_archive(open_vault(), "", tmp_path)
    assert {"STRIPE_SECRET_KEY", "ALERT_EMAIL_URL"} <= set(archive.manifest["secrets"])
    stored = b"".join(path.read_bytes() for path in target.rglob("*") if path.is_file())
    for secret in (b"sk_live_of_the_shop", b"of-the-alerts", shop_settings.SECRET_KEY.encode()):
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
        name for name in os.listdir(shop_settings.DATA_DIR) if name.startswith(("backup.work", "record.work"))
    ] == []


def test_record_of_a_process_that_was_killed_goes_with_the_next_one(target: Path) -> None:
    work = shop_settings.DATA_DIR / "record.work"
    work.mkdir()
    (work / "record.json").write_text("{}")
    open_vault().put_record("issued-invoices", {"2026": 5})
    assert [name for name in os.listdir(shop_settings.DATA_DIR) if name.startswith("record")] == [
        "record.lock"
    ]


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
        lambda *of, **how: (file for file in store(*of, **how) if file.name.startswith("drill/")),
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


def test_first_backup_of_a_restored_shop_leaves_the_one_that_it_was_brought_back_from(target: Path) -> None:
    older, newest = backup_at(NIGHT.replace(day=22)), backup_at(NIGHT)
    # Brought back was the older one, which is not in itself either.
    Backup.objects.all().delete()
    first = backup_at(NIGHT.replace(hour=9))
    names = [first.name, newest.name, older.name]
    assert backup_names(open_vault()) == names
    for day in (24, 25, 26, 27, 28, 29):
        names.insert(0, backup_at(NIGHT.replace(day=day)).name)
    assert backup_names(open_vault()) == names
    backup_at(NIGHT.replace(day=30))
    assert newest.name not in backup_names(open_vault())


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


def test_backup_of_a_database_that_is_migrated_meanwhile_is_refused(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = MigrationRecorder(connection)

    @contextmanager
    def copied_before(work: Path) -> Iterator[str]:
        recorder.record_unapplied("backups", "0001_initial")
        with snapshot(work) as alias:
            recorder.record_applied("backups", "0001_initial")
            yield alias

    monkeypatch.setattr(making, "snapshot", copied_before)
    with pytest.raises(BackupRefused, match=r"waits for `manage\.py migrate`"):
        backup_at(NIGHT)
    assert backup_names(open_vault()) == []


def test_list_that_was_cut_off_keeps_everything_and_stops_no_backup(
    target: Path, picture: str, settings: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings.BACKUP_DAYS, settings.BACKUP_WEEKS, settings.BACKUP_MONTHS = 2, 0, 0
    backup_at(NIGHT.replace(day=22))
    backup_at(NIGHT)
    path = target / "backups/2026-11-23T02-00-00Z.json.gz"
    path.write_bytes(path.read_bytes()[:40])
    before = set((target / "files").iterdir())
    storages["private"].delete(picture)

    assert backup_at(NIGHT.replace(day=24)).name == "2026-11-24T02-00-00Z"
    assert set((target / "files").iterdir()) == before
    # The last but one that can be read is not let go for it.
    names = [f"2026-11-{day}T02-00-00Z" for day in (24, 23, 22)]
    assert backup_names(open_vault()) == names == list(Backup.objects.values_list("name", flat=True))
    assert fetch_archive(open_vault(), names[2], tmp_path).made_at == NIGHT.replace(day=22)
    assert f"backups/{names[1]}.json.gz is not what was stored. Nothing is deleted" in caplog.text
    with pytest.raises(DamagedError, match="is not what was stored"):
        fetch_archive(open_vault(), names[1], tmp_path)

    path.unlink()
    backup_at(NIGHT.replace(day=25))
    assert backup_names(open_vault()) == ["2026-11-25T02-00-00Z", "2026-11-24T02-00-00Z"]


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


@pytest.mark.postgres
def test_table_that_a_migration_writes_anew_meanwhile_is_not_empty_in_the_backup(
    target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ScheduledJob.objects.create(name="a job")
    migration = connection.copy("migration")

    @contextmanager
    def snapshot_before(work: Path) -> Iterator[str]:
        with snapshot(work) as alias, connection.cursor() as reader, migration.cursor() as cursor:
            # What a backup reads first is of which migrations there are.
            reader.execute("SELECT FROM django_migrations")
            cursor.execute("SET lock_timeout = 100")
            with pytest.raises(OperationalError, match="lock timeout"):
                cursor.execute("ALTER TABLE core_scheduledjob ALTER last_error TYPE varchar(9999)")
            yield alias

    monkeypatch.setattr(making, "snapshot", snapshot_before)
    try:
        backup_at(NIGHT)
    finally:
        migration.close()
        migration.close_pool()
    tables = fetch_archive(open_vault(), "", tmp_path).manifest["tables"]
    assert {table["model"]: table["rows"] for table in tables}["core.ScheduledJob"] == 1


@pytest.mark.postgres
def test_backup_that_lost_its_lock_meanwhile_is_not_listed(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, put = connection.copy("server"), Vault.put

    def restart_after(vault: Vault, name: str, source: Path) -> str:
        stored = put(vault, name, source)
        if name.endswith(".tar"):
            with server.cursor() as cursor:
                process = connection.connection.info.backend_pid
                cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [process])
        return stored

    try:
        with monkeypatch.context() as restarted:
            restarted.setattr(Vault, "put", restart_after)
            with pytest.raises(OperationalError):
                backup_at(NIGHT)
    finally:
        server.close()
        server.close_pool()
        connection.close()
    assert backup_names(open_vault()) == []
    assert backup_at(NIGHT).name == "2026-11-23T02-00-00Z"


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
