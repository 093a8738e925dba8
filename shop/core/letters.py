"""Letters that the fonts of our documents can draw, and how the others are written with those; letters of addresses.

The fonts draw Latin, Greek and Cyrillic. Chinese, Arabic, emoji … are written in Latin letters by AnyASCII: a box would
tell nobody whose parcel it is. The data inside an invoice keep what was typed.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from anyascii import anyascii
from django.utils.text import slugify

from shop.core.searching import LETTERS

# What Figtree, Bricolage Grotesque and Libertinus Serif draw together; a test typesets all of it.
DRAWN = (
    "\n\\u0020-\\u007e\\u00a0-\\u04ff\\u0510-\\u0513\\u051a-\\u051d\\u1e00-\\u1fff"
    "\\u2000-\\u2040\\u2042\\u2044-\\u2052\\u2054-\\u211e\\u2120\\u2122\\u2124\\u2126-\\u2151\\u2153-\\u2184"
    "\\u2189\\u218c-\\u22ff"
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_NOT_DRAWN = re.compile(f"[^{DRAWN}]")


def drawable(value: Any) -> Any:
    """Return JSON with every text in letters that can be drawn; a text that could be already is as it was.

    王小明 becomes WangXiaoMing. A sign that has no such form becomes "?", one that is never seen becomes nothing.
    """
    if isinstance(value, str):
        return _NOT_DRAWN.sub(_written, unicodedata.normalize("NFC", value))
    if isinstance(value, list):
        return [drawable(item) for item in value]
    if isinstance(value, dict):
        return {key: drawable(item) for key, item in value.items()}
    return value


def without_pictures(text: str) -> str:
    """Return a text without the signs for which `drawable` only has a name: 🎂 would read ":birthday:"."""
    return _NOT_DRAWN.sub(lambda sign: "" if anyascii(sign[0]).startswith(":") else sign[0], text)


def slug_of(text: str, language: str = "") -> str:
    """Return a text as words of an address. `œ` is `oe` and `ß` is `ss`: `slugify` alone makes `cur` of « cœur ». In
    German `ä` is `ae`: `schon` (already) is another word than `schön` (beautiful)."""
    plain = unicodedata.normalize("NFC", text).casefold().translate(LETTERS)
    return slugify(plain.translate(_UMLAUTS) if language == "de" else plain)


def _written(sign: re.Match[str]) -> str:
    if unicodedata.category(sign[0])[0] in "CM":
        return ""
    return anyascii(sign[0]) or "?"
