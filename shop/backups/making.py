"""Making a backup: rows of one moment, the files that are new, and a list that says it is whole."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import logging
import os
import tarfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.db import DatabaseError, connection, connections
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from django.utils.crypto import salted_hmac

from shop.backups import rows
from shop.backups.models import Backup
from shop.backups.rotation import Rotation
from shop.backups.selectors import RESTORED_PULSE
from shop.backups.snapshot import snapshot
from shop.backups.stored_files import PREFIX, DamagedError, StoredFile, store_files
from shop.backups.vault import Vault, open_vault
from shop.backups.work_folder import InUseError, work_folder
from shop.core.jobs import last_pulse
from shop.core.models import ScheduledJob

logger = logging.getLogger(__name__)

FORMAT = 1
FOLDER = "backups/"
LIST = ".json.gz"
MANIFEST = "manifest.json"
FEW_FILES = 40
LISTED = "backup-listed"
"""The row of the job's last backup whose list was about to be stored: the moment whose state it is."""
# PostgreSQL's advisory locks are numbers: this one is the backup's.
_LOCK = 0x6261636B7570
_STAMP = "%Y-%m-%dT%H-%M-%SZ"
SECRETS = (
    *("SECRET_KEY", "SECRET_KEY_FALLBACKS", "DATABASE_URL", "REDIS_URL", "EMAIL_URL", "BACKUP_URL"),
    *("STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "STRIPE_WEBHOOK_SECRET_OLD", "MEDIA_S3_URL"),
    *("ALERT_EMAIL_URL", "METRICS_TOKEN", "SENTRY_DSN"),
)
"""Settings that a backup names when they are set, and never contains."""


class BackupRefused(Exception):
    """No backup can be made now. The text says why."""


def make_backup(
    vault: Vault | None = None,
    *,
    elsewhere: bool = False,
    to_new_target: bool = False,
    without_lost_files: bool = False,
) -> Backup:
    """Store a backup, delete those that the rotation lets go, and return the row of the new one.

    It is listed at the target once everything else of it is there: one that broke off is never taken for a backup.
    `elsewhere`: the target is not the shop's own, and the row is not stored: it says nothing of whether that has one.
    Raises BackupRefused, and what the target, the database and the disk raise.
    """
    vault = vault or open_vault()
    with _alone() as work:
        last = _last_list(vault, work)
        if not to_new_target:
            _refuse_other_shop(last)
            if not elsewhere:
                _refuse_lost_target(vault)
                _refuse_copy(vault)
        for folder in (FOLDER, PREFIX):
            vault.target.tidy(folder)
        made_at = timezone.now().replace(microsecond=0)
        name = made_at.astimezone(UTC).strftime(_STAMP)
        archive = work / "rows.tar"
        with tarfile.open(archive, "w") as tar:
            with snapshot(work) as alias:
                manifest = _describe(made_at, alias)
                manifest["tables"] = list(_add_tables(tar, alias, work))
            files = list(store_files(vault, work, anew=_has_other_keys(vault, last)))
            if not without_lost_files:
                _refuse_lost_files(len(files))
            manifest["files"] = [asdict(file) for file in files]
            # Names of files may be no UTF-8, such as those of a disk of years ago.
            text = json.dumps(manifest, ensure_ascii=False, indent=1)
            _add(tar, MANIFEST, text.encode("utf-8", "surrogateescape"))
        with archive.open("rb") as stream:
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
        stored = vault.put(f"{FOLDER}{name}.tar", archive)
        if not elsewhere:
            ScheduledJob.objects.update_or_create(name=LISTED, defaults={"last_finished_at": made_at})
        # A server that was restarted since has forgotten the lock: another machine may have deleted what is not listed.
        Backup.objects.exists()
        _put_list(vault, name, stored, sha256, files, work)
        backup = Backup(
            name=name,
            made_at=made_at,
            finished_at=timezone.now(),
            rows=sum(table["rows"] for table in manifest["tables"]),
            files=len(files),
            size=archive.stat().st_size,
        )
        if not elsewhere:
            backup.save()
        staying = rotate(vault, work)
        if not elsewhere:
            Backup.objects.exclude(name__in=staying).delete()
    return backup


def made_at_of(name: str) -> datetime:
    """Return the moment that a backup's name says. Raises ValueError."""
    return datetime.strptime(name, _STAMP).replace(tzinfo=UTC)


def backup_names(vault: Vault) -> list[str]:
    """Return the names of the whole backups, the newest first. What somebody else put beside them is none."""
    found = []
    for path in vault.target.sizes(FOLDER):
        name = path.removeprefix(FOLDER).removesuffix(LIST)
        with suppress(ValueError):
            if path.endswith(LIST) and made_at_of(name):
                found.append(name)
    return sorted(found, reverse=True)


def read_list(vault: Vault, name: str, work: Path) -> dict[str, Any]:
    """Return which archive and which objects a backup is made of. Raises FileNotFoundError and DamagedError."""
    path = work / "list"
    try:
        vault.target.fetch(f"{FOLDER}{name}{LIST}", path)
        found = json.loads(gzip.decompress(path.read_bytes()))
        listed = {**found, **{key: found[key] for key in ("archive", "sha256", "objects")}}
    # What gzip, zlib and json say of a list that was cut off or written over.
    except (EOFError, gzip.BadGzipFile, zlib.error, ValueError, KeyError, TypeError) as error:
        raise DamagedError(f"{FOLDER}{name}{LIST} is not what was stored.") from error
    finally:
        path.unlink(missing_ok=True)
    return listed


def rotate(vault: Vault, work: Path) -> list[str]:
    """Delete the backups that have had their time, what broke off before, and files that no backup has.

    Returns the names of those that stay. While a list can't be read, what it names is not known, and the backups that
    it made superfluous may be needed: nothing is deleted then.
    """
    rotation = Rotation(settings.BACKUP_DAYS, settings.BACKUP_WEEKS, settings.BACKUP_MONTHS)
    names = backup_names(vault)
    staying_at = rotation.stays((made_at_of(name) for name in names), now=timezone.now())
    staying = [name for name in names if made_at_of(name) in staying_at]
    lists, damaged = [], False
    for name in staying:
        try:
            lists.append(read_list(vault, name, work))
        except DamagedError as error:
            damaged = True
            logger.error("%s Nothing is deleted at the target until somebody deletes it.", error)
    if damaged:
        return names
    # First the lists: what is left without one is no backup.
    vault.target.delete(f"{FOLDER}{name}{LIST}" for name in names if name not in staying)
    wanted = {listed["archive"] for listed in lists}
    vault.target.delete(
        name for name in vault.target.sizes(FOLDER) if not name.endswith(LIST) and name not in wanted
    )
    shared = {name for listed in lists for name in listed["objects"]}
    vault.target.delete(name for name in vault.target.sizes(PREFIX) if name not in shared)
    return staying


def secret_key_check() -> str:
    """Return what shows whether another machine has this one's SECRET_KEY, and nothing of it."""
    return salted_hmac("shop.backups", "SECRET_KEY", algorithm="sha256").hexdigest()[:16]


@contextmanager
def _alone() -> Iterator[Path]:
    """The folder of one backup at a time, whichever machine makes it: two would delete each other's files."""
    try:
        with work_folder("backup") as work, _lock_of_all_machines():
            yield work
    except InUseError as error:
        raise BackupRefused(str(error)) from None


@contextmanager
def _lock_of_all_machines() -> Iterator[None]:
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK])
        if not cursor.fetchone()[0]:
            raise InUseError("Another backup is under way, on another machine.")
    try:
        yield
    finally:
        # It ends with the connection as well, and so with a process that is killed.
        with suppress(DatabaseError), connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])


