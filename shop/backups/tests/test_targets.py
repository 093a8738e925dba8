"""Folders and buckets hold what is whole, under its name."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO

import boto3
import pytest
from moto.server import ThreadedMotoServer

from shop.backups import targets
from shop.backups.targets import (
    FolderTarget,
    S3Target,
    Target,
    TargetAwayError,
    TargetError,
    open_target,
)


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """The address of a folder in a bucket of a real S3 server."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _host, port = server.get_host_and_port()
    boto3.client(
        "s3",
        endpoint_url=f"http://127.0.0.1:{port}",
        aws_access_key_id="KEY",
        aws_secret_access_key="a/secret",
        region_name="us-east-1",
    ).create_bucket(Bucket="shop")
    yield f"http://KEY:a%2Fsecret@127.0.0.1:{port}/shop/backups-of-the-shop"
    server.stop()


@pytest.fixture(params=["folder", "bucket"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Target:
    if request.param == "folder":
        return open_target(str(tmp_path / "target"))
    return open_target(request.getfixturevalue("bucket"))


def test_target_gives_back_what_it_was_given_until_it_is_deleted(target: Target, tmp_path: Path) -> None:
    source, back = tmp_path / "source", tmp_path / "back"
    # More than one part of an upload.
    content = os.urandom(9 << 20)
    source.write_bytes(content)
    target.put("backups/a.tar", source)
    source.write_bytes(b"small")
    target.put("files/b", source)
    target.put("files/c", source)

    target.fetch("backups/a.tar", back)
    assert back.read_bytes() == content
    assert target.sizes("files/") == {"files/b": 5, "files/c": 5}
    assert target.sizes("backups/") == {"backups/a.tar": len(content)}

    target.delete(["files/b", "backups/a.tar", "files/never-there"])
    assert target.sizes("files/") == {"files/c": 5}
    with pytest.raises(FileNotFoundError):
        target.fetch("files/b", back)


def test_folder_with_a_write_that_broke_off_does_not_name_it(tmp_path: Path) -> None:
    target = FolderTarget(tmp_path)
    (tmp_path / "backups").mkdir()
    (tmp_path / "backups" / "a.tar.partial").write_bytes(b"half")
    assert target.sizes("backups/") == {}


def test_folder_is_the_path_that_was_typed(tmp_path: Path) -> None:
    (tmp_path / "source").write_bytes(b"rows")
    folder = tmp_path / "Disque n°1 #2 100%25 été?"
    open_target(str(folder)).put("backups/a.tar", tmp_path / "source")
    assert (folder / "backups/a.tar").read_bytes() == b"rows"


def test_folder_whose_disk_is_full_is_not_full_of_half_a_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(reading: object, writing: BinaryIO, size: int) -> None:
        writing.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "source").write_bytes(b"rows")
    monkeypatch.setattr(targets.shutil, "copyfileobj", fill)
    with pytest.raises(OSError, match=r"No space left on device: '/.*/backups/a\.tar'$"):
        FolderTarget(tmp_path).put("backups/a.tar", tmp_path / "source")
    assert list((tmp_path / "backups").iterdir()) == []


def test_parts_of_an_upload_that_was_killed_are_deleted(bucket: str) -> None:
    storage = open_target(bucket)
    assert isinstance(storage, S3Target)
    client = storage._client
    for name in ("backups/a.tar", "other/b"):
        client.create_multipart_upload(Bucket="shop", Key=f"backups-of-the-shop/{name}")
    storage.tidy("backups/")
    left = client.list_multipart_uploads(Bucket="shop")["Uploads"]
    assert [upload["Key"] for upload in left] == ["backups-of-the-shop/other/b"]


def test_object_that_a_bucket_refuses_to_delete_is_told() -> None:
    storage = S3Target("http://KEY:SECRET@127.0.0.1:9/shop")
    refusal = {"Errors": [{"Key": "backups/a.json.gz", "Code": "AccessDenied", "Message": "no"}]}
    storage.__dict__["_client"] = SimpleNamespace(delete_objects=lambda **_: refusal)
    with pytest.raises(
        TargetAwayError, match=r"^http://127\.0\.0\.1:9: backups/a\.json\.gz was not deleted: AccessDenied$"
    ):
        storage.delete(["backups/a.json.gz"])


def test_storage_that_fails_is_told_in_a_sentence_without_its_key(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    settings.BACKUP_URL = "http://KEY:a%2Fsecret@127.0.0.1:9/shop/backups"
    storage = S3Target(settings.BACKUP_URL)
    (tmp_path / "source").write_bytes(b"rows")
    calls: list[Callable[[], object]] = [
        lambda: storage.sizes("backups/"),
        lambda: storage.put("backups/a.tar", tmp_path / "source"),
        lambda: storage.fetch("backups/a.tar", tmp_path / "back"),
        lambda: storage.delete(["backups/a.tar"]),
    ]
    for call in calls:
        with pytest.raises(TargetAwayError, match=r"^http://127\.0\.0\.1:9: ") as told:
            call()
        assert "secret" not in str(told.value)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "BACKUP_URL is not set."),
        ("relative/folder", "A folder for backups is named by its whole path."),
        ("ftp://host/bucket", "A target is a folder, or https://KEY:SECRET@host/bucket/folder."),
        ("https://KEY:SECRET@host", "A target is a folder, or https://KEY:SECRET@host/bucket/folder."),
    ],
)
def test_open_target_with_an_address_that_is_none_says_what_is_wrong(url: str, words: str) -> None:
    with pytest.raises(TargetError) as refusal:
        open_target(url)
    assert str(refusal.value) == words


def test_open_target_by_https_is_a_bucket() -> None:
    assert isinstance(open_target("https://KEY:SECRET@s3.example.com/bucket"), S3Target)
