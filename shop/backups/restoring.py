"""Bringing a backup back into an empty machine, on either engine."""

from __future__ import annotations

import gzip
import hashlib
import json
import tarfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from shop.backups import rows
from shop.backups.making import FORMAT, MANIFEST, backup_names, made_at_of, read_list, secret_key_check
from shop.backups.stored_files import PREFIX, DamagedError, StoredFile, bring_back, fetched
from shop.backups.vault import Vault

Say = Callable[[str], object]
WITHOUT_THEM = "With --without-lost-files everything else is brought back, and each of them is named."


class RestoreRefused(Exception):
    """Nothing was changed. The text says why."""


@dataclass(frozen=True, slots=True)
class Archive:
    """A backup that was fetched and whose sums fit: its manifest, and where its tables are."""

    name: str
    manifest: dict[str, Any]
    path: Path

    @property
    def made_at(self) -> datetime:
        return datetime.fromisoformat(self.manifest["made_at"])

    @property
    def files(self) -> list[StoredFile]:
        return [StoredFile(**values) for values in self.manifest["files"]]

    @property
    def has_other_secret(self) -> bool:
        """Whether the machine has another SECRET_KEY: what is encrypted in the database can't be read then."""
        return bool(self.manifest["secret_key_check"] != secret_key_check())


def fetch_archive(vault: Vault, name: str, work: Path) -> Archive:
    """Fetch a backup, the newest one for "", and check every sum of its tables. Files are checked as they are written.

    The newest one by its name is not the newest one if a clock was wrong: it is not chosen then, and has to be named.

    Raises RestoreRefused, DamagedError and what the vault raises.
    """
    names = backup_names(vault)
    if not names or (name and name not in names):
        raise RestoreRefused(f"There is no backup {name}." if name else "There is no backup at this target.")
    if not name and made_at_of(names[0]) > timezone.now():
        raise RestoreRefused(
            f"The backup {names[0]} is dated in the future: this machine's clock is wrong, or its maker's was. "
            f"Name the one to take: {', '.join(names[:3])} …"
        )
    name = name or names[0]
    listed = read_list(vault, name, work)
    path = work / "rows.tar"
    try:
        vault.fetch(listed["archive"], path)
    except FileNotFoundError as error:
        raise DamagedError(f"{listed['archive']} is missing at the target.") from error
    with path.open("rb") as stream:
        if hashlib.file_digest(stream, "sha256").hexdigest() != listed["sha256"]:
            raise DamagedError(f"{listed['archive']} is not what was stored.")
    with tarfile.open(path) as tar:
        manifest = json.loads(_member(tar, MANIFEST).read().decode("utf-8", "surrogateescape"))
        if manifest["format"] != FORMAT:
            raise RestoreRefused(f"The backup has format {manifest['format']}, this version reads {FORMAT}.")
        for table in manifest["tables"]:
            if hashlib.file_digest(_member(tar, table["member"]), "sha256").hexdigest() != table["sha256"]:
                raise DamagedError(f"{table['member']} is not what was stored.")
    return Archive(name, manifest, path)


def refuse_unless_empty() -> None:
    """Raises RestoreRefused when the database has a table, and so perhaps rows of a shop."""
    if connection.introspection.table_names():
        raise RestoreRefused(
            "The database is not empty: a backup is brought back into a new one. "
            "What a restore that broke off has left is no shop to open: drop it first."
        )


def refuse_other_version(archive: Archive) -> None:
    """Raises RestoreRefused for a backup of a newer version of the shop."""
    known = set(MigrationLoader(None).graph.nodes)
    unknown = [f"{app}.{name}" for app, name in archive.manifest["migrations"] if (app, name) not in known]
    if unknown:
        raise RestoreRefused(
            f"The backup is of another version of the shop ({archive.manifest['version']}), "
            f"which has {', '.join(unknown)}: install that one."
        )


