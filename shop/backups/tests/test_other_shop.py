"""Two shops with one BACKUP_URL: the rotation of each would delete the other's backups."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command

from shop.backups.making import BackupRefused, backup_names, store_record
from shop.backups.models import Backup
from shop.backups.selectors import RESTORED_PULSE, last_backup
from shop.backups.tests.nights import NIGHT, backup_at
from shop.backups.vault import open_vault
from shop.core.jobs import note_pulse
from shop.core.models import ScheduledJob

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("few_tables")]

WORDS = (
    "The last backup there is of another shop, https://first.example: each would delete the other's. Give this one a "
    "place of its own. If it is the same shop, whose SITE_URL was that: manage.py backup --new-target."
)


@pytest.fixture
def other(target: Path, settings: Any) -> str:
    """The name of a backup of another shop, which is at the target."""
    settings.SITE_URL = "https://first.example"
    name = backup_at(NIGHT).name
    Backup.objects.all().delete()
    settings.SITE_URL = "https://second.example"
    return name


def test_second_shop_is_refused_at_its_first_backup_and_deletes_nothing(other: str, target: Path) -> None:
    before = sorted(path.name for path in target.rglob("*"))
    with pytest.raises(CommandError) as refusal:
        call_command("backup")
    assert str(refusal.value) == WORDS
    with pytest.raises(CommandError) as refusal:
        call_command("backup", "--to", f"{target}/")
    assert str(refusal.value) == WORDS
    assert sorted(path.name for path in target.rglob("*")) == before
    assert not Backup.objects.exists()


def test_second_shop_does_not_write_its_numbers_over_the_other_s(other: str) -> None:
    open_vault().put_record("issued-invoices", {"2026": 123})
    with pytest.raises(BackupRefused) as refusal:
        store_record("issued-invoices", {"2026": 5})
    assert str(refusal.value) == WORDS
    assert open_vault().fetch_record("issued-invoices") == {"2026": 123}


def test_shop_that_has_another_address_says_so_once(other: str, settings: Any) -> None:
    with time_machine.travel(NIGHT.replace(hour=9), tick=False):
        call_command("backup", "--new-target")
    store_record("issued-invoices", {"2026": 5})
    backup_at(NIGHT.replace(day=24))
    # Whoever was there first finds out as well.
    settings.SITE_URL = "https://first.example"
    with pytest.raises(BackupRefused, match=r"of another shop, https://second\.example:"):
        backup_at(NIGHT.replace(day=25))


def test_backup_of_a_version_that_did_not_say_whose_it_is_is_the_shop_s(other: str, target: Path) -> None:
    path = target / f"backups/{other}.json.gz"
    listed = json.loads(gzip.decompress(path.read_bytes()))
    assert listed.pop("site") == "https://first.example"
    path.write_bytes(gzip.compress(json.dumps(listed).encode()))
    newer = backup_at(NIGHT.replace(hour=9)).name
    assert backup_names(open_vault()) == [newer, other]


@pytest.fixture
def copied(target: Path) -> str:
    """The name of a backup that a copy of this shop's database has made since."""
    backup_at(NIGHT)
    listed = ScheduledJob.objects.get(name="backup-listed")
    name = backup_at(NIGHT.replace(day=24)).name
    Backup.objects.filter(name=name).delete()
    ScheduledJob.objects.filter(pk=listed.pk).update(last_finished_at=listed.last_finished_at)
    return name


def test_copy_with_the_same_address_is_told_from_the_shop(copied: str, target: Path) -> None:
    before = sorted(path.name for path in target.rglob("*"))
    words = f"The newest backup there, {copied}, was not made from this database"
    with pytest.raises(BackupRefused, match=words):
        backup_at(NIGHT.replace(day=25))
    with pytest.raises(BackupRefused, match=words):
        store_record("issued-invoices", {"2026": 5})
    assert sorted(path.name for path in target.rglob("*")) == before
    with time_machine.travel(NIGHT.replace(day=25), tick=False):
        call_command("backup", "--new-target")
    newest = backup_at(NIGHT.replace(day=26)).name
    assert backup_names(open_vault())[0] == newest


def test_restored_shop_knows_the_backup_that_it_came_from(copied: str) -> None:
    with time_machine.travel(NIGHT.replace(day=24, hour=9), tick=False):
        note_pulse(RESTORED_PULSE)
    assert backup_at(NIGHT.replace(day=25)).name == backup_names(open_vault())[0]


def test_backup_that_broke_off_behind_its_list_is_the_shop_s(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup_at(NIGHT)
    with monkeypatch.context() as patch:
        patch.setattr(Backup, "save", lambda _row: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            backup_at(NIGHT.replace(day=24))
    assert len(backup_names(open_vault())) == 2
    assert backup_at(NIGHT.replace(day=25)).name == backup_names(open_vault())[0]


def test_backup_to_the_shop_s_own_place_by_another_address_is_the_shop_s(
    target: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(target)
    for day, address in ((24, f"{target}/"), (25, f"file://{target}"), (26, str(tmp_path / "link"))):
        with time_machine.travel(NIGHT.replace(day=day), tick=False):
            call_command("backup", "--to", address)
        assert last_backup(NIGHT.replace(day=day)) == NIGHT.replace(day=day)
    assert backup_at(NIGHT.replace(day=27)).name == backup_names(open_vault())[0]
