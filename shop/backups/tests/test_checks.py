"""A backup that could not be made is told before the night."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shop.backups.checks import check_backup_is_set, check_backup_settings

NO_TARGET = "Nothing can be backed up: A target is a folder, or https://KEY:SECRET@host/bucket/folder."


@pytest.mark.parametrize(
    ("url", "recipients", "words"),
    [
        ("", [], []),
        ("/srv/shop-backup", [], []),
        ("s3://KEY:SECRET@bucket", [], ["Nothing can be backed up: A target is a folder, or https://"]),
        ("backups", [], ["Nothing can be backed up: A folder for backups is named by its whole path."]),
        ("https://KEY:SEC/RET@s3.example.com/shop", [], [NO_TARGET]),
        ("https://KEY:12/RET@s3.example.com/shop", [], [NO_TARGET]),
        ("https://KEY:S#RET@s3.example.com/shop", [], [NO_TARGET]),
        ("https://KEY:S[RET@s3.example.com/shop", [], [NO_TARGET]),
        ("/srv/b", ["ssh-ed25519 AAAA"], ["Nothing can be backed up: BACKUP_RECIPIENTS: a public key"]),
    ],
)
def test_target_or_key_that_is_none_stops_the_start(
    settings: Any, url: str, recipients: list[str], words: list[str]
) -> None:
    settings.BACKUP_URL, settings.BACKUP_RECIPIENTS = url, recipients
    messages = check_backup_settings()
    found = [message.msg for message in messages]
    assert len(found) == len(words)
    assert all(message.startswith(begin) for message, begin in zip(found, words, strict=True))
    # The hint says how a secret is written, and nothing repeats the one that was typed.
    assert all("in a secret / is written %2F" in message.hint for message in messages)


def test_server_without_backups_of_another_disk_or_key_is_warned(
    settings: Any, secret_key: Path, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    settings.DEBUG = True
    assert check_backup_is_set() == []
    settings.DEBUG, recipients = False, settings.BACKUP_RECIPIENTS
    for url, keys, expected in (
        ("", recipients, ["shop.W051"]),
        ("/srv/shop-backup", [], ["shop.W052"]),
        (str(tmp_path / "made" / "tonight"), recipients, ["shop.I053"]),
        ("https://KEY:SECRET@s3.example.com/bucket/shop", recipients, []),
        ("backups", recipients, []),
        # A file system of its own wherever tests run.
        ("/dev/shop-backup", recipients, []),
    ):
        settings.BACKUP_URL, settings.BACKUP_RECIPIENTS = url, keys
        assert [message.id for message in check_backup_is_set()] == expected