def _refuse_lost_target(vault: Vault) -> None:
    """A disk that is not mounted looks like an empty folder: backups would fill the shop's own, and be lost with it.

    Raises BackupRefused when the target has no backup and others were made.
    """
    if not backup_names(vault) and Backup.objects.exists():
        raise BackupRefused(
            "BACKUP_URL has none of the backups that were made: is its disk mounted, is it the right bucket? "
            "If it is a new one: manage.py backup --new-target."
        )


def _refuse_lost_files(left: int) -> None:
    """A folder of pictures that is not mounted, or a bucket that was emptied, would push the backups that have them out
    of the rotation.

    Raises BackupRefused when fewer than half of the files of the last backup are left, and more are gone than a picture
    or two has in its widths.
    """
    before = Backup.objects.values_list("files", flat=True).first() or 0
    if 2 * left < before and before - left > FEW_FILES:
        raise BackupRefused(
            f"The last backup has {before} files, and {left} are left. Is the folder of the pictures mounted, is it "
            "the right bucket? No backup was made, and no earlier one deleted. If they are gone for good: "
            "manage.py backup --without-lost-files."
        )


def store_record(name: str, value: Any) -> None:
    """Store a small value beside the shop's backups. Raises BackupRefused where those are another shop's or a copy's,
    and what the target raises."""
    vault = open_vault()
    with work_folder("record") as work:
        _refuse_other_shop(_last_list(vault, work))
    _refuse_copy(vault)
    vault.put_record(name, value)


