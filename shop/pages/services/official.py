"""Storing the official texts: word for word, their pictures byte for byte."""

from __future__ import annotations

import secrets
from typing import IO

from django.core.cache import caches
from django.db import transaction
from django.utils import timezone

from shop.core import content_version, images
from shop.core.file_storage import discard_files, keep_files, store_file
from shop.core.images import StoredImage
from shop.pages.models import OfficialText
from shop.pages.selectors.official import CACHE_KEY
from shop.terms.versions import is_in_a_version

_FOLDER = "official"
_EXTENSIONS = {"png": "png", "jpg": "jpg", "jpeg": "jpg"}


def save_official_text(*, row: OfficialText) -> None:
    """Save the words; pages show them from the commit on."""
    row.updated_at = timezone.now()
    with transaction.atomic():
        row.save()
        _shown_texts_changed()


def set_official_picture(*, row: OfficialText, picture: StoredImage) -> None:
    """Save the row with this picture, which was stored, in place of the one it had."""
    with transaction.atomic():
        _remove_file(row)
        keep_files([picture.name], "default")
        row.file, row.width, row.height = picture.name, picture.width, picture.height
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


def store_official_picture(*, file: IO[bytes], name: str) -> StoredImage:
    """Store the file as it is, because an official sheet may not be drawn again, after it was decoded once. Raises
    `Problem` (400 `invalid_image`, 503 `busy`) as `shop.core.images.draw_image` does, and for a WebP.
    """
    extension = name.rpartition(".")[2].lower()
    if extension == "webp":
        # Mail programs don't show it.
        raise images.refuse_type()
    drawn = images.draw_image(file=file, name=name)
    file.seek(0)
    stored = f"{_FOLDER}/{secrets.token_hex(16)}.{_EXTENSIONS[extension]}"
    store_file(stored, file.read(), "default")
    return StoredImage(stored, drawn.source_width, drawn.source_height, drawn.colour)


def _remove_file(row: OfficialText) -> None:
    name = row.file.name
    if name and not is_in_a_version(name):
        discard_files([name], "default")


def _shown_texts_changed() -> None:
    transaction.on_commit(lambda: caches["shared"].delete(CACHE_KEY), robust=True)
    content_version.content_changed()
