"""Search in staff's lists: by parts of words in every language, of products that are not published as well."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import connection
from django.db.models import Q, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import StrIndex
from django.db.models.lookups import GreaterThan

from catalog.models import Product, SearchEntry, SearchWord
from catalog.words import EMPTY_WORDS, LONGEST_WORD, known_beginnings, normalise
from shop.core.searching import MAX_QUERY_WORDS

# One or two letters are inside nearly every word: they match beginnings only.
_SHORT = 2
_EMPTY = frozenset[str]().union(*EMPTY_WORDS.values())
# With more, the index takes longer than the texts.
_MOST_FORMS = 40
_HAVING_FORM = {
    # Behind a SELECT PostgreSQL does not guess how many there are: for frequent words it would read every entry.
    "postgresql": "SELECT product_id FROM catalog_searchentry WHERE words @@ (SELECT %s)::tsquery",
    "sqlite": f"SELECT {SearchEntry.PRODUCT_OF_KEY} FROM catalog_searchentry_words(%s)",  # noqa: S608
}


def query_words(text: str) -> list[str]:
    """The words to find, each once."""
    return list(dict.fromkeys(normalise(text).split()))[:MAX_QUERY_WORDS]


def index_text(texts: Iterable[str]) -> str:
    """What `Product.search_text` holds for these texts."""
    return known_beginnings(word for text in texts for word in normalise(text).split())


def has_words(words: Iterable[str]) -> Q:
    """Return the condition that a product has every one of the words. A query for each word.

    Products on sale are found through the index of the shop's search. Their text is read only for words that it does
    not know (`catalog.words.EMPTY_WORDS`, letters beyond a–z) and for those that are a part of very many others.
    """
    listed, read, all_read = Q(), Q(), Q()
    for word in words:
        # A search for bytes, which knows no case, is several times faster than LIKE.
        in_text = Q(GreaterThan(StrIndex("search_text", Value(pattern(word))), 0))
        all_read &= in_text
        forms = _known_forms(word)
        if forms is None:
            read &= in_text
        else:
            listed &= Q(pk__in=_having_form(forms))
    if not listed:
        return all_read
    hidden = Product.objects.filter(all_read, is_published=False).order_by().values("pk")
    # Conditions are tried in this order.
    return Q(pk__in=hidden) | (listed & read)


def pattern(word: str) -> str:
    """What a `search_text` that has the word contains."""
    return f" {word}" if len(word) <= _SHORT else word


def _known_forms(word: str) -> list[str] | None:
    """The entries of the search's index that have the word, at the level that has all words; None where reading the
    texts is better."""
    if word in _EMPTY or len(word) > LONGEST_WORD or not word.isascii():
        return None
    found = SearchWord.objects.filter(
        **{"word__startswith" if len(word) <= _SHORT else "word__contains": word}
    ).order_by()
    forms = [
        f"{language}5{form}" for language, form in found.values_list("language", "word")[: _MOST_FORMS + 1]
    ]
    return forms if len(forms) <= _MOST_FORMS else None


def _having_form(forms: list[str]) -> RawSQL | list[int]:
    """The keys of the products on sale that have one of these."""
    if not forms:
        return []
    either = " | " if connection.vendor == "postgresql" else " OR "
    return RawSQL(_HAVING_FORM[connection.vendor], [either.join(forms)])  # noqa: S611
