"""Files that go with a mail, by reference: the row names a provider and an id, and the file is read at delivery.

An app registers a provider for the files that it keeps (in its ``AppConfig.ready``); the outbox stores no file.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

logger = logging.getLogger(__name__)


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
    """The files of a mail, and the references of those that it goes without.

    Raises AttachmentNotReadyError when a required one is not there.
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
    except Exception:  # the mail matters more than its file
        logger.exception("mail attachment %s %s could not be read", attachment.provider, attachment.id)
        return None
