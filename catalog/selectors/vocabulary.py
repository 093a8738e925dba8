"""What a visitor typed, as words that some product has: forms of the word, words that begin so, synonyms, and where
there are none, words that are spelled nearly alike."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import NamedTuple

from django.db.models import Q

from catalog.models import SearchSpelling, SearchWord, Synonym
from catalog.words import EMPTY_WORDS, KIND_WORDS, distance, spelling_keys, split_words, stem
from shop.core.fragment_cache import cached_fragment
from shop.core.languages import active_language

MAX_QUERY_LENGTH = 200
MAX_QUERY_WORDS = 12
# Of a word that many others begin with, those that most products have.
MAX_FORMS = 20
# Of two letters, which begin very many words, fewer: each is looked up in the index.
MAX_FORMS_OF_TWO = 10
# From so many letters on a word is found by its beginning, and the last one, which may still be typed, earlier.
SHORTEST_BEGINNING = 3
SHORTEST_LAST_BEGINNING = 2
# A word of so many letters may have two wrong ones.
_LONG_WORD = 8
_BEYOND = "~"
# « & » and « + » stand for "and".
_BETWEEN_WORDS = {"sign26", "sign2b"}


class Form(NamedTuple):
    """A word of the vocabulary."""

    word: str
    stem: str
    shown: str
    pieces: int


@dataclass(frozen=True, slots=True)
class Alternative:
    """Words that a product must all have, each in one of its forms. `is_synonym`: the visitor typed others."""

    words: tuple[tuple[Form, ...], ...]
    is_synonym: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for: of each term one alternative. `corrected` is what the words were taken for, or ""."""

    text: str
    language: str
    terms: tuple[tuple[Alternative, ...], ...]
    corrected: str = ""


def clean_query(text: str) -> str:
    """What the visitor typed, trimmed and cut to 200 characters, without characters that no page can show."""
    visible = "".join(character for character in text if unicodedata.category(character) not in ("Cc", "Cs"))
    return visible.strip()[:MAX_QUERY_LENGTH].strip()


def read_query(text: str) -> Query:
    """The query in the active language. Three queries at most: the synonyms, the vocabulary, and near words for what
    is not in it. Without words there are no terms."""
    language = active_language()
    groups = _groups(text, language)
    if not groups:
        return Query(text, language, ())
    units = _units(groups, _synonyms(language), language)
    units = [unit for unit in units if not {*chain(*unit.groups)} <= KIND_WORDS[language]] or units
    typed = {word for group in groups for word in (*group, "".join(group))}
    meant = {word for unit in units for option in unit.synonyms for word in option}
    together = {"".join(one + other) for one, other in pairwise(groups)}
    forms = _forms(typed, meant | together, language, last=groups[-1][-1])
    units = _joined(units, forms)
    # A word of which staff have written what it means is no typing error.
    unknown = [
        unit
        for unit in units
        if not unit.together and not any(all(map(forms.get, option)) for option in unit.synonyms)
    ]
    parts = {word for unit in unknown for word in _own(unit, forms, language)}
    near = near_forms({word for word in parts if not forms[word]}, language)
    terms: list[tuple[Alternative, ...]] = []
    shown: list[str] = []
    for unit in units:
        own = _own(unit, forms, language)
        shown += [" ".join(taken[0].shown for taken in near.get(word, ())) or word for word in own]
        options = [Alternative(tuple(taken for word in own for taken in near.get(word) or (forms[word],)))]
        if unit.together:
            options.append(Alternative((forms[unit.together],)))
        options += [Alternative(tuple(forms[word] for word in option), True) for option in unit.synonyms]
        terms.append(tuple(option for option in options if all(option.words)))
    return Query(text, language, tuple(terms), " ".join(shown) if any(near.values()) else "")


def near_forms(words: Collection[str], language: str) -> dict[str, tuple[tuple[Form, ...], ...]]:
    """For each of the words what it was taken for, in its forms: the one that is spelled most nearly alike, none beyond
    one wrong letter (two in a long word), else two words that it writes together. One query, none without words."""
    keys = {word: spelling_keys(word) for word in words}
    if not keys:
        return {}
    cuts = {word: [(word[:cut], word[cut:]) for cut in range(2, len(word) - 1)] for word in words}
    parts = {part for pairs in cuts.values() for pair in pairs for part in pair}
    rows = SearchSpelling.objects.filter(language=language, key__in=parts.union(*keys.values()))
    found: dict[str, set[Form]] = {}
    columns = ("key", "word__word", "word__stem", "word__shown", "word__pieces")
    for key, word, own, shown, pieces in rows.values_list(*columns):
        found.setdefault(key, set()).add(Form(word, own, shown, pieces))
    known = {form.word: form for forms in found.values() for form in forms}
    taken: dict[str, tuple[tuple[Form, ...], ...]] = {}
    for word, spelled in keys.items():
        near = _nearest(word, {form for key in spelled for form in found.get(key, ())})
        apart = [(known[one], known[two]) for one, two in cuts[word] if one in known and two in known]
        if near:
            taken[word] = (near,)
        elif apart:
            taken[word] = tuple((form,) for form in max(apart, key=lambda pair: min(f.pieces for f in pair)))
    return taken


def words_near(query: Query, limit: int) -> list[str]:
    """What to propose instead of a query that finds nothing: single words of it that some product has."""
    forms = {form for term in query.terms for option in term for word in option.words for form in word}
    ranked = sorted(forms, key=lambda form: (-form.pieces, form.word))
    typed = " ".join(word for group in _groups(query.text, query.language) for word in group)
    return list(dict.fromkeys(form.shown for form in ranked if form.word != typed))[:limit]


