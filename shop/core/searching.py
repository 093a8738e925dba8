"""What people type to find something, and how it is compared."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import TypeVar

from django.db.models import Model, Q, QuerySet

MAX_QUERY_WORDS = 8
# Small letters that no decomposition takes apart.
LETTERS = str.maketrans({"œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ı": "i"})

Row = TypeVar("Row", bound=Model)


def rows_with_words(rows: QuerySet[Row], text: str, columns: Iterable[str]) -> QuerySet[Row]:
    """Return the rows that have every word of a text, each in one of the columns."""
    for word in text.split()[:MAX_QUERY_WORDS]:
        rows = rows.filter(Q(*((f"{column}__icontains", word) for column in columns), _connector=Q.OR))
    return rows


def folded(name: str) -> str:
    """Return a name without accents and case: to compare what was typed, and to sort as a reader of the shop's
    languages does (Éthiopie among the E, Österreich and Œuf among the O)."""
    plain = "".join(
        letter for letter in unicodedata.normalize("NFKD", name) if not unicodedata.combining(letter)
    )
    return " ".join(plain.casefold().translate(LETTERS).split())
