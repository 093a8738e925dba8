"""Calls and forms that carry a key of their own: what the first one made is found by those that repeat it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, cast

from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils.translation import gettext as _
from rest_framework.request import Request

from shop.core.problems import Problem
from shop.core.staff_pages import CREATION_KEY
from shop.integrations.models import ApiKey, RepeatedCall

_MADE_BEFORE: Final = (
    "Votre premier envoi est bien arrivé\u00a0: c'est déjà créé, sans ce que vous avez changé depuis. Cherchez-le dans "
    "la liste pour le corriger. Envoyer encore en crée un autre."
)


@dataclass(frozen=True, slots=True)
class Made:
    """The row that a call made; `is_new` for the first of its repetitions."""

    subject_id: int
    is_new: bool


def make_once(
    *, idempotency_key: str, body: Any, make: Callable[[], int], api_key: ApiKey | None = None
) -> Made:
    """Make a row by `make`, which returns its key, unless a call with this key made it before; without a key, always.
    A call that comes at the same time waits until the other has ended. One transaction.

    `body` is what JSON can write. A program's key is its own (`api_key`); those of the staff's browsers are random.
    Raises what `make` raises, and Problem: 400 `invalid_key` for a key that is none, 422 `idempotency_mismatch` where
    it came with another body.
    """
    with transaction.atomic():
        if not idempotency_key:
            return Made(make(), is_new=True)
        if not idempotency_key.isascii() or not idempotency_key.isprintable() or len(idempotency_key) > 200:
            raise Problem("invalid_key", _("L'en-tête Idempotency-Key n'est pas lisible."), 400)
        fingerprint = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        call = RepeatedCall(api_key=api_key, idempotency_key=idempotency_key, fingerprint=fingerprint)
        try:
            with transaction.atomic():
                call.save(force_insert=True)
        except IntegrityError:
            known = RepeatedCall.objects.get(api_key=api_key, idempotency_key=idempotency_key)
            if known.fingerprint != fingerprint:
                detail = _("Cette clé d'idempotence a déjà servi pour une autre demande.")
                raise Problem("idempotency_mismatch", detail if api_key else _MADE_BEFORE, 422) from None
            return Made(cast(int, known.subject_id), is_new=False)
        call.subject_id = make()
        call.save(update_fields=["subject_id"])
    return Made(call.subject_id, is_new=True)


def idempotency_key(request: HttpRequest | Request) -> str:
    """Return the key that a call carries in its header, a form in its field; "" without one."""
    return request.headers.get("Idempotency-Key", "") or request.POST.get(CREATION_KEY, "")


def make_once_for_staff(request: HttpRequest | Request, *, body: Any, make: Callable[[], int]) -> Made:
    """`make_once` for a page of the staff."""
    return make_once(idempotency_key=idempotency_key(request), body=body, make=make)
