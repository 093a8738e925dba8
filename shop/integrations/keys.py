"""Keys of programs: making one, recognising one, revoking one."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _

from shop.core.audit import record_audit
from shop.core.clocks import is_due, moment_is_due
from shop.core.dates import shop_day
from shop.core.problems import InvalidFields
from shop.integrations.models import ApiKey, Scope

MARK = "atelier"
"""How keys begin, so that a search for leaked ones finds them."""
SECRET_BYTES = 32
LAST_USE_STEP = timedelta(minutes=1)
READ_ONLY = (Scope.READ_PRODUCTS,)
READ_AND_WRITE = (Scope.READ_PRODUCTS, Scope.WRITE_PRODUCTS)
_FORM = re.compile(rf"{MARK}_([0-9a-f]{{12}})_([A-Za-z0-9_-]{{43}})\Z")
# What the secret of an unknown key is compared with.
_NO_HASH = "0" * 64


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key that was just made, with its text: it is shown now and stored nowhere."""

    row: ApiKey
    text: str


def create_api_key(
    *, name: str, scopes: Collection[str], actor: AbstractBaseUser | None, last_day: date | None = None
) -> NewKey:
    """Make a key that opens `scopes`, until the end of `last_day` or until it is revoked. Raises Problem (400
    `invalid`) without a name or a scope, and for a day that has passed."""
    name = " ".join(name.split())
    errors: dict[str, list[str]] = {}
    if not name:
        errors["name"] = [_("Donnez un nom à la clé.")]
    elif len(name) > 80:
        errors["name"] = [_("80 caractères au plus.")]
    if not scopes or not set(scopes) <= set(Scope.values):
        errors["scopes"] = [_("Choisissez au moins un droit.")]
    if last_day is not None and last_day < shop_day(timezone.now()):
        errors["last_day"] = [_("Cette date est passée.")]
    if errors:
        raise InvalidFields(errors)
    prefix, secret = secrets.token_hex(6), secrets.token_urlsafe(SECRET_BYTES)
    with transaction.atomic():
        row = ApiKey.objects.create(
            name=name,
            prefix=prefix,
            secret_hash=_hash(secret),
            scopes=[scope.value for scope in Scope if scope in scopes],
            created_by_id=None if actor is None else actor.pk,
            last_day=last_day,
        )
        after = {"name": name, "prefix": prefix, "scopes": row.scopes}
        if last_day is not None:
            after["last_day"] = last_day.isoformat()
        record_audit("api_key.created", row, actor=actor, after=after)
    return NewKey(row, f"{MARK}_{prefix}_{secret}")


def revoke_api_key(*, key_id: int, actor: AbstractBaseUser) -> ApiKey | None:
    """End a key for good; it opens nothing from now on. None where there is no such key. Safe to repeat."""
    with transaction.atomic():
        row = ApiKey.objects.select_for_update().filter(pk=key_id).first()
        if row is not None and row.revoked_at is None:
            row.revoked_at = timezone.now()
            row.save(update_fields=["revoked_at"])
            record_audit("api_key.revoked", row, actor=actor, before={"name": row.name, "prefix": row.prefix})
    return row


def find_api_key(text: str) -> ApiKey | None:
    """Return the key with this text, None for one that is unknown, wrong, revoked or over. One query, and one
    comparison in constant time, whatever the answer."""
    form = _FORM.match(text)
    prefix, secret = form.groups() if form else ("", text)
    row = ApiKey.objects.filter(prefix=prefix).first()
    is_right = constant_time_compare(_hash(secret), _NO_HASH if row is None else row.secret_hash)
    return row if is_right and row is not None and row.revoked_at is None and not row.is_over else None


def record_use(key: ApiKey) -> None:
    """Write down that a key is used now, at most once a minute. One query a minute."""
    now = timezone.now()
    if key.last_used_at is not None and not moment_is_due(key.last_used_at, now, after=LAST_USE_STEP):
        return
    unknown = Q(last_used_at=None) | is_due("last_used_at", now, after=LAST_USE_STEP)
    ApiKey.objects.filter(unknown, pk=key.pk).update(last_used_at=now)


def all_keys() -> Iterable[ApiKey]:
    """Every key with who made it, those in force first. One query."""
    return ApiKey.objects.select_related("created_by").all()


def _hash(secret: str) -> str:
    """A secret of 256 random bits needs no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()
