"""What apps put into mails at delivery: content that is found out then, and files.

A page that writes to an address which may or may not have an account must do the same work for both. It queues one
mail, and the worker finds out what is sent, if anything. An app registers a resolver for a kind of mail in its
``AppConfig.ready``; a kind without one is sent as it was written.

Files go by reference: the row names a provider and an id, and the file is read at delivery. An app registers a provider
for the files that it keeps; the outbox stores none.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shop.core.errors import is_outage
from shop.core.models import OutgoingMail

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MailContent:
    """What is sent: the kind of mail, the values of its templates, and a language where it is not that of who asked."""

    kind: str
    context: dict[str, Any]
    language: str = ""


Resolver = Callable[[OutgoingMail], MailContent | None]

_resolvers: dict[str, Resolver] = {}
_marketing: set[str] = set()


def register_marketing(*kinds: str) -> None:
    """Say which kinds of mail speak of what can be bought: none is sent without a way to end them (L34-5 CPCE)."""
    _marketing.update(kinds)


def is_marketing(kind: str) -> bool:
    """Return whether an app registered the kind as such."""
    return kind in _marketing


def register_resolver(kind: str, resolve: Resolver) -> None:
    """From now on ``resolve(mail)`` says what a mail of ``kind`` becomes; None: nothing is sent, the row goes."""
    _resolvers[kind] = resolve


_conditions: dict[str, Callable[[OutgoingMail], bool]] = {}


def register_condition(kind: str, is_still_right: Callable[[OutgoingMail], bool]) -> None:
    """From now on `is_still_right(mail)` is asked before each try of a mail of `kind`, as it may have waited for days
    for the mail server; False: nothing is sent, the row goes."""
    _conditions[kind] = is_still_right


def is_resolved(mail: OutgoingMail) -> bool:
    """Return whether the content of a mail is known: it was rendered, or needs no resolver."""
    return bool(mail.text) or mail.kind not in _resolvers


def resolve_content(mail: OutgoingMail) -> bool:
    """Give a mail its kind and context, on its row as well; False when there is nothing to send."""
    is_still_right = _conditions.get(mail.kind)
    if is_still_right is not None and not is_still_right(mail):
        return False
    if is_resolved(mail):
        return True
    content = _resolvers[mail.kind](mail)
    if content is None:
        return False
    mail.kind, mail.context = content.kind, content.context
    mail.language = content.language or mail.language
    # Thousands of bulk mails would each repeat what their campaign says.
    if not mail.is_bulk:
        OutgoingMail.objects.filter(pk=mail.pk).update(
            kind=mail.kind, context=mail.context, language=mail.language
        )
    return True


_refusal_listeners: list[Callable[[str], object]] = []


def register_refused_address(listen: Callable[[str], object]) -> None:
    """From now on ``listen(address)`` is called when the mail server says that a mailbox does not exist. It may be
    called again. Call it in an ``AppConfig.ready``."""
    _refusal_listeners.append(listen)


def report_refused_address(address: str) -> None:
    """Tell who keeps lists of addresses that there is no such mailbox."""
    for listen in _refusal_listeners:
        listen(address)


class AttachmentNotReadyError(Exception):
    """A file without which the mail makes no sense is not there yet: the mail is tried again later."""


@dataclass(frozen=True, slots=True)
class MailFile:
    """A file as it is attached."""

    name: str
    content: bytes
    mime_type: str


@dataclass(frozen=True, slots=True)
class Attachment:
    """A reference to a file. A mail waits for a required one, and goes without one that is not required."""

    provider: str
    id: str
    required: bool = True

    def as_json(self) -> dict[str, Any]:
        """As the mail's row keeps it."""
        return {"provider": self.provider, "id": self.id, "required": self.required}


@dataclass(frozen=True, slots=True)
class _Provider:
    load: Callable[[str], MailFile | None]
    missed: Callable[[str], None] | None


_providers: dict[str, _Provider] = {}


def register_attachments(
    name: str, load: Callable[[str], MailFile | None], *, missed: Callable[[str], None] | None = None
) -> None:
    """``load(id)`` gives the file, or None while there is none.

    ``missed(id)`` is called after a mail has left without it, to send it some other way. It may be called again.
    """
    _providers[name] = _Provider(load, missed)


def load_attachments(references: list[dict[str, Any]]) -> tuple[list[MailFile], list[Attachment]]:
    """Return the files of a mail, and the references of those that it goes without.

    Raises AttachmentNotReadyError when a required one is not there, and what the database raises while it can't be
    used.
    """
    files: list[MailFile] = []
    missing: list[Attachment] = []
    for reference in references:
        attachment = Attachment(**reference)
        file = _load(attachment)
        if file is not None:
            files.append(file)
        elif attachment.required:
            raise AttachmentNotReadyError(f"{attachment.provider} {attachment.id}")
        else:
            missing.append(attachment)
    return files, missing


def report_missed(attachments: list[Attachment]) -> None:
    """Tell the providers that a mail has left without their files."""
    for attachment in attachments:
        provider = _providers.get(attachment.provider)
        if provider is not None and provider.missed is not None:
            provider.missed(attachment.id)


def _load(attachment: Attachment) -> MailFile | None:
    provider = _providers.get(attachment.provider)
    if provider is None:
        logger.error("no provider of mail attachments is named %s", attachment.provider)
        return None
    if attachment.required:
        return provider.load(attachment.id)
    try:
        return provider.load(attachment.id)
    except Exception as error:  # the mail matters more than its file
        if is_outage(error) and not isinstance(error, OSError):
            # Without a database this try could not store that the mail was sent, and it would go twice.
            raise
        logger.exception("mail attachment %s %s could not be read", attachment.provider, attachment.id)
        return None
