"""The language of the sources, and the one of the answer that is being made."""

from django.conf import settings
from django.utils.translation import get_language, get_language_from_path

SOURCE_LANGUAGE: str = settings.LANGUAGE_CODE
"""French: what texts are written in, what other languages fall back to, and what the workshop reads."""
LANGUAGES: tuple[str, ...] = tuple(code for code, _name in settings.LANGUAGES)
"""All of the shop's."""
TRANSLATIONS: tuple[str, ...] = tuple(code for code in LANGUAGES if code != SOURCE_LANGUAGE)
"""The languages that French texts are translated into."""


def active_language() -> str:
    """Return the two letters of the active language, of the sources where none is active."""
    return (get_language() or SOURCE_LANGUAGE)[:2]


def language_of_path(path: str) -> str | None:
    """Return the language that a path names, None for one without. Django reads `/EN`, too, and would leave it so."""
    language = get_language_from_path(path)
    return None if language is None else language.lower()