def _last_list(vault: Vault, work: Path) -> dict[str, Any]:
    """The list of the newest backup that can be read; empty where there is none."""
    for name in backup_names(vault):
        with suppress(DamagedError):
            return read_list(vault, name, work)
    return {}


def _refuse_other_shop(last: dict[str, Any]) -> None:
    """Two shops at one target: the rotation of each would take the other's backups for its own.

    Raises BackupRefused when the last backup is another shop's. One of a version before does not say whose it is.
    """
    site = last.get("site", settings.SITE_URL)
    if site != settings.SITE_URL:
        raise BackupRefused(
            f"The last backup there is of another shop, {site}: each would delete the other's. Give this one a place "
            "of its own. If it is the same shop, whose SITE_URL was that: manage.py backup --new-target."
        )


def _refuse_copy(vault: Vault) -> None:
    """A copy of the shop's database, made for trying something, has its SITE_URL: its backups would take the place of
    the shop's, and its numbers of invoices too.

    Raises BackupRefused when the newest backup was made since the last restore, and neither its row is here nor the
    note of one that broke off behind its list.
    """
    newest = next(iter(backup_names(vault)), None)
    if newest is None or not Backup.objects.exists() or Backup.objects.filter(name=newest).exists():
        return
    made_at = made_at_of(newest)
    restored = last_pulse(RESTORED_PULSE)
    if made_at == last_pulse(LISTED) or (restored and made_at <= restored):
        return
    raise BackupRefused(
        f"The newest backup there, {newest}, was not made from this database: a copy of the shop, or the shop that "
        "this is a copy of, stores its backups there too, and each would delete the other's. Give the copy a place of "
        "its own, or none. Then, for the shop itself: manage.py backup --new-target."
    )


def _has_other_keys(vault: Vault, last: dict[str, Any]) -> bool:
    """Whether the last backup was encrypted for others: who has the new key alone could not open its files."""
    return bool(last.get("recipients", vault.recipients) != vault.recipients)


def _describe(made_at: datetime, alias: str) -> dict[str, Any]:
    # Of the copy, where there is one: the tables of the shop itself may have changed since.
    executor = MigrationExecutor(connections[alias])
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise BackupRefused("The database waits for `manage.py migrate`.")
    return {
        "format": FORMAT,
        "made_at": made_at.isoformat(),
        "version": json.loads((settings.BASE_DIR / "package.json").read_text())["version"],
        "django": django.get_version(),
        "engine": connection.vendor,
        "site": settings.SITE_URL,
        "migrations": sorted(
            key for key in executor.loader.graph.nodes if key in executor.loader.applied_migrations
        ),
        "left_out": sorted(rows.ENDS_WITH_THE_MACHINE),
        "secrets": [name for name in SECRETS if os.environ.get(name)],
        "secret_key_check": secret_key_check(),
    }


def _add_tables(tar: tarfile.TarFile, alias: str, work: Path) -> Iterator[dict[str, Any]]:
    """Write each table into the archive and yield what the manifest says of it."""
    for model in rows.stored_models(without=rows.ENDS_WITH_THE_MACHINE):
        path, digest = work / "table", rows.Digest()
        names = rows.columns(model)
        with gzip.open(path, "wb", compresslevel=1) as table:
            table.write(json.dumps(names).encode() + b"\n")
            for line in rows.read_rows(model, alias):
                digest.add(line)
                table.write(line + b"\n")
        with path.open("rb") as stream:
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
        member = f"rows/{model._meta.label}.jsonl.gz"
        tar.add(path, arcname=member)
        path.unlink()
        yield {
            "model": model._meta.label,
            "member": member,
            "sha256": sha256,
            "rows": digest.count,
            "digest": digest.hexdigest(),
        }


def _put_list(
    vault: Vault, name: str, archive: str, sha256: str, files: Iterable[StoredFile], work: Path
) -> None:
    """The last object of a backup, not encrypted: the rotation of a shop without the secret key reads it."""
    path = work / "list"
    listed = {
        "archive": archive,
        "sha256": sha256,
        "objects": sorted({file.object_name for file in files}),
        "recipients": vault.recipients,
        "site": settings.SITE_URL,
    }
    path.write_bytes(gzip.compress(json.dumps(listed).encode()))
    vault.target.put(f"{FOLDER}{name}{LIST}", path)
    path.unlink()


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    tar.addfile(member, io.BytesIO(content))