def _nearest(word: str, candidates: Iterable[Form]) -> tuple[Form, ...]:
    allowed = 2 if len(word) >= _LONG_WORD else 1
    far = {form: distance(word, form.word) for form in candidates}
    near = sorted(
        (form for form in far if far[form] <= allowed), key=lambda form: (far[form], -form.pieces, form.word)
    )
    return tuple(form for form in near if form.stem == near[0].stem)


def _groups(text: str, language: str) -> list[list[str]]:
    """The words typed, the parts of one with hyphens together: twelve at most, without those that say nothing unless
    nothing else was typed."""
    split = [
        [part for word in group for part in _without_kind(word.plain, language)]
        for group in split_words(text)
    ]
    empty = EMPTY_WORDS[language] | _BETWEEN_WORDS
    telling = [group for group in split if len(group) > 1 or group[0] not in empty]
    groups: list[list[str]] = []
    left = MAX_QUERY_WORDS
    for group in telling or split:
        if left > 0 and group not in groups:
            groups.append(group[:left])
            left -= len(groups[-1])
    return groups


def _without_kind(word: str, language: str) -> list[str]:
    """« Drachenfigur » as « Drachen-Figur »: what people call every piece may be written together with another word."""
    for kind in KIND_WORDS[language]:
        if word.endswith(kind) and len(word) >= len(kind) + SHORTEST_BEGINNING:
            return [word.removesuffix(kind), kind]
    return [word]


Expression = tuple[str, ...]
"""Words that stand side by side; one with hyphens written together."""


class _Unit(NamedTuple):
    """Words of the query, and the expressions that mean the same. `together` is two words written as one, where some
    product has that."""

    groups: list[list[str]]
    synonyms: list[Expression]
    together: str = ""


def _units(groups: list[list[str]], synonyms: list[list[Expression]], language: str) -> list[_Unit]:
    """The query cut where synonyms begin and end, the longest expression first."""
    stems = [stem("".join(group), language) for group in groups]
    units: list[_Unit] = []
    start = 0
    while start < len(groups):
        size, meant = 1, list[Expression]()
        for known in synonyms:
            for expression in known:
                length = len(expression)
                if length >= size and stems[start : start + length] == [
                    stem(w, language) for w in expression
                ]:
                    meant = meant if length == size else []
                    size = length
                    meant += [other for other in known if other != expression and other not in meant]
        units.append(_Unit(groups[start : start + size], meant))
        start += size
    return units


def _joined(units: list[_Unit], forms: Mapping[str, tuple[Form, ...]]) -> list[_Unit]:
    """The units, two neighbours as one where some product has them written together: « poké ball », « pokeball »."""
    joined: list[_Unit] = []
    for unit in units:
        before = joined[-1] if joined and not joined[-1].together else None
        if before is not None and len(before.groups) == len(unit.groups) == 1:
            one, two = "".join(before.groups[0]), "".join(unit.groups[0])
            if forms[one + two]:
                meant = [
                    left + right for left in [(one,), *before.synonyms] for right in [(two,), *unit.synonyms]
                ]
                joined[-1] = _Unit([*before.groups, *unit.groups], meant[1:], one + two)
                continue
        joined.append(unit)
    return joined


def _own(unit: _Unit, forms: Mapping[str, tuple[Form, ...]], language: str) -> list[str]:
    """The words typed, of one with hyphens that no product has its parts, without those that say nothing."""
    words: list[str] = []
    silent = EMPTY_WORDS[language] | KIND_WORDS[language]
    for group in unit.groups:
        together = "".join(group)
        telling = [word for word in group if word not in silent]
        words += [together] if forms[together] else telling or group
    return words


def _synonyms(language: str) -> list[list[Expression]]:
    """Staff's groups of this language. One query when they are not cached."""
    return cached_fragment(lambda: _read_synonyms(language), "synonyms", language)


def _read_synonyms(language: str) -> list[list[Expression]]:
    return [
        [tuple("".join(group) for group in expression) for expression in row.groups()]
        for row in Synonym.objects.filter(language=language)
    ]


def _forms(
    typed: Collection[str], meant: Collection[str], language: str, last: str
) -> dict[str, tuple[Form, ...]]:
    """The forms of each word in the vocabulary, for the typed ones also the words that begin so. One query."""
    stems = {word: stem(word, language) for word in {*typed, *meant}}
    wanted = Q(stem__in=set(stems.values()))
    beginnings = {
        word
        for word in typed
        if len(word) >= (SHORTEST_LAST_BEGINNING if word == last else SHORTEST_BEGINNING)
    }
    for word in sorted(beginnings):
        wanted |= Q(word__gte=word, word__lt=word + _BEYOND)
    rows = SearchWord.objects.filter(wanted, language=language).values_list("word", "stem", "shown", "pieces")
    known = [Form(*row) for row in rows]
    found: dict[str, tuple[Form, ...]] = {}
    for word, own in stems.items():
        begins = word in beginnings
        same = [form for form in known if form.stem == own or (begins and form.word.startswith(word))]
        same.sort(key=lambda form: (form.word != word, form.stem != own, -form.pieces, form.word))
        found[word] = tuple(same[: MAX_FORMS_OF_TWO if len(word) < SHORTEST_BEGINNING else MAX_FORMS])
    return found
