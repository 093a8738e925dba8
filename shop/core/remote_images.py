"""A picture that somebody named by its address: copied, never linked to."""

from __future__ import annotations

from io import BytesIO

from django.utils.translation import gettext as _

from shop.core.image_drawing import DrawnImage
from shop.core.images import MAX_BYTES, draw_image
from shop.core.outbound import AddressRefused, CallFailed, fetch
from shop.core.problems import Problem

# Somebody waits for the answer.
SECONDS = 8.0
ACCEPT = "image/webp,image/png,image/jpeg"
_BEGINNINGS = ((b"\xff\xd8\xff", "jpg"), (b"\x89PNG\r\n\x1a\n", "png"))


def fetch_image(url: str) -> DrawnImage:
    """Fetch the picture of a public address, checked and drawn again like one that was sent.

    Raises `Problem`: 400 `invalid_image` with messages for `url`, 503 `busy` as `draw_images` does.
    """
    try:
        answer = fetch(url, seconds=SECONDS, most=MAX_BYTES, accept=ACCEPT)
    except AddressRefused as refused:
        raise _refuse(_("Cette adresse ne peut pas être utilisée.")) from refused
    except CallFailed as failed:
        if failed.reason == "too_large":
            raise _refuse(_("Fichier trop volumineux")) from failed
        raise _refuse(_("Cette adresse ne répond pas.")) from failed
    if answer.status != 200:
        raise _refuse(_("Aucune image à cette adresse."))
    try:
        return draw_fetched(answer.body)
    except Problem as problem:
        if problem.code != "invalid_image":
            raise
        raise _refuse(problem.detail) from problem


def draw_fetched(content: bytes) -> DrawnImage:
    """Check and draw a picture that was fetched. Raises as `draw_image` does."""
    return draw_image(file=BytesIO(content), name=f"picture.{_extension(content)}")


def _extension(content: bytes) -> str:
    """By the content: what a server calls it counts for nothing. Another content is refused by its name."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "webp"
    return next((extension for start, extension in _BEGINNINGS if content.startswith(start)), "bin")


def _refuse(detail: str) -> Problem:
    return Problem("invalid_image", detail, errors={"url": [detail]})
