"""Storing the official texts: word for word, their pictures byte for byte."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import IO

from django.core.cache import caches
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from shop.core import content_version, images
from shop.core.file_storage import discard_files
from shop.pages.models import OfficialText
from shop.pages.selectors.official import CACHE_KEY
from shop.terms.versions import is_in_a_version

_FOLDER = "official"
_EXTENSIONS = {"png": "png", "jpg": "jpg", "jpeg": "jpg"}


@dataclass(frozen=True, slots=True)
class OfficialPicture:
    """A sheet to be shown as it is: the file, its size in pixels and its extension."""

    content: bytes
    width: int
    height: int
    extension: str


def save_official_text(*, row: OfficialText) -> None:
    """Save the words; pages show them from the commit on."""
    row.updated_at = timezone.now()
    with transaction.atomic():
        row.save()
        _shown_texts_changed()


def set_official_picture(*, row: OfficialText, picture: OfficialPicture) -> None:
    """Save the row with this picture in place of the one it had."""
    stored = default_storage.save(
        f"{_FOLDER}/{secrets.token_hex(16)}.{picture.extension}", ContentFile(picture.content)
    )
    with transaction.atomic():
        _remove_file(row)
        row.file, row.width, row.height = stored, picture.width, picture.height
        save_official_text(row=row)


def remove_official_picture(*, row: OfficialText) -> None:
    """Save the row without a picture: its words are shown instead."""
    with transaction.atomic():
        _remove_file(row)
        row.file, row.width, row.height = "", 0, 0
        save_official_text(row=row)


def delete_official_text(*, row: OfficialText) -> None:
    """Delete the row with its picture."""
    with transaction.atomic():
        _remove_file(row)
        row.delete()
        _shown_texts_changed()


def check_official_picture(*, file: IO[bytes], name: str) -> OfficialPicture:
    """Return the file as it is, because an official sheet may not be drawn again, after it was decoded once. Raises
    `Problem` (400 `invalid_image`, 503 `busy`) as `shop.core.images.draw_image` does, and for a WebP.
    """
    extension = name.rpartition(".")[2].lower()
    if extension == "webp":
        # Mail programs don't show it.
        raise images.refuse_type()
    drawn = images.draw_image(file=file, name=name)
    file.seek(0)
    return OfficialPicture(
        content=file.read(),
        width=drawn.source_width,
        height=drawn.source_height,
        extension=_EXTENSIONS[extension],
    )


def _remove_file(row: OfficialText) -> None:
    name = row.file.name
    if name and not is_in_a_version(name):
        discard_files([name], "default")


def _shown_texts_changed() -> None:
    transaction.on_commit(lambda: caches["shared"].delete(CACHE_KEY), robust=True)
    content_version.content_changed()
