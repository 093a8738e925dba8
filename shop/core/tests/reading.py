"""What a page says, as tests compare it."""

from __future__ import annotations

import re
from html import unescape
from typing import Any


def text(answer: Any) -> str:
    """The page with plain characters instead of entities, and one space wherever there is room."""
    return " ".join(unescape(answer.content.decode()).replace("\u00a0", " ").split())


def words(answer: Any) -> str:
    """What people read of the page, without its tags."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())))
