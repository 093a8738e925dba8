"""Mails whose content is found out at delivery.

A page that writes to an address which may or may not have an account must do the same work for both. It queues one
mail, and the worker finds out what the address is told, if anything. An app registers a resolver for a kind of mail
in its ``AppConfig.ready``; a kind without one is sent as it was written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shop.core.models import OutgoingMail


@dataclass(frozen=True, slots=True)
class MailContent:
    """What is sent: the kind of mail, and the values of its templates."""

    kind: str
    context: dict[str, Any]


Resolver = Callable[[OutgoingMail], MailContent | None]

_resolvers: dict[str, Resolver] = {}


def register_resolver(kind: str, resolve: Resolver) -> None:
    """From now on ``resolve(mail)`` says what a mail of ``kind`` becomes; None: nothing is sent, the row goes."""
    _resolvers[kind] = resolve


def is_resolved(mail: OutgoingMail) -> bool:
    """Whether the content of a mail is known: it was rendered, or needs no resolver."""
    return bool(mail.text) or mail.kind not in _resolvers


def resolve_content(mail: OutgoingMail) -> bool:
    """Gives a mail its kind and context, on its row as well; False when there is nothing to send."""
    if is_resolved(mail):
        return True
    content = _resolvers[mail.kind](mail)
    if content is None:
        return False
    mail.kind, mail.context = content.kind, content.context
    OutgoingMail.objects.filter(pk=mail.pk).update(kind=mail.kind, context=mail.context)
    return True
