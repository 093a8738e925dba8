"""What is stored at a target, encrypted for whoever has the key of a recipient.

The format is that of age (age-encryption.org): the shop has the public key alone, so neither a stolen server nor a
stolen bucket opens a backup, and the tool of that name opens them without the shop.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyrage
from django.conf import settings

from shop.backups.targets import Target, open_target
from shop.backups.work_folder import work_folder

SEALED = ".age"
ISSUED_NUMBERS = "issued-invoices"
"""The record of the last number of each year's invoices: `{"2026": 123}`."""


class BackupKeyError(ValueError):
    """A key of backups can't be read, or doesn't open this one."""


class Vault:
    """A target and its keys. Objects get the ending `.age` when they are encrypted."""

    def __init__(
        self, target: Target, *, recipients: Sequence[str] = (), identities: Sequence[Any] = ()
    ) -> None:
        try:
            self._recipients = [pyrage.x25519.Recipient.from_str(key) for key in recipients]
        except pyrage.RecipientError as error:
            raise BackupKeyError("BACKUP_RECIPIENTS: a public key begins with age1.") from error
        self._identities = list(identities)
        self.target = target
        self.recipients = hashlib.sha256(" ".join(sorted(recipients)).encode()).hexdigest()[:16]
        """Says whether the keys are those of another vault."""

    @property
    def ending(self) -> str:
        """What the names of objects that are stored now end with."""
        return SEALED if self._recipients else ""

    def put(self, name: str, source: Path) -> str:
        """Store a file, encrypted when there is a key. Return the name of the object."""
        if not self._recipients:
            self.target.put(name, source)
            return name
        sealed = source.with_name(f"{source.name}{SEALED}.tmp")
        try:
            pyrage.encrypt_file(str(source), str(sealed), self._recipients)
            self.target.put(name + SEALED, sealed)
        finally:
            sealed.unlink(missing_ok=True)
        return name + SEALED

    def fetch(self, object_name: str, destination: Path) -> None:
        """Bring an object back as it was. Raises FileNotFoundError, and BackupKeyError without the right key."""
        if not object_name.endswith(SEALED):
            self.target.fetch(object_name, destination)
            return
        if not self._identities:
            raise BackupKeyError("The backup is encrypted: name the file of its secret key with --identity.")
        sealed = destination.with_name(f"{destination.name}{SEALED}.tmp")
        try:
            self.target.fetch(object_name, sealed)
            self._open(sealed, destination, object_name)
        finally:
            sealed.unlink(missing_ok=True)

    def _open(self, sealed: Path, destination: Path, object_name: str) -> None:
        try:
            pyrage.decrypt_file(str(sealed), str(destination), self._identities)
        except (pyrage.DecryptError, OSError) as error:
            # What was cut off after its beginning is an error of reading without a number; a full disk has one.
            if isinstance(error, OSError) and error.errno is not None:
                raise
            raise BackupKeyError(f"{object_name}: this key does not open it, or it is damaged.") from error

    def put_record(self, name: str, value: Any) -> None:
        """Store a small value beside the backups, such as the last number of an invoice."""
        with work_folder("record") as work:
            path = work / "record.json"
            path.write_text(json.dumps(value))
            stored = self.put(f"records/{name}.json", path)
        # That of the time without a key, or with one, says what was: a restore reads the only one.
        earlier = {f"records/{name}.json", f"records/{name}.json{SEALED}"} - {stored}
        self.target.delete(earlier.intersection(self.target.sizes("records/")))

    def fetch_record(self, name: str) -> Any:
        """Return a value, None where none was ever stored. Raises BackupKeyError also for one that is damaged."""
        records = self.target.sizes("records/")
        found = next(
            (stored for stored in records if stored.removesuffix(SEALED) == f"records/{name}.json"), None
        )
        if found is None:
            return None
        with work_folder("record") as work:
            path = work / "record.json"
            self.fetch(found, path)
            try:
                return json.loads(path.read_text())
            except ValueError as error:
                raise BackupKeyError(f"{found} is damaged.") from error


def open_vault(url: str = "", *, identity_files: Iterable[Path] = ()) -> Vault:
    """Return the vault of a target, BACKUP_URL when none is named. Raises TargetError, BackupKeyError and OSError."""
    return Vault(
        open_target(url or settings.BACKUP_URL),
        recipients=settings.BACKUP_RECIPIENTS,
        identities=[identity for path in identity_files for identity in _read_identities(path)],
    )


def _read_identities(path: Path) -> list[Any]:
    """The keys of a file as `age-keygen` writes it: a line a key, comments begin with #."""
    try:
        lines = [line.strip() for line in path.read_text().splitlines()]
        keys = [pyrage.x25519.Identity.from_str(line) for line in lines if line and not line.startswith("#")]
    except OSError as error:
        raise BackupKeyError(
            f"The file of the secret key can't be read: {path} ({error.strerror})."
        ) from error
    except (pyrage.IdentityError, UnicodeDecodeError) as error:
        raise BackupKeyError(f"{path}: a secret key begins with AGE-SECRET-KEY-1.") from error
    if not keys:
        raise BackupKeyError(f"{path} has no secret key: one begins with AGE-SECRET-KEY-1.")
    return keys
