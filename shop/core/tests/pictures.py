"""Pictures that are drawn for a test, taken in, and read again."""

from io import BytesIO

import pytest
from django.core.files.storage import default_storage
from PIL import Image

from shop.core.images import StoredImage, draw_image, store_image


@pytest.fixture
def media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"
    return settings.MEDIA_ROOT


def encoded(kind="JPEG", size=(60, 40), colour=(200, 30, 30), mode="RGB", **options) -> bytes:
    written = BytesIO()
    Image.new(mode, size, colour).save(written, kind, **options)
    return written.getvalue()


def store(content: bytes, name: str = "photo.jpg") -> StoredImage:
    return store_image(image=draw_image(file=BytesIO(content), name=name), folder="products")


def stored_files() -> list[str]:
    try:
        return default_storage.listdir("products")[1]
    except FileNotFoundError:
        return []


def opened(name: str) -> Image.Image:
    with default_storage.open(name) as file:
        return Image.open(BytesIO(file.read())).copy()


def raw(name: str) -> bytes:
    with default_storage.open(name) as file:
        return file.read()
