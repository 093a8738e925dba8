"""Where backups are stored: a folder, or a bucket of S3 compatible storage. What is named there is whole."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from shop.media_address import read_s3_url

DELETED_AT_ONCE = 1000


class TargetError(ValueError):
    """The address of a target is none. The text says what is wrong with it."""


class TargetAwayError(OSError):
    """The storage did not answer, or refused. The text says what, and nothing of a key."""


class Target(Protocol):
    """Objects by name, such as `backups/2026-11-23T02-00-00Z.tar`. Each appears whole or not at all."""

    place: str
    """Where it is: two addresses of one folder or bucket have the same."""

    def sizes(self, prefix: str) -> dict[str, int]:
        """Return the size of every object in a folder such as `backups/`."""

    def put(self, name: str, source: Path) -> None:
        """Store a file under a name; what had the name is replaced."""

    def fetch(self, name: str, destination: Path) -> None:
        """Raises FileNotFoundError."""

    def delete(self, names: Iterable[str]) -> None:
        """Raises OSError for the first that stays, after which others may stay as well."""

    def tidy(self, prefix: str) -> None:
        """Delete what writes to a folder that broke off have left. Nobody else may be writing there."""


def open_target(url: str) -> Target:
    """Return the target of a BACKUP_URL: a path, or `https://KEY:SECRET@host/bucket/folder?region=…`.

    Raises TargetError.
    """
    if not url.strip():
        raise TargetError("BACKUP_URL is not set.")
    wrong = TargetError("A target is a folder, or https://KEY:SECRET@host/bucket/folder.")
    try:
        parts = urlsplit(url)
        # What stands behind such a sign of a secret is read as a port, which is none.
        _ = parts.port
    except ValueError:
        raise wrong from None
    if parts.scheme in ("", "file"):
        # A path is what it says, with its spaces and signs; only an address of a file has others for them.
        folder = Path(unquote(parts.path) if parts.scheme else url.strip())
        if not folder.is_absolute():
            raise TargetError("A folder for backups is named by its whole path.")
        return FolderTarget(folder)
    bucket = parts.path.strip("/")
    # Or, where it is a number, as one; the host then stands in the path.
    if parts.scheme not in ("http", "https") or not parts.hostname or not bucket or "@" in bucket:
        raise wrong
    return S3Target(url)


class FolderTarget:
    """A folder, best of another disk. Files are written under another name, synced and renamed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.place = str(folder.resolve())

    def sizes(self, prefix: str) -> dict[str, int]:
        found = {}
        for path in (self.folder / prefix).rglob("*"):
            if path.is_file() and not path.name.endswith(".partial"):
                found[path.relative_to(self.folder).as_posix()] = path.stat().st_size
        return found

    def put(self, name: str, source: Path) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{path.name}.partial")
        try:
            with source.open("rb") as reading, partial.open("wb") as writing:
                shutil.copyfileobj(reading, writing, 1 << 20)
                writing.flush()
                os.fsync(writing.fileno())
            partial.replace(path)
        except OSError as error:
            # A full disk would stay full of it.
            with suppress(OSError):
                partial.unlink(missing_ok=True)
            # The shop's own disk may be the full one as well.
            raise OSError(error.errno, error.strerror, str(path)) from error
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def fetch(self, name: str, destination: Path) -> None:
        shutil.copyfile(self.folder / name, destination)

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            (self.folder / name).unlink(missing_ok=True)

    def tidy(self, prefix: str) -> None:
        for path in (self.folder / prefix).rglob("*.partial"):
            path.unlink(missing_ok=True)


class S3Target:
    """A bucket of S3 compatible storage. An upload appears when its last part has come."""

    def __init__(self, url: str) -> None:
        self._address = read_s3_url(url)
        self._bucket, _slash, folder = self._address.bucket.partition("/")
        self._prefix = f"{folder.strip('/')}/" if folder.strip("/") else ""
        self.place = f"{self._address.endpoint}/{self._bucket}/{self._prefix}"

    @cached_property
    def _client(self) -> Any:
        import boto3
        from botocore.config import Config

        address = self._address
        return boto3.client(
            "s3",
            endpoint_url=address.endpoint,
            aws_access_key_id=address.key or None,
            aws_secret_access_key=address.secret or None,
            region_name=address.region,
            # Not every storage but Amazon's knows the newer checksums.
            config=Config(
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
                connect_timeout=10,
                read_timeout=60,
                retries={"max_attempts": 5, "mode": "standard"},
                s3={"addressing_style": "path"},
            ),
        )

    def sizes(self, prefix: str) -> dict[str, int]:
        with self._answering():
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self._bucket, Prefix=self._prefix + prefix
            )
            return {
                found["Key"].removeprefix(self._prefix): found["Size"]
                for page in pages
                for found in page.get("Contents", [])
            }

    def put(self, name: str, source: Path) -> None:
        with self._answering():
            self._client.upload_file(str(source), self._bucket, self._prefix + name)

    def fetch(self, name: str, destination: Path) -> None:
        from botocore.exceptions import ClientError

        with self._answering():
            try:
                self._client.download_file(self._bucket, self._prefix + name, str(destination))
            except ClientError as error:
                if error.response["Error"]["Code"] in ("404", "NoSuchKey"):
                    raise FileNotFoundError(name) from error
                raise

    def delete(self, names: Iterable[str]) -> None:
        keys = [{"Key": self._prefix + name} for name in names]
        with self._answering():
            for start in range(0, len(keys), DELETED_AT_ONCE):
                answer = self._client.delete_objects(
                    Bucket=self._bucket,
                    Delete={"Objects": keys[start : start + DELETED_AT_ONCE], "Quiet": True},
                )
                # Told in an answer that is a 200: a list that stays must not lose the archive that it names.
                for kept in answer.get("Errors", ()):
                    raise TargetAwayError(
                        f"{self._address.endpoint}: {kept['Key']} was not deleted: {kept['Code']}"
                    )

    def tidy(self, prefix: str) -> None:
        """Parts of uploads that broke off are in no list of objects, and are paid for."""
        # A key that may not look for them is no reason to make no backup.
        with suppress(TargetAwayError), self._answering():
            found = self._client.list_multipart_uploads(Bucket=self._bucket, Prefix=self._prefix + prefix)
            for upload in found.get("Uploads", []):
                self._client.abort_multipart_upload(
                    Bucket=self._bucket, Key=upload["Key"], UploadId=upload["UploadId"]
                )

    @contextmanager
    def _answering(self) -> Iterator[None]:
        """Raises TargetAwayError for what the storage's library raises."""
        from boto3.exceptions import Boto3Error
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            yield
        except (Boto3Error, BotoCoreError, ClientError) as error:
            raise TargetAwayError(f"{self._address.endpoint}: {error}") from error
