"""Photos that staff send by calls."""

from __future__ import annotations

from io import BytesIO

from django.core.files.uploadedfile import SimpleUploadedFile
from PIL import Image

from catalog.tests.staff import PRODUCTS


def upload(browser, product, content: bytes, name: str = "ours.jpg", key: str = "", **fields):
    sent = {"file": SimpleUploadedFile(name, content), **fields}
    headers = {"Idempotency-Key": key} if key else {}
    return browser.post(f"{PRODUCTS}/{product.pk}/images", sent, headers=headers)


def halves() -> BytesIO:
    """Red on the left, blue on the right."""
    drawn = Image.new("RGB", (800, 600), (200, 20, 20))
    drawn.paste((20, 20, 200), (400, 0, 800, 600))
    written = BytesIO()
    drawn.save(written, "JPEG", quality=95)
    return written
