"""Calls that carry an `Idempotency-Key`: what the first one made is found by those that repeat it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from shop.core.problems import Problem
from shop.integrations.models import ApiKey, RepeatedCall


def first_call(*, api_key: ApiKey, idempotency_key: str, body: Mapping[str, Any]) -> RepeatedCall | None:
    """In the transaction of the change: None for the first call with this key, whose row waits for `subject_id`, else
    what the first one left. A call that comes at the same time waits until the other has ended.

    Raises Problem: 400 for a key that is none, 422 where it came with another body before.
    """
    if not idempotency_key.isascii() or not idempotency_key.isprintable() or len(idempotency_key) > 200:
        raise Problem("invalid_key", _("L'en-tête Idempotency-Key n'est pas lisible."), 400)
    fingerprint = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    row = RepeatedCall(api_key=api_key, idempotency_key=idempotency_key, fingerprint=fingerprint)
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        known = RepeatedCall.objects.get(api_key=api_key, idempotency_key=idempotency_key)
        if known.fingerprint != fingerprint:
            raise Problem(
                "idempotency_mismatch",
                _("Cette clé d'idempotence a déjà servi pour une autre demande."),
                422,
            ) from None
        return known
    return None


def finish_call(*, api_key: ApiKey, idempotency_key: str, subject_id: int) -> None:
    """Say what the first call made."""
    RepeatedCall.objects.filter(api_key=api_key, idempotency_key=idempotency_key).update(
        subject_id=subject_id
    )
