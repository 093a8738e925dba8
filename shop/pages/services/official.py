"""Taking in the official texts: kept word for word, their pictures byte for byte."""

from __future__ import annotations

import secrets
from io import BytesIO
from typing import IO

from django.core.cache import caches
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone
from PIL import Image

from shop.core import images, public_pages
from shop.pages.models import OfficialText

CACHE_KEY = "pages:official"
_FOLDER = "official"
_EXTENSIONS = {"PNG": "png", "JPEG": "jpg"}


def save_official_text(*, row: OfficialText) -> None:
    """Saves the words; pages show them from the commit on."""
    row.updated_at = timezone.now()
    with transaction.atomic():
        row.save()
        _shown_texts_changed()


def set_official_picture(*, row: OfficialText, file: IO[bytes], name: str) -> None:
    """Saves the row with this picture in place of the one it had. The file is kept as it is: an official sheet may not
    be drawn again. Raises `Problem` (400 `invalid_image`) for anything but a PNG or JPEG of 5 MB at most."""
    content = _checked(file, name)
    with Image.open(BytesIO(content)) as picture:
        width, height, kind = *picture.size, picture.format or "PNG"
    stored = default_storage.save(
        f"{_FOLDER}/{secrets.token_hex(16)}.{_EXTENSIONS[kind]}", ContentFile(content)
    )
    with transaction.atomic():
        _remove_file_later(row)
        row.file, row.width, row.height = stored, width, height
        save_official_text(row=row)


def remove_official_picture(*, row: OfficialText) -> None:
    """Saves the row without a picture: its words are shown instead."""
    with transaction.atomic():
        _remove_file_later(row)
        row.file, row.width, row.height = "", 0, 0
        save_official_text(row=row)


def delete_official_text(*, row: OfficialText) -> None:
    """Deletes the row with its picture."""
    with transaction.atomic():
        _remove_file_later(row)
        row.delete()
        _shown_texts_changed()


def check_official_picture(*, file: IO[bytes], name: str) -> None:
    """Refuses what `set_official_picture` would refuse, and stores nothing. Go back to the file's beginning after."""
    _checked(file, name)


def _checked(file: IO[bytes], name: str) -> bytes:
    if name.lower().endswith(".webp"):
        # Mail programs don't show it.
        raise images.refuse_type()
    images.check_image(file=file, name=name)
    file.seek(0)
    return file.read()


def _remove_file_later(row: OfficialText) -> None:
    name = row.file.name
    if name:
        transaction.on_commit(lambda: default_storage.delete(name), robust=True)


def _shown_texts_changed() -> None:
    transaction.on_commit(lambda: caches["shared"].delete(CACHE_KEY), robust=True)
    public_pages.content_changed()