def damaged_files(archive: Archive, vault: Vault, work: Path) -> list[str]:
    """Fetch every file and return what is wrong with those that are not as they were stored, in words."""
    found = []
    for file in archive.files:
        try:
            with fetched(vault, file, work):
                pass
        except DamagedError as error:
            found.append(str(error))
    return found


def refuse_missing_files(archive: Archive, vault: Vault) -> None:
    """Raises DamagedError, before anything is written, when the target no longer has a file of the backup."""
    there = vault.target.sizes(PREFIX)
    missing = [file for file in archive.files if file.object_name not in there]
    if missing:
        raise DamagedError(
            f"{len(missing)} of {len(archive.files)} files are missing at the target, such as {missing[0].storage}: "
            f"{missing[0].name}. {WITHOUT_THEM}"
        )


def bring_files_back(archive: Archive, vault: Vault, work: Path, *, lost: list[str] | None = None) -> int:
    """Write every file that is not there already. Returns how many were written.

    Raises DamagedError for the first that can't be; with `lost` it is named there, and the others are written.
    """
    written = 0
    for file in archive.files:
        try:
            written += bring_back(vault, file, work)
        except DamagedError as error:
            if lost is None:
                raise DamagedError(f"{error} {WITHOUT_THEM}") from error
            lost.append(str(error))
    return written


def bring_rows_back(archive: Archive, *, say: Say) -> int:
    """Make the tables of the backup's version, write every row, compare what was written, and migrate to this version.

    Returns the number of rows. Rows are there all or none; the tables stay when it fails. Raises DamagedError.
    """
    rows.lift_time_limits(DEFAULT_DB_ALIAS)
    applied = {(app, name) for app, name in archive.manifest["migrations"]}
    executor = MigrationExecutor(connection)
    targets = _leaves(executor, applied)
    say("Making the tables …")
    executor.migrate(targets)
    state = MigrationExecutor(connection).loader.project_state(targets)
    models = {model._meta.label: model for model in rows.stored_models(state.apps)}
    tables = archive.manifest["tables"]
    with tarfile.open(archive.path) as tar, transaction.atomic():
        rows.clear_what_migrations_wrote(models.values(), DEFAULT_DB_ALIAS)
        for table in tables:
            model = models.get(table["model"])
            if model is None:
                raise DamagedError(f"{table['model']} is in the backup and not in its version.")
            _write_table(tar, table, model)
            if table["rows"]:
                say(f"{table['model']}: {table['rows']}")
        rows.continue_sequences(models.values(), DEFAULT_DB_ALIAS)
        connection.check_constraints()
    # A transaction of its own for each migration, and the rows that it writes about the models themselves.
    call_command("migrate", verbosity=0, interactive=False)
    return sum(table["rows"] for table in tables)


def _write_table(tar: tarfile.TarFile, table: dict[str, Any], model: rows.Model) -> None:
    """Write a table and read it again: what the database has must be what the backup has."""
    with gzip.open(_member(tar, table["member"])) as stream:
        lines = (line.rstrip(b"\n") for line in stream)
        names = json.loads(next(lines))
        written = rows.write_rows(model, names, lines, DEFAULT_DB_ALIAS)
    stored = rows.digest_of(model, DEFAULT_DB_ALIAS)
    for found in (written, stored):
        if (found.count, found.hexdigest()) != (table["rows"], table["digest"]):
            raise DamagedError(f"{table['model']} could not be written as it was.")


def _leaves(executor: MigrationExecutor, applied: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The last migration of each app among those that were applied."""
    known = set(applied)
    return sorted(key for key in known if not known.intersection(_children(executor, key)))


def _children(executor: MigrationExecutor, key: tuple[str, str]) -> Iterator[tuple[str, str]]:
    for child in executor.loader.graph.node_map[key].children:
        if child.key[0] == key[0]:
            yield child.key


def _member(tar: tarfile.TarFile, name: str) -> Any:
    try:
        stream = tar.extractfile(name)
    except KeyError:
        stream = None
    if stream is None:
        raise DamagedError(f"{name} is missing in the archive.")
    return stream
