"""What is stored is encrypted for whoever has the key, and for nobody else."""

from __future__ import annotations

import os
from io import StringIO
from pathlib import Path
from typing import Any

import pyrage
import pytest
from django.core.management import CommandError, call_command

from shop.backups.tests.nights import NIGHT, backup_at
from shop.backups.vault import BackupKeyError, open_vault


def test_vault_with_a_recipient_stores_nothing_in_clear(
    target: Path, secret_key: Path, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    source.write_bytes(b"lea@example.com " * 1000)
    assert open_vault().put("backups/a.tar", source) == "backups/a.tar.age"
    assert b"lea@example.com" not in (target / "backups/a.tar.age").read_bytes()

    open_vault(identity_files=[secret_key]).fetch("backups/a.tar.age", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == source.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["back", "key.txt", "source", "target"]


def test_vault_without_the_key_says_which_option_names_it(
    target: Path, secret_key: Path, tmp_path: Path
) -> None:
    open_vault().put_record("issued-invoices", {"2026": 12})
    with pytest.raises(BackupKeyError) as refusal:
        open_vault().fetch_record("issued-invoices")
    assert str(refusal.value) == "The backup is encrypted: name the file of its secret key with --identity."
    assert open_vault(identity_files=[secret_key]).fetch_record("issued-invoices") == {"2026": 12}


def test_vault_with_another_key_does_not_open(target: Path, secret_key: Path, tmp_path: Path) -> None:
    open_vault().put_record("issued-invoices", {"2026": 12})
    secret_key.write_text(str(pyrage.x25519.Identity.generate()))
    with pytest.raises(BackupKeyError, match="this key does not open it, or it is damaged"):
        open_vault(identity_files=[secret_key]).fetch_record("issued-invoices")


def test_vault_with_a_secret_key_for_a_recipient_refuses(target: Path, settings: Any) -> None:
    settings.BACKUP_RECIPIENTS = [str(pyrage.x25519.Identity.generate())]
    with pytest.raises(BackupKeyError) as refusal:
        open_vault()
    assert str(refusal.value) == "BACKUP_RECIPIENTS: a public key begins with age1."


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("few_tables")
def test_backup_after_a_change_of_keys_opens_with_the_new_one_alone(
    target: Path, secret_key: Path, picture: str, settings: Any, tmp_path: Path
) -> None:
    first = backup_at(NIGHT)
    new = pyrage.x25519.Identity.generate()
    new_key = tmp_path / "new.txt"
    new_key.write_text(str(new))
    settings.BACKUP_RECIPIENTS = [str(new.to_public())]
    second = backup_at(NIGHT.replace(day=24))
    stored = {path: path.stat().st_mtime_ns for path in (target / "files").iterdir()}
    # Once is enough.
    third = backup_at(NIGHT.replace(day=25))
    assert {path: path.stat().st_mtime_ns for path in (target / "files").iterdir()} == stored

    for name in (second.name, third.name):
        call_command("restore", name, "--check", "--identity", str(new_key), stdout=StringIO())
    with pytest.raises(CommandError, match="this key does not open it"):
        call_command("restore", first.name, "--check", "--identity", str(new_key))
    both = ["--identity", str(secret_key), "--identity", str(new_key)]
    call_command("restore", first.name, "--check", *both, stdout=StringIO())


def test_record_that_was_never_stored_is_none(target: Path) -> None:
    assert open_vault().fetch_record("issued-invoices") is None


def test_record_is_the_one_of_the_time_with_a_key_or_of_the_time_without(
    target: Path, secret_key: Path, settings: Any
) -> None:
    recipients, settings.BACKUP_RECIPIENTS = settings.BACKUP_RECIPIENTS, []
    open_vault().put_record("issued-invoices", {"2026": 5})
    settings.BACKUP_RECIPIENTS = recipients
    open_vault().put_record("issued-invoices", {"2026": 9})
    # A number that was sent after the first key would be given again.
    assert [path.name for path in (target / "records").iterdir()] == ["issued-invoices.json.age"]
    settings.BACKUP_RECIPIENTS = []
    open_vault().put_record("issued-invoices", {"2026": 12})
    assert open_vault().fetch_record("issued-invoices") == {"2026": 12}


@pytest.mark.parametrize("length", [0, 50, 400, 100_000])
def test_object_that_was_cut_off_is_named(
    target: Path, secret_key: Path, tmp_path: Path, length: int
) -> None:
    (tmp_path / "source").write_bytes(os.urandom(200_000))
    open_vault().put("backups/a.tar", tmp_path / "source")
    os.truncate(target / "backups/a.tar.age", length)
    with pytest.raises(
        BackupKeyError, match=r"^backups/a\.tar\.age: this key does not open it, or it is damaged\.$"
    ):
        open_vault(identity_files=[secret_key]).fetch("backups/a.tar.age", tmp_path / "back")


def test_file_without_a_key_is_named(target: Path, tmp_path: Path) -> None:
    path = tmp_path / "key.txt"
    with pytest.raises(BackupKeyError) as refusal:
        open_vault(identity_files=[path])
    assert (
        str(refusal.value) == f"The file of the secret key can't be read: {path} (No such file or directory)."
    )
    path.write_text("# public key: age1…\n")
    with pytest.raises(BackupKeyError) as refusal:
        open_vault(identity_files=[path])
    assert str(refusal.value) == f"{path} has no secret key: one begins with AGE-SECRET-KEY-1."


def test_file_that_is_no_key_is_refused(target: Path, tmp_path: Path) -> None:
    path = tmp_path / "key.txt"
    for content in (b"AGE-SECRET-KEY-2", b"\xe9\xff"):
        path.write_bytes(content)
        with pytest.raises(BackupKeyError, match="a secret key begins with AGE-SECRET-KEY-1"):
            open_vault(identity_files=[path])
