"""Writing what the search reads: entries of products and the vocabulary, the same on every database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from django.conf import settings

from catalog.models import Product, SearchEntry, SearchSpelling, SearchWord
from catalog.words import indexed_words, spelling_keys, stem
from shop.core.transaction_locks import lock_names

LEVELS = (1, 2, 3, 4, 5)
NAME, CATEGORY, OTHER_NAMES, TEASER, DESCRIPTION = LEVELS
"""Where a word stands, the most telling place first. Synonyms of the other places count as the third at best, and so
does the French name of a product that has another one in the reader's language."""

_BATCH = 2000
_LANGUAGES: tuple[str, ...] = tuple(settings.MODELTRANSLATION_LANGUAGES)
_SOURCE: str = settings.LANGUAGE_CODE


def index_product(*, product: Product) -> None:
    """Bring the entries of a product up to date; one that is not published has none. One query when nothing changed.

    To be called in a transaction that holds the product's row.
    """
    wanted = dict(_entries(product)) if product.is_published else {}
    stored = {entry.language: entry for entry in SearchEntry.objects.filter(product=product.pk)}
    for language in _LANGUAGES:
        old = set(stored[language].words.split()) if language in stored else set()
        key, words = wanted.get(language, (0, {}))
        new = set(_tokens(language, words))
        if old == new and (not new or stored[language].pk == key):
            continue
        SearchEntry.objects.filter(product=product.pk, language=language).delete()
        if new:
            SearchEntry.objects.create(
                pk=key, product_id=product.pk, language=language, words=" ".join(sorted(new))
            )
        before = {token[3:] for token in old}
        _count(
            language,
            {word: shown for word, (_, shown) in words.items() if word not in before},
            before - words.keys(),
        )


def remove_product(*, product_id: int) -> None:
    """Take a product out of the index, before its row is deleted."""
    for entry in SearchEntry.objects.filter(product=product_id):
        _count(entry.language, {}, {token[3:] for token in entry.words.split()})
    SearchEntry.objects.filter(product=product_id).delete()


def rebuild_index(*, products: Iterable[Product]) -> None:
    """Make the whole index anew from these products, read with their categories. For many of them at once."""
    for table in (SearchSpelling, SearchWord, SearchEntry):
        table.objects.all().delete()
    pieces: dict[str, Counter[str]] = {language: Counter() for language in _LANGUAGES}
    shown: dict[str, dict[str, str]] = {language: {} for language in _LANGUAGES}
    batch: list[Any] = []
    for product in products:
        if not product.is_published:
            continue
        for language, (key, words) in _entries(product):
            pieces[language].update(words.keys())
            shown[language] |= {word: text for word, (_, text) in words.items()}
            text = " ".join(sorted(_tokens(language, words)))
            batch.append(SearchEntry(pk=key, product_id=product.pk, language=language, words=text))
        if len(batch) >= _BATCH:
            SearchEntry.objects.bulk_create(batch)
            batch = []
    SearchEntry.objects.bulk_create(batch)
    for language in _LANGUAGES:
        _add_words(language, shown[language], pieces[language])


def _entries(product: Any) -> Iterator[tuple[str, tuple[int, dict[str, tuple[int, str]]]]]:
    """For each language: the key of the entry, and its words with the place and the way to show each."""
    for language in _LANGUAGES:
        teaser, rest = _description(_text(product, "description", language))
        places = {
            NAME: _text(product, "name", language),
            CATEGORY: _text(product.category, "name", language),
            OTHER_NAMES: getattr(product, f"name_{_SOURCE}") or "",
            TEASER: teaser,
            DESCRIPTION: f"{rest} {_text(product, 'full_description', language)}",
        }
        words: dict[str, tuple[int, str]] = {}
        for place, text in places.items():
            for word, shown in indexed_words(text, language).items():
                words.setdefault(word, (place, shown))
        yield language, (SearchEntry.key_of(product.pk, product.created_at, language), words)


def _text(row: Any, field: str, language: str) -> str:
    """As the reader of a language sees it: the French text where there is none."""
    return getattr(row, f"{field}_{language}") or getattr(row, f"{field}_{_SOURCE}") or ""


def _description(text: str) -> tuple[str, str]:
    """The first line, which cards show, and the others."""
    lines = [line for line in text.splitlines() if line.strip()]
    return (lines[0], "\n".join(lines[1:])) if lines else ("", "")


def _tokens(language: str, words: dict[str, tuple[int, str]]) -> Iterator[str]:
    for word, (place, _) in words.items():
        for level in range(place, DESCRIPTION + 1):
            yield f"{language}{level}{word}"


def _count(language: str, added: dict[str, str], removed: set[str]) -> None:
    """One product more has the words of `added` (with the way to show them), one less those of `removed`."""
    if not added and not removed:
        return
    # One writer at a time: two that count the same words would wait for each other.
    lock_names(["search-vocabulary"])
    rows = SearchWord.objects.filter(language=language)
    known = dict(rows.filter(word__in=[*added, *removed]).values_list("word", "pieces"))
    _add_words(language, {word: text for word, text in added.items() if word not in known}, None)
    for change, words in ((1, added.keys() & known.keys()), (-1, removed)):
        counts: dict[int, list[str]] = {}
        for word in words & known.keys():
            counts.setdefault(known[word] + change, []).append(word)
        for pieces, same in counts.items():
            chosen = rows.filter(word__in=same)
            if pieces > 0:
                chosen.update(pieces=pieces)
            else:
                chosen.delete()


def _add_words(language: str, shown: dict[str, str], pieces: Counter[str] | None) -> None:
    rows = [
        SearchWord(
            language=language,
            word=word,
            stem=stem(word, language),
            shown=text[: SearchWord._meta.get_field("shown").max_length],
            pieces=1 if pieces is None else pieces[word],
        )
        for word, text in sorted(shown.items())
    ]
    SearchWord.objects.bulk_create(rows, batch_size=_BATCH)
    spellings = [
        SearchSpelling(language=language, word_id=row.pk, key=key)
        for row in rows
        for key in sorted(spelling_keys(row.word))
    ]
    SearchSpelling.objects.bulk_create(spellings, batch_size=_BATCH)
