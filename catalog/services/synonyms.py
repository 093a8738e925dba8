"""Writing staff's synonyms. Queries read them: no product has to be indexed again."""

from __future__ import annotations

from django.core.exceptions import ValidationError

from catalog.models import Synonym
from shop.core.content_version import save_shown
from shop.core.problems import InvalidFields


def save_synonym(*, synonym: Synonym) -> Synonym:
    """Check and store a group of synonyms.

    Raises `Problem` (400 `invalid`).
    """
    synonym.words = ", ".join(" ".join(words.split()) for words in synonym.words.split(",") if words.strip())
    try:
        synonym.full_clean()
    except ValidationError as error:
        raise InvalidFields(error.message_dict) from error
    save_shown(synonym)
    return synonym
