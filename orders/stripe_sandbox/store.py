"""The sandbox's stored objects, its clock, and the lock under which anything is written."""

from __future__ import annotations

import contextvars
import secrets
import string
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from orders.stripe_sandbox.errors import ApiError, Document, no_such, no_such_reference
from orders.stripe_sandbox.models import Setting, StoredObject

# One process serves everything, so one lock makes fifty writers queue in order instead of racing for SQLite's.
_write_lock = threading.RLock()
wake_background = threading.Event()
"""Set whenever something may have fallen due."""

last_reset = 0.0
"""When everything was last forgotten, by the process's clock: a call that hung meanwhile is not recorded after it."""

current_request: contextvars.ContextVar[tuple[str | None, str | None]] = contextvars.ContextVar(
    "current_request", default=(None, None)
)
"""Id and idempotency key of the API call being carried out; events quote them."""

_ALPHABET = string.ascii_letters + string.digits
_COPIED = ("customer", "payment_intent", "charge", "status", "email", "type")
_NAMES = {
    "checkout.session": ("checkout.session", "session"),
    "payment_intent": ("payment_intent", "intent"),
    "setup_intent": ("setupintent", "intent"),
    "payment_method": ("PaymentMethod", "payment_method"),
}


@contextmanager
def writing() -> Iterator[None]:
    """A transaction that nobody else writes beside. Never sleep or call out inside."""
    with _write_lock, transaction.atomic():
        yield
    wake_background.set()


def read_setting(name: str, default: Any) -> Any:
    """Return a setting that the control surface has changed, else `default`."""
    row = Setting.objects.filter(name=name).first()
    return default if row is None else row.value


def write_setting(name: str, value: Any) -> None:
    """Inside `writing()`."""
    Setting.objects.update_or_create(name=name, defaults={"value": value})


def forget_setting(name: str) -> None:
    """Inside `writing()`."""
    Setting.objects.filter(name=name).delete()


def now() -> float:
    """The sandbox's time in epoch seconds: the machine's, moved by the control surface."""
    return time.time() + float(read_setting("clock_offset", 0))


def new_id(prefix: str, length: int = 24) -> str:
    return f"{prefix}_{''.join(secrets.choice(_ALPHABET) for _ in range(length))}"


def create(body: Document, *, private: Document | None = None) -> StoredObject:
    """Store a new object; `created` is filled in. Inside `writing()`."""
    body.setdefault("created", int(now()))
    row = StoredObject(
        id=body["id"], kind=body["object"], created=body["created"], body=body, private=private or {}
    )
    save(row)
    return row


def save(row: StoredObject) -> None:
    """Write a changed body back, and the columns that lists filter by. Inside `writing()`."""
    for name in _COPIED:
        value = row.body.get(name)
        setattr(row, name, value if isinstance(value, str) else "")
    row.expires_at = row.body.get("expires_at")
    row.save()


def find(kind: str, object_id: str | None) -> StoredObject | None:
    """Return an object; None when there is none of this kind and id."""
    return StoredObject.objects.filter(kind=kind, id=object_id).first() if object_id else None


def get(kind: str, object_id: str) -> StoredObject:
    """The object named in an address. Raises ApiError 404 resource_missing."""
    row = find(kind, object_id)
    if row is None:
        name, param = _NAMES.get(kind, (kind, "id" if kind == "event" else kind))
        raise no_such(name, object_id, param=param)
    return row


def get_reference(kind: str, object_id: str, *, param: str) -> StoredObject:
    """The object named by a parameter. Raises ApiError 400 resource_missing."""
    row = find(kind, object_id)
    if row is None or row.body.get("deleted"):
        raise no_such_reference(_NAMES.get(kind, (kind, kind))[0], object_id, param=param)
    return row


def require(kind: str, object_id: str) -> StoredObject:
    """An object that must be there because another one points at it."""
    row = find(kind, object_id)
    if row is None:
        raise ApiError(500, "api_error", f"The sandbox lost {object_id}.")
    return row
