"""The shop's files: public media and what visitors send, in whatever storage they are.

A file never changes under its name, so it is stored once and shared by the backups that have it. The name of its object
says which file it is, and the SHA-256 of its content.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from django.core.files import File
from django.core.files.storage import Storage, storages

from shop.backups.vault import BackupKeyError, Vault

STORAGES = ("default", "private")
# Archives of personal data that somebody asked for are deleted within days, here and everywhere.
LEFT_OUT = {"private": ("exports/",)}
PREFIX = "files/"
_PIECE = 1 << 20


class DamagedError(ValueError):
    """Something is not what the backup says it is."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a storage, and the object that holds it at the target."""

    storage: str
    name: str
    size: int
    sha256: str
    object_name: str


def store_files(vault: Vault, work: Path, *, anew: bool) -> Iterator[StoredFile]:
    """Store the files that the target does not have, with `anew` all of them, and yield each that the shop has.

    A file that is deleted meanwhile is left out.
    """
    there = vault.target.sizes(PREFIX)
    known = {
        name.removeprefix(PREFIX).partition("-")[0]: name
        for name in there
        if not anew and name.endswith(vault.ending) and name.count(".") == vault.ending.count(".")
    }
    for storage_name in STORAGES:
        storage = storages[storage_name]
        for name in _names(storage, LEFT_OUT.get(storage_name, ())):
            try:
                size = storage.size(name)
                identity = f"{storage_name}:{name}:{size}".encode("utf-8", "surrogateescape")
                key = hashlib.sha256(identity).hexdigest()[:32]
                stored = known.get(key, "")
                # One that was cut off at the target is stored again.
                if not stored or there[stored] < size:
                    stored = _store(vault, storage, name, key, work)
            except FileNotFoundError:
                continue
            digest = stored.removeprefix(PREFIX).partition("-")[2].partition(".")[0]
            yield StoredFile(storage_name, name, size, digest, stored)


def bring_back(vault: Vault, file: StoredFile, work: Path) -> bool:
    """Write a file into its storage; False when it is there already. Raises DamagedError and OSError."""
    storage = storages[file.storage]
    there = storage.exists(file.name)
    if there and storage.size(file.name) < file.size:
        # Cut short by a restore that was killed, or by a full disk.
        storage.delete(file.name)
        there = False
    if there:
        with closing(storage.open(file.name)) as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() != file.sha256:
                raise DamagedError(f"{file.storage}: {file.name} is there with another content.")
        return False
    with fetched(vault, file, work) as stream:
        written = storage.save(file.name, File(stream))
    if written != file.name:
        raise DamagedError(f"{file.storage}: {file.name} could not be written under its name.")
    return True


@contextmanager
def fetched(vault: Vault, file: StoredFile, work: Path) -> Iterator[BinaryIO]:
    """A file of a backup, fetched and as it was stored. Raises DamagedError, and OSError of the target."""
    path = work / "file"
    words = f"{file.storage}: {file.name} ({file.object_name})"
    try:
        try:
            vault.fetch(file.object_name, path)
        except FileNotFoundError as error:
            raise DamagedError(f"{words} is missing at the target.") from error
        except BackupKeyError as error:
            raise DamagedError(f"{words} is damaged, or this key does not open it.") from error
        with path.open("rb") as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() != file.sha256:
                raise DamagedError(f"{words} is not what was stored.")
            stream.seek(0)
            yield stream
    finally:
        path.unlink(missing_ok=True)


def _names(storage: Storage, left_out: tuple[str, ...], folder: str = "") -> Iterator[str]:
    try:
        folders, files = storage.listdir(folder)
    except FileNotFoundError:
        return
    for name in sorted(files):
        if not f"{folder}{name}".startswith(left_out or ("\0",)):
            yield f"{folder}{name}"
    for name in sorted(folders):
        if not f"{folder}{name}/".startswith(left_out or ("\0",)):
            yield from _names(storage, left_out, f"{folder}{name}/")


def _store(vault: Vault, storage: Storage, name: str, key: str, work: Path) -> str:
    """Copy a file and store it under its digest. Raises FileNotFoundError."""
    path, digest = work / "file", hashlib.sha256()
    try:
        with closing(storage.open(name)) as stream, path.open("wb") as copy:
            for piece in stream.chunks(_PIECE):
                digest.update(piece)
                copy.write(piece)
        return vault.put(f"{PREFIX}{key}-{digest.hexdigest()}", path)
    finally:
        path.unlink(missing_ok=True)
