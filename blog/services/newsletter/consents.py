"""Writing down what somebody agreed to."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.utils import translation

from blog.models import ConsentAction, ConsentRecord, ConsentSource, Purpose, Subscriber
from blog.selectors.consents import TEXT_VERSION, consent_text
from shop.core.transaction_locks import lock_names

_WITH_TEXT = (ConsentAction.ASKED, ConsentAction.CONFIRMED)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where something was said: the place, the language of its page, and the fingerprint of who asked for it
    (`shop.core.client_address.network_fingerprint`)."""

    source: ConsentSource
    language: str
    network: str = ""


def record_consent(subscriber: Subscriber, purpose: Purpose, action: ConsentAction, origin: Origin) -> None:
    """Add a proof, in the caller's transaction."""
    text = ""
    if action in _WITH_TEXT:
        with translation.override(origin.language):
            text = consent_text(purpose)
    ConsentRecord.objects.create(
        subscriber=subscriber,
        purpose=purpose,
        action=action,
        source=origin.source,
        text=text,
        text_version=TEXT_VERSION if text else "",
        language=origin.language,
        network=origin.network,
    )


def lock_address(email: str) -> None:
    """Let one transaction at a time make a row for an address, or give it one that another address had."""
    lock_names([f"subscriber:{email}"])


def locked_subscriber(email: str, language: str) -> tuple[Subscriber, bool]:
    """Return the row of an address in its stored form, locked, made when there is none; and whether it is new. Runs in
    the caller's transaction."""
    lock_address(email)
    return Subscriber.objects.select_for_update().get_or_create(
        email=email, defaults={"language": language, "token": secrets.token_urlsafe(32)}
    )
