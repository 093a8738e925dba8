"""Rows as lines of JSON that either engine reads and writes: the format of backups, and of a move.

A table is a line of its columns, then a line a row. Values are those that the model's fields prepare for any database,
so they are the same on both engines. Rows are written by INSERT alone, as they are: triggers stay where they are, and
nothing that a model would compute is computed again.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from django.apps import apps
from django.core.management.color import no_style
from django.db import DatabaseError, connections, models, transaction
from django.db.models import QuerySet

BATCH = 500
READ_AT_ONCE = 2000
ENDS_WITH_THE_MACHINE = frozenset({"sessions.Session", "usersessions.UserSession", "core.AttemptCounter"})
"""Not in a backup: who is signed in, and how often something was tried in the last hours."""

Model = type[models.Model]
_DIGESTS = 1 << 256


class Digest:
    """A SHA-256 over rows that does not depend on their order: engines sort texts differently. `count` is how many."""

    def __init__(self) -> None:
        self.count = 0
        self._sum = 0

    def add(self, line: bytes) -> None:
        self.count += 1
        self._sum = (self._sum + int.from_bytes(hashlib.sha256(line).digest(), "big")) % _DIGESTS

    def hexdigest(self) -> str:
        return f"{self._sum:064x}"


def stored_models(registry: Any = apps, *, without: Collection[str] = ()) -> list[Model]:
    """Return the models that have a table of their own, in a fixed order."""
    found = [
        model
        for model in registry.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy and model._meta.label not in without
    ]
    return sorted(found, key=lambda model: str(model._meta.label))


def columns(model: Model) -> list[str]:
    return [field.attname for field in _fields(model)]


def read_rows(model: Model, using: str) -> Iterator[bytes]:
    """Yield each row as a line without its end, a few at a time in memory. One query."""
    fields = _fields(model)
    prepare = [field.get_prep_value for field in fields]
    # A plain query set: managers translate columns, or leave rows out.
    rows: QuerySet[Any, Any] = (
        QuerySet(model=model, using=using).order_by("pk").values_list(*(field.attname for field in fields))
    )
    for row in rows.iterator(chunk_size=READ_AT_ONCE):
        values = [value if value is None else make(value) for make, value in zip(prepare, row, strict=True)]
        yield json.dumps(
            values, default=_as_text, ensure_ascii=False, sort_keys=True, separators=(",", ":")
        ).encode()


def write_rows(model: Model, names: list[str], lines: Iterable[bytes], using: str) -> Digest:
    """Insert rows as `read_rows` gave them; return what was written. Runs in the caller's transaction.

    Raises ValueError for columns that the table does not have, and what the database raises, with
    the name of the table before it.
    """
    known = {field.attname: field for field in _fields(model)}
    if set(names) != set(known):
        differing = ", ".join(sorted(set(names) ^ set(known)))
        raise ValueError(f"{model._meta.label} has other columns here: {differing}")
    fields = [known[name] for name in names]
    readers = [_reader(field) for field in fields]
    rows: Any = QuerySet(model=model, using=using)
    digest, pending = Digest(), iter(lines)
    while batch := list(islice(pending, BATCH)):
        inserted = []
        for line in batch:
            digest.add(line)
            values = json.loads(line)
            inserted.append(
                SimpleNamespace(
                    **{
                        name: value if read is None or value is None else read(value)
                        for name, read, value in zip(names, readers, values, strict=True)
                    }
                )
            )
        size = connections[using].ops.bulk_batch_size(fields, inserted)
        for start in range(0, len(inserted), size):
            try:
                rows._insert(inserted[start : start + size], fields=fields, using=using, raw=True)
            except DatabaseError as error:
                raise type(error)(f"{model._meta.label}: {error}") from error
    return digest


def digest_of(model: Model, using: str) -> Digest:
    """Return the digest of what a table holds. One query."""
    digest = Digest()
    for line in read_rows(model, using):
        digest.add(line)
    return digest


def clear_what_migrations_wrote(used: Iterable[Model], using: str) -> None:
    """Delete the rows of a database that was just made; tables that are only added to have none then."""
    connection = connections[using]
    with connection.cursor() as cursor:
        for model in used:
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(model._meta.db_table)}")  # noqa: S608 - our own names


def continue_sequences(used: Iterable[Model], using: str) -> None:
    """Have the database give new rows keys after those that were written."""
    connection = connections[using]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), list(used)):
            cursor.execute(statement)


def lift_time_limits(using: str) -> None:
    """For this connection: copying a table takes longer than any statement of the shop may."""
    connection = connections[using]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for name in ("statement_timeout", "idle_in_transaction_session_timeout", "lock_timeout"):
                cursor.execute(f"SET {name} = 0")


@contextmanager
def one_moment(using: str) -> Iterator[None]:
    """All that is read within is of one moment, while others go on writing.

    PostgreSQL: a transaction with one snapshot. SQLite: the alias is a copy that nobody writes to.
    """
    connection = connections[using]
    if connection.vendor != "postgresql":
        yield
        return
    with transaction.atomic(using), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        for name in ("statement_timeout", "idle_in_transaction_session_timeout"):
            cursor.execute(f"SET LOCAL {name} = 0")
        yield


def _fields(model: Model) -> list[models.Field[Any, Any]]:
    """By name: the order in which a model declares them is not that in which migrations made them."""
    stored = [field for field in model._meta.local_concrete_fields if not field.generated]
    return sorted(stored, key=lambda field: field.attname)


def _reader(field: models.Field[Any, Any]) -> Callable[[Any], Any] | None:
    """What fields do not read from text by themselves."""
    while isinstance(field, models.ForeignKey):
        field = field.target_field
    if isinstance(field, models.BinaryField):
        return base64.b64decode
    return None


def _as_text(value: Any) -> Any:
    if isinstance(value, (bytes, memoryview)):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, UUID):
        return str(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
