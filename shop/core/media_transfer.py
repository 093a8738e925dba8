"""Copies media from the folders of this machine to S3 storage, or back, file by file and verified."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from django.conf import settings
from django.core.files.storage import Storage
from django.core.files.storage.handler import StorageHandler

# Each call of a storage mostly waits.
_AT_ONCE = 8
_BLOCK = 256 * 1024


@dataclass(slots=True)
class Transfer:
    """What a run did: files copied, files that were there already, and those whose copy differs, by name."""

    copied: int = 0
    present: int = 0
    wrong: list[str] = field(default_factory=list)


def storage_pairs(*, to_s3: bool) -> list[tuple[Storage, Storage]]:
    """The storages that are read and written: public media, then private files."""
    # The stubs describe what a handler gives, not what it is made from.
    folders = StorageHandler(settings.FOLDER_STORAGES)  # type: ignore[arg-type]
    buckets = StorageHandler(settings.S3_STORAGES)  # type: ignore[arg-type]
    pairs = [(folders[name], buckets[name]) for name in ("default", "private")]
    return pairs if to_s3 else [(bucket, folder) for folder, bucket in pairs]


def transfer_files(source: Storage, target: Storage, *, said: Callable[[int], None]) -> Transfer:
    """Copy what `target` lacks; safe to repeat and to interrupt. Raises OSError when a storage does not answer.

    Each file is read back and compared by its SHA-256. Nothing is deleted. `said` is told how many files are done.
    """
    done = Transfer()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for number, (name, outcome) in enumerate(
            pool.map(lambda name: (name, _transfer(name, source, target)), file_names(source)), start=1
        ):
            if outcome == "wrong":
                done.wrong.append(name)
            elif outcome == "copied":
                done.copied += 1
            else:
                done.present += 1
            if number % 500 == 0:
                said(number)
    return done


def file_names(storage: Storage, folder: str = "") -> Iterator[str]:
    """Every file of a storage, by its name there."""
    try:
        folders, files = storage.listdir(folder)
    except FileNotFoundError:
        return
    prefix = f"{folder}/" if folder else ""
    yield from (prefix + name for name in files if name)
    for name in folders:
        yield from file_names(storage, prefix + name)


def _transfer(name: str, source: Storage, target: Storage) -> str:
    digest = _digest(source, name)
    if digest is None:
        # Deleted since it was listed.
        return "present"
    if _digest(target, name) == digest:
        return "present"
    target.delete(name)
    with source.open(name) as file:
        target.save(name, file)
    return "copied" if _digest(target, name) == digest else "wrong"


def _digest(storage: Storage, name: str) -> str | None:
    try:
        with storage.open(name) as file:
            found = hashlib.sha256()
            for block in file.chunks(_BLOCK):
                found.update(block)
            return found.hexdigest()
    except FileNotFoundError:
        return None
