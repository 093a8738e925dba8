"""Which products a query finds, in what order.

A product is found when it has every word that was typed, in any of its forms. It ranks by the place where the last of
them is found: name, category, synonyms, first line, description. Among equals those that can be bought come first,
then the newest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import BooleanField, ExpressionWrapper, Q

from catalog.models import Product, SearchEntry
from catalog.selectors.availability import available_condition
from catalog.selectors.vocabulary import Query

# Results are ranked and counted exactly up to here: nobody turns more pages.
COUNT_CAP = 1000
_LEVELS = (1, 2, 3, 4, 5)
# The first level at which synonyms count: `catalog.services.search_index.OTHER_NAMES`.
_SYNONYMS = 3
_TABLE = "catalog_searchentry"
_FULL_TEXT = "catalog_searchentry_words"
# So many more are read than are shown, so that those that can be bought come first.
_SPARE = 76
# PostgreSQL does not count what unpacking each row's words costs. Without being told it would read the whole table for
# a word that many products have; and to find the newest it walks the keys for a word that few have, or collects all
# entries for one that most have. To start more processes costs more than they save.
_INDEX_ONLY = "SET LOCAL enable_seqscan = off; SET LOCAL max_parallel_workers_per_gather = 0; "
_COLLECT = f"{_INDEX_ONLY}SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = on; "
_WALK = f"{_INDEX_ONLY}SET LOCAL enable_bitmapscan = off; SET LOCAL enable_indexscan = on; "
# Of so many entries walking is quicker.
_MANY = 10_000
_AVAILABLE = ExpressionWrapper(available_condition(), output_field=BooleanField())


@dataclass(frozen=True, slots=True)
class Matches:
    """The keys of the products found, the best first: all of them, or the best `COUNT_CAP` when `capped`.

    `unfiltered` are those that match whatever the condition, None where there are more than are counted.
    """

    keys: Sequence[int]
    capped: bool = False
    unfiltered: Sequence[int] | None = ()


def find_matches(query: Query, condition: Q | None = None, *, through: int = COUNT_CAP) -> Matches:
    """The published products that match the query and the condition. Two queries; a third where very many match, of
    which at least `through` are returned: among those, of the last level counted, availability orders only the newest.
    """
    if not query.terms or not all(query.terms):
        return Matches(())
    found = _found_levels(query)
    sure = next((level for level, keys in found.items() if keys is None or len(keys) > COUNT_CAP), None)
    levels: dict[int, int] = {}
    for level, keys in found.items():
        if keys is not None and (sure is None or level < sure):
            levels |= {key: level for key in keys if key not in levels}
    first = _ranked(levels, condition)
    if sure is None:
        return Matches(first, unfiltered=[SearchEntry.product_of(key) for key in levels])
    if condition is None:
        more = _newest(query, sure, set(levels), min(through, COUNT_CAP) - len(first))
        return Matches([*first, *more][:COUNT_CAP], capped=True, unfiltered=None)
    keys = [*first, *(key for key in _filtered(query, condition) if key not in set(first))]
    return Matches(keys[:COUNT_CAP], capped=len(keys) > COUNT_CAP, unfiltered=None)


def _found_levels(query: Query) -> dict[int, list[int] | None]:
    """The entries that have every word at a level or a better one, a little more than are counted; None for a level
    that surely has more. One query."""
    asked = [(level, text) for level in _LEVELS if (text := _match_text(query, level))]
    sure = _most_of_one_word(query) > COUNT_CAP
    if sure:
        asked.pop()
    sql = " UNION ALL ".join(
        f"SELECT * FROM ({_select(f'{level} AS level')} LIMIT {COUNT_CAP + 1}) AS of_{level}"  # noqa: S608
        for level, _ in asked
    )
    found: dict[int, list[int]] = {level: [] for level, _ in asked}
    for key, level in _read(_COLLECT, sql, [text for _, text in asked]):
        found[level].append(key)
    return {**found, _LEVELS[-1]: None} if sure else {**found}


def _read(way: str, sql: str, params: Sequence[Any]) -> list[tuple[int, int]]:
    """Keys and levels; `way` is for PostgreSQL alone."""
    with connection.cursor() as cursor:
        if connection.vendor != "postgresql":
            return list(cursor.execute(sql, params).fetchall())
        cursor.execute(f"{way}{sql}", params)
        while cursor.nextset():
            pass
        return list(cursor.fetchall())


def _most_of_one_word(query: Query) -> int:
    """How many products surely have the only word of a query, in one of its forms. 0 for a query of more words."""
    words = [option.words for term in query.terms for option in term if not option.is_synonym]
    if len(query.terms) > 1 or len(words) != 1 or len(words[0]) != 1:
        return 0
    return max(form.pieces for form in words[0][0])


def _is_walked(query: Query, level: int) -> bool:
    """Whether so many products may have all words of a query that the newest are soon found by walking. What stands in
    a better place than the description, few have."""
    most = min(
        sum(min(sum(form.pieces for form in forms) for forms in option.words) for option in term)
        for term in query.terms
    )
    return level == _LEVELS[-1] and most > _MANY


def _ranked(levels: dict[int, int], condition: Q | None) -> list[int]:
    """The products of these entries that are on sale and meet the condition, the best first. One query."""
    if not levels:
        return []
    products = {SearchEntry.product_of(key): key for key in levels}
    rows = Product.objects.filter(condition or Q(), pk__in=products, is_published=True)
    available = dict(rows.annotate(available=_AVAILABLE).values_list("pk", "available"))
    return sorted(available, key=lambda pk: (levels[products[pk]], not available[pk], -products[pk]))


def _newest(query: Query, level: int, known: set[int], limit: int) -> list[int]:
    """The newest products of a level that very many have: those among them that can be bought first. Two queries."""
    if limit <= 0:
        return []
    size = limit + max(limit, _SPARE) + len(known)
    sql = f"{_select('0', _of_language(query))} ORDER BY id DESC LIMIT {size}"
    rows = _read(_WALK if _is_walked(query, level) else _COLLECT, sql, [_match_text(query, level)])
    keys = [key for key, _ in rows if key not in known]
    return _ranked(dict.fromkeys(keys, level), None)[:limit]


def _filtered(query: Query, condition: Q) -> list[int]:
    """The newest matches that meet a condition where very many match: those among them that can be bought first. Two
    queries."""
    level = _LEVELS[-1]
    rows = Product.objects.filter(condition, is_published=True).order_by().values("pk")
    inside, params = rows.query.get_compiler(connection=connection).as_sql()
    order = f"ORDER BY id DESC LIMIT {COUNT_CAP + 1}"
    text = _match_text(query, level)
    if connection.vendor == "postgresql" and _is_walked(query, level):
        # The words of a row are unpacked last.
        condition_sql = f"CASE WHEN product_id IN ({inside}) THEN words @@ %s::tsquery ELSE false END"
        sql = f"SELECT id, 0 FROM {_TABLE} WHERE {_of_language(query)}{condition_sql} {order}"  # noqa: S608
        rows_found = _read(_WALK, sql, [*params, text])
    else:
        product = "product_id" if connection.vendor == "postgresql" else f"({SearchEntry.PRODUCT_OF_KEY})"
        sql = f"{_select('0')} AND {product} IN ({inside}) {order}"
        rows_found = _read(_COLLECT, sql, [text, *params])
    return _ranked({key: level for key, _ in rows_found}, None)


def _match_text(query: Query, level: int) -> str:
    """The query of an index of words for this level, "" when nothing can match it. It holds words of the vocabulary
    alone, of a–z and 0–9: nothing of what was typed."""
    either, both = (" | ", " & ") if connection.vendor == "postgresql" else (" OR ", " AND ")
    terms = []
    for term in query.terms:
        options = [
            both.join(
                "(" + either.join(f"{query.language}{level}{form.word}" for form in forms) + ")"
                for forms in option.words
            )
            for option in term
            if level >= _SYNONYMS or not option.is_synonym
        ]
        if not options:
            return ""
        terms.append("(" + either.join(f"({option})" for option in options) + ")")
    return both.join(terms)


def _select(what: str, condition: str = "") -> str:
    if connection.vendor == "postgresql":
        return f"SELECT id, {what} FROM {_TABLE} WHERE {condition}words @@ %s::tsquery"  # noqa: S608
    return f"SELECT rowid AS id, {what} FROM {_FULL_TEXT} WHERE {_FULL_TEXT} MATCH %s"  # noqa: S608


def _of_language(query: Query) -> str:
    """Rows of other languages are left out before their words are unpacked."""
    return f"{SearchEntry.language_condition(query.language)} AND "
