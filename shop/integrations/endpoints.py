"""Endpoints of webhooks: made, changed, paused and tried by staff."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from shop.core import encryption
from shop.core.audit import record_audit
from shop.core.enqueue import enqueue_after_commit
from shop.core.outbound import AddressRefused, check_address
from shop.core.problems import InvalidFields, Problem
from shop.core.transaction_locks import lock_names
from shop.integrations.delivery import enqueue_waiting
from shop.integrations.events import DISPATCH_TASK, forget_wanted_kinds
from shop.integrations.models import (
    CHOSEN_KINDS,
    DeliveryState,
    EventKind,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEvent,
)
from shop.integrations.secrets import PURPOSE

MOST_ENDPOINTS = 20
ROTATION = timedelta(hours=24)
"""How long calls are signed with the replaced secret as well."""


@dataclass(frozen=True, slots=True)
class NewSecret:
    """An endpoint, and the secret that is shown now and never again."""

    row: WebhookEndpoint
    secret: str


def create_endpoint(
    *, url: str, description: str, kinds: Collection[str], actor: AbstractBaseUser
) -> NewSecret:
    """Raises Problem: 400 `invalid` with messages by field, 409 `too_many`."""
    values = _checked(url, description, kinds)
    secret = _new_secret()
    with transaction.atomic():
        # Of two people at once the second counts what the first made.
        lock_names(["webhook-endpoints"])
        if WebhookEndpoint.objects.count() >= MOST_ENDPOINTS:
            raise Problem("too_many", _("Vingt webhooks au plus\u00a0: supprimez-en un d'abord."), 409)
        row = WebhookEndpoint.objects.create(
            **values, secret=encryption.encrypt(secret, purpose=PURPOSE), created_by_id=actor.pk
        )
        record_audit("webhook.created", row, actor=actor, after=values)
        forget_wanted_kinds()
    return NewSecret(row, secret)


def update_endpoint(
    *, endpoint_id: int, url: str, description: str, kinds: Collection[str], actor: AbstractBaseUser
) -> WebhookEndpoint:
    """Raises Problem: as `create_endpoint`, and 404 `not_found`."""
    values = _checked(url, description, kinds)
    with transaction.atomic():
        row = _locked(endpoint_id)
        before = {name: getattr(row, name) for name in values}
        for name, value in values.items():
            setattr(row, name, value)
        row.save(update_fields=list(values))
        record_audit("webhook.changed", row, actor=actor, before=before, after=values)
        forget_wanted_kinds()
    return row


def switch_endpoint(*, endpoint_id: int, on: bool, actor: AbstractBaseUser) -> WebhookEndpoint:
    """Switch an endpoint off, or on again, which ends a pause too: what waited or had failed goes out from now on.

    Raises Problem 404."""
    with transaction.atomic():
        row = _locked(endpoint_id)
        row.is_active, row.paused_at = on, None if on else row.paused_at
        row.save(update_fields=["is_active", "paused_at"])
        if on:
            WebhookDelivery.objects.filter(
                endpoint=row, state__in=(DeliveryState.FAILED, DeliveryState.QUEUED)
            ).update(state=DeliveryState.QUEUED, attempts=0, next_attempt_at=timezone.now(), lease_until=None)
            transaction.on_commit(lambda: enqueue_waiting(timezone.now()))
        record_audit("webhook.switched", row, actor=actor, after={"is_active": on, "url": row.url})
        forget_wanted_kinds()
    return row


def rotate_secret(*, endpoint_id: int, actor: AbstractBaseUser) -> NewSecret:
    """Give an endpoint a new secret; for a day its calls are signed with both. Raises Problem 404."""
    secret = _new_secret()
    with transaction.atomic():
        row = _locked(endpoint_id)
        row.former_secret, row.former_secret_until = row.secret, timezone.now() + ROTATION
        row.secret = encryption.encrypt(secret, purpose=PURPOSE)
        row.save(update_fields=["secret", "former_secret", "former_secret_until"])
        record_audit("webhook.secret_replaced", row, actor=actor, after={"url": row.url})
    return NewSecret(row, secret)


def delete_endpoint(*, endpoint_id: int, actor: AbstractBaseUser) -> None:
    """Remove an endpoint with its log; what waits for it is never sent. Raises Problem 404."""
    with transaction.atomic():
        row = _locked(endpoint_id)
        record_audit("webhook.deleted", row, actor=actor, before={"url": row.url, "kinds": row.kinds})
        row.delete()
        forget_wanted_kinds()


def send_test(*, endpoint_id: int) -> WebhookEvent:
    """Queue the event `webhook.test` for this endpoint alone. Raises Problem 404, and 409 while it is switched off."""
    with transaction.atomic():
        row = _locked(endpoint_id)
        refuse_stopped(row)
        event = WebhookEvent.objects.create(
            kind=EventKind.TEST,
            subject=f"webhook:{row.pk}",
            data={"message": "This is a test."},
            endpoint=row,
        )
        enqueue_after_commit(DISPATCH_TASK, str(event.pk))
    return event


def refuse_stopped(row: WebhookEndpoint) -> None:
    """Raises Problem 409 `webhook_off` while an endpoint is switched off or pauses: nothing would leave."""
    if not row.is_active or row.paused_at is not None:
        raise Problem("webhook_off", _("Ce webhook est arrêté\u00a0: remettez-le en marche d'abord."), 409)


def schemes() -> tuple[str, ...]:
    """The kinds of addresses that may be called: encrypted ones, on a development machine others too."""
    return ("https", "http") if settings.DEBUG else ("https",)


def _checked(url: str, description: str, kinds: Collection[str]) -> dict[str, object]:
    errors: dict[str, list[str]] = {}
    url = url.strip()
    try:
        check_address(url, schemes=schemes(), allow_loopback=settings.DEBUG)
    except AddressRefused as refused:
        errors["url"] = [_REFUSALS[refused.reason]()]
    if len(description) > 120:
        errors["description"] = [_("120 caractères au plus.")]
    if not kinds or not set(kinds) <= set(CHOSEN_KINDS):
        errors["kinds"] = [_("Choisissez au moins un évènement.")]
    if errors:
        raise InvalidFields(errors)
    return {
        "url": url,
        "description": description.strip(),
        "kinds": [kind.value for kind in CHOSEN_KINDS if kind in kinds],
    }


_REFUSALS = {
    "malformed": lambda: _("Ce n'est pas une adresse web complète."),
    "scheme": lambda: _("L'adresse doit commencer par https://."),
    "credentials": lambda: _("L'adresse ne doit contenir ni nom d'utilisateur ni mot de passe."),
    "private": lambda: _("Cette adresse n'est pas sur l'internet public."),
}


def _locked(endpoint_id: int) -> WebhookEndpoint:
    row = WebhookEndpoint.objects.select_for_update(no_key=True).filter(pk=endpoint_id).first()
    if row is None:
        raise Problem("not_found", _("Ce webhook n'existe plus."), 404)
    return row


def _new_secret() -> str:
    return f"whsec_{secrets.token_urlsafe(32)}"
