"""Writing what the search reads: entries of products and the vocabulary, the same on every database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import Q

from catalog.models import Product, SearchEntry, SearchSpelling, SearchWord
from catalog.models.search import CATEGORY, DESCRIPTION, NAME, OTHER_NAMES, TEASER
from catalog.words import indexed_words, spelling_keys, stem
from shop.core.languages import LANGUAGES, SOURCE_LANGUAGE
from shop.core.transaction_locks import lock_names

_BATCH = 2000
# A language and a word of it.
_Word = tuple[str, str]


def index_products(*, products: Iterable[Product]) -> None:
    """Bring the entries of products up to date; one that is not published has none. One query when nothing changed.

    To be called in a transaction that holds the products' rows.
    """
    chosen = list(products)
    stored = {
        (entry.product_id, entry.language): entry
        for entry in SearchEntry.objects.filter(product__in=[product.pk for product in chosen])
    }
    stale: list[int] = []
    entries: list[SearchEntry] = []
    changes: Counter[_Word] = Counter()
    shown: dict[_Word, str] = {}
    for product in chosen:
        wanted = dict(_entries(product)) if product.is_published else {}
        for language in LANGUAGES:
            known = stored.get((product.pk, language))
            old = set(known.words.split()) if known else set()
            key, words = wanted.get(language, (0, {}))
            new = set(_tokens(language, words))
            if old == new and (not new or (known and known.pk == key)):
                continue
            if known:
                stale.append(known.pk)
            if new:
                entries.append(_entry(key, product.pk, language, new))
            before = {token[3:] for token in old}
            shown |= {(language, word): text for word, (_, text) in words.items() if word not in before}
            changes.update((language, word) for word in words.keys() - before)
            changes.subtract((language, word) for word in before - words.keys())
    if stale:
        SearchEntry.objects.filter(pk__in=stale).delete()
    SearchEntry.objects.bulk_create(entries, batch_size=_BATCH)
    _count(changes, shown)


def lock_vocabulary() -> None:
    """Let one transaction at a time count words: two that count the same ones would wait for each other."""
    lock_names(["search-vocabulary"])


def remove_product(*, product_id: int) -> None:
    """Take a product out of the index, before its row is deleted."""
    entries = SearchEntry.objects.filter(product=product_id)
    words = {(entry.language, token[3:]) for entry in entries for token in entry.words.split()}
    _count(Counter(dict.fromkeys(words, -1)), {})
    SearchEntry.objects.filter(product=product_id).delete()


def _entries(product: Any) -> Iterator[tuple[str, tuple[int, dict[str, tuple[int, str]]]]]:
    """For each language: the key of the entry, and its words with the place and the way to show each."""
    for language in LANGUAGES:
        teaser, rest = _description(shown_text(product, "description", language))
        places = {
            NAME: shown_text(product, "name", language),
            CATEGORY: shown_text(product.category, "name", language),
            OTHER_NAMES: getattr(product, f"name_{SOURCE_LANGUAGE}") or "",
            TEASER: teaser,
            DESCRIPTION: f"{rest} {shown_text(product, 'full_description', language)}",
        }
        words: dict[str, tuple[int, str]] = {}
        for place, text in places.items():
            for word, shown in indexed_words(text, language).items():
                words.setdefault(word, (place, shown))
        yield language, (SearchEntry.key_of(product.pk, product.published_at, language), words)


def shown_text(row: Any, field: str, language: str) -> str:
    """As the reader of a language sees it: the French text where there is none."""
    return getattr(row, f"{field}_{language}") or getattr(row, f"{field}_{SOURCE_LANGUAGE}") or ""


def _description(text: str) -> tuple[str, str]:
    """The first line, which cards show, and the others."""
    lines = [line for line in text.splitlines() if line.strip()]
    return (lines[0], "\n".join(lines[1:])) if lines else ("", "")


def _tokens(language: str, words: dict[str, tuple[int, str]]) -> Iterator[str]:
    for word, (place, _) in words.items():
        for level in range(place, DESCRIPTION + 1):
            yield f"{language}{level}{word}"


def _entry(key: int, product_id: int, language: str, tokens: Iterable[str]) -> SearchEntry:
    return SearchEntry(pk=key, product_id=product_id, language=language, words=" ".join(sorted(tokens)))


def _count(changes: Counter[_Word], shown: dict[_Word, str]) -> None:
    """So many products more, or less, have each of these words; `shown` is the way to show those that are new."""
    changes = Counter({word: change for word, change in changes.items() if change})
    if not changes:
        return
    lock_vocabulary()
    looked_for: dict[str, list[str]] = {}
    for language, word in changes:
        looked_for.setdefault(language, []).append(word)
    in_any = Q(
        *(Q(language=language, word__in=words) for language, words in looked_for.items()), _connector=Q.OR
    )
    known = {(row.language, row.word): row for row in SearchWord.objects.filter(in_any)}
    _add_words({word: shown[word] for word in changes.keys() - known.keys() if changes[word] > 0}, changes)
    counts: dict[int, list[int]] = {}
    for each, row in known.items():
        counts.setdefault(row.pieces + changes[each], []).append(row.pk)
    for pieces, same in counts.items():
        chosen = SearchWord.objects.filter(pk__in=same)
        if pieces > 0:
            chosen.update(pieces=pieces)
        else:
            chosen.delete()


def _add_words(shown: dict[_Word, str], pieces: Counter[_Word]) -> None:
    rows = [
        SearchWord(
            language=language,
            word=word,
            stem=stem(word, language),
            shown=text[: SearchWord._meta.get_field("shown").max_length],
            pieces=pieces[language, word],
        )
        for (language, word), text in sorted(shown.items())
    ]
    SearchWord.objects.bulk_create(rows, batch_size=_BATCH)
    spellings = [
        SearchSpelling(language=row.language, word_id=row.pk, key=key)
        for row in rows
        for key in sorted(spelling_keys(row.word))
    ]
    SearchSpelling.objects.bulk_create(spellings, batch_size=_BATCH)
