"""The words of the home page, from `texts/home/<language>.json`."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import get_language

_FOLDER = Path(__file__).resolve().parent / "texts" / "home"


def home_texts() -> dict[str, Any]:
    """The sections of the home page in the active language, French where there is no file for it."""
    language = (get_language() or settings.LANGUAGE_CODE)[:2]
    path = _FOLDER / f"{language}.json"
    if not path.exists():
        path = _FOLDER / f"{settings.LANGUAGE_CODE}.json"
    return _read(path, path.stat().st_mtime_ns if settings.DEBUG else 0)


@lru_cache(maxsize=8)
def _read(path: Path, written_at: int) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content
