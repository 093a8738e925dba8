"""What a page says, as tests compare it."""

from __future__ import annotations

from html import unescape
from typing import Any


def text(answer: Any) -> str:
    """The page with plain characters instead of entities, and one space wherever there is room."""
    return " ".join(unescape(answer.content.decode()).replace("\u00a0", " ").split())
