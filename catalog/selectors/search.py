"""Which products a query finds, in what order.

A product is found when it has every word that was typed, in any of its forms. It ranks by the place where the last of
them is found: name, category, synonyms, first line, description. Among equals those that can be bought come first,
then the newest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection

from catalog.models import Facet, Product, SearchEntry
from catalog.models.search import DESCRIPTION, LEVELS, OTHER_NAMES
from catalog.selectors.filters import Filters, Member, product_groups, read_members
from catalog.selectors.vocabulary import Query

# Results are ranked and counted exactly up to here: nobody turns more pages.
COUNT_CAP = 1000
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
# Of so many entries, and of so many for each one that is wanted, walking is quicker.
_MANY, _MANY_EACH = 10_000, 40


@dataclass(frozen=True, slots=True)
class Matches:
    """The keys of the products found, the best first: all of them, or the best `COUNT_CAP` when `capped`.

    `members` are those that match whatever the filters, None where there are more than are counted.
    """

    keys: Sequence[int]
    capped: bool = False
    members: Sequence[Member] | None = ()


def find_matches(
    query: Query,
    filters: Filters | None = None,
    category_id: int | None = None,
    *,
    through: int = COUNT_CAP,
) -> Matches:
    """The published products that match the query and the filters, in a category if one is given. Two queries; where
    very many match five at most, and at least `through` are returned: among those, of the last level counted,
    availability orders only the newest.
    """
    if not query.terms or not all(query.terms):
        return Matches(())
    wanted, through = filters or Filters(), min(through, COUNT_CAP)
    is_walked = _is_walked(query, through + _SPARE)
    found = _found_levels(query, COUNT_CAP + 1 + _SPARE, is_walked)
    sure = next((level for level, keys in found.items() if len(keys) > COUNT_CAP), None)
    if sure is None and is_walked:
        sure = DESCRIPTION
    levels: dict[int, int] = {}
    for level, keys in found.items():
        if sure is None or level < sure:
            levels |= {key: level for key in keys if key not in levels}
    members = _ranked(levels)
    first = [member.id for member in members if wanted.leave(member, category_id)]
    if sure is None:
        return Matches(first, members=members)
    if wanted or category_id is not None:
        keys = list(dict.fromkeys([*first, *_filtered(query, wanted, category_id)]))
        return Matches(keys[:COUNT_CAP], capped=len(keys) > COUNT_CAP, members=None)
    limit = max(0, through - len(first))
    size = limit + _SPARE + len(levels) if limit else 0
    is_ordered = sure in found and connection.vendor == "postgresql"
    newest = found[sure] if is_ordered else _newest(query, sure, size)
    others = _ranked({key: sure for key in newest[:size] if key not in levels})
    keys = [*first, *(member.id for member in others[:limit])]
    return Matches(keys[:COUNT_CAP], capped=True, members=None)


def _found_levels(query: Query, size: int, is_walked: bool) -> dict[int, list[int]]:
    """The entries that have every word at a level or a better one, up to `size`, as far as the first level of which
    more are found than are counted; not of the last level when that is walked. The newest ones first on PostgreSQL,
    which collects them all: SQLite stops at so many, and goes backwards through many words slowly. One query."""
    asked = {level: texts for level in LEVELS if (texts := _match_texts(query, level))}
    if is_walked:
        del asked[DESCRIPTION]
    order = " ORDER BY id DESC" if connection.vendor == "postgresql" else ""
    tables: list[str] = []
    few = ""
    for level, texts in asked.items():
        found = f"{_select(texts, few)}{order} LIMIT {size}"
        tables.append(f"of_{level} AS MATERIALIZED ({found})")
        few = f"(SELECT count(*) FROM of_{level}) <= {COUNT_CAP} AND "  # noqa: S608
    levels: dict[int, list[int]] = {level: [] for level in asked}
    if tables:
        union = " UNION ALL ".join(f"SELECT id, {level} FROM of_{level}" for level in asked)  # noqa: S608
        sql = f"WITH {', '.join(tables)} {union}"
        for key, level in _read(_COLLECT, sql, [text for texts in asked.values() for text in texts]):
            levels[level].append(key)
    return levels


def _read(way: str, sql: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Rows of the database; `way` is for PostgreSQL alone."""
    with connection.cursor() as cursor:
        if connection.vendor != "postgresql":
            return list(cursor.execute(sql, params).fetchall())
        cursor.execute(f"{way}{sql}", params)
        while cursor.nextset():
            pass
        return list(cursor.fetchall())


def _is_walked(query: Query, size: int) -> bool:
    """Whether surely so many products have all words of a query that PostgreSQL soon finds the newest by walking. Two
    queries, when they are not cached, for words that very many have."""
    if connection.vendor != "postgresql":
        # It reads the newest first by itself.
        return False
    many = max(_MANY, _MANY_EACH * size)
    pieces = [
        [[max(form.pieces for form in forms) for forms in option.words] for option in term]
        for term in query.terms
    ]

    def least(total: int) -> int:
        """How many products of `total` have all words even if those of a word lack as many of the others as can be."""

        def common(counts: Sequence[int]) -> int:
            return total - sum(total - count for count in counts)

        return common([max(common(words) for words in term) for term in pieces])

    # The fewer products there are in all, the more of them have all words.
    if least(max(count for term in pieces for words in term for count in words)) <= many:
        return False
    if len(pieces) == len(pieces[0]) == len(pieces[0][0]) == 1:
        return True
    return least(sum(group.count for group in product_groups())) > many


def _ranked(levels: Mapping[int, int]) -> list[Member]:
    """The products of these entries that are on sale, the best first. One query, none without entries."""
    products = {SearchEntry.product_of(key): key for key in levels}
    members = read_members(products) if products else []
    return sorted(
        members,
        key=lambda member: (
            levels[products[member.id]],
            Facet.AVAILABLE not in member.facets,
            -products[member.id],
        ),
    )


def _newest(query: Query, level: int, size: int) -> list[int]:
    """The newest entries of a level that very many have. One query, none for none."""
    if not size:
        return []
    texts = _match_texts(query, level)
    # Rows of other languages are left out before their words are unpacked.
    own = (
        f"{SearchEntry.language_condition(query.language)} AND " if connection.vendor == "postgresql" else ""
    )
    sql = f"{_select(texts, own)} ORDER BY id DESC LIMIT {size}"
    return [key for (key,) in _read(_WALK, sql, texts)]


def _filtered(query: Query, filters: Filters, category_id: int | None) -> list[int]:
    """The newest products of the last level that the filters leave, a little more than are counted, those that can be
    bought first. One query."""
    condition = filters.condition(category_id)
    columns = ("id", "is_available", "published_at")
    products = Product.objects.filter(condition, is_published=True).order_by().values(*columns)
    inside, params = products.query.get_compiler(connection=connection).as_sql()
    texts = _match_texts(query, DESCRIPTION)
    if connection.vendor == "postgresql":
        # Whether to collect or to walk, the planner can tell here: it knows how many products meet the condition.
        sql = f"""
            SELECT entry.id, product.is_available
            FROM ({inside}) AS product JOIN {_TABLE} AS entry ON entry.product_id = product.id
            WHERE {_matching(texts)} ORDER BY product.published_at DESC, product.id DESC LIMIT {COUNT_CAP + 1}
        """  # noqa: S608
        params = [*params, *texts]
    else:
        product = f"{_FULL_TEXT}.{SearchEntry.PRODUCT_OF_KEY}"
        sql = f"""
            SELECT rowid, (SELECT is_available FROM catalog_product WHERE id = {product})
            FROM {_FULL_TEXT} WHERE {_FULL_TEXT} MATCH %s AND {product} IN (SELECT id FROM ({inside}))
            ORDER BY rowid DESC LIMIT {COUNT_CAP + 1}
        """  # noqa: S608
        params = [*texts, *params]
    rows = sorted(_read(_INDEX_ONLY, sql, params), key=lambda row: (not row[1], -row[0]))
    return [SearchEntry.product_of(key) for key, _ in rows]


def _match_texts(query: Query, level: int) -> list[str]:
    """The conditions of an index of words for this level, [] when nothing can match them. They hold words of the
    vocabulary alone, of a–z and 0–9: nothing of what was typed."""
    is_postgresql = connection.vendor == "postgresql"
    either, both = (" | ", " & ") if is_postgresql else (" OR ", " AND ")
    terms = []
    for term in query.terms:
        # Synonyms are often other forms of the same word.
        options = dict.fromkeys(
            both.join(
                "(" + either.join(f"{query.language}{level}{form.word}" for form in forms) + ")"
                for forms in option.words
            )
            for option in term
            if level >= OTHER_NAMES or not option.is_synonym
        )
        if not options:
            return []
        terms.append("(" + either.join(f"({option})" for option in options) + ")")
    if not is_postgresql:
        return [both.join(terms)]
    # In one condition its index would try every row that has a rare form of some word.
    plain = [term for term in terms if either not in term]
    return [*([both.join(plain)] if plain else []), *(term for term in terms if either in term)]


def _select(texts: Sequence[str], condition: str) -> str:
    """The keys of the entries that match, under a condition."""
    if connection.vendor == "postgresql":
        return f"SELECT id FROM {_TABLE} WHERE {condition}{_matching(texts)}"  # noqa: S608
    return f"SELECT rowid AS id FROM {_FULL_TEXT} WHERE {condition}{_FULL_TEXT} MATCH %s"  # noqa: S608


def _matching(texts: Sequence[str]) -> str:
    """The same for PostgreSQL, as a condition."""
    return " AND ".join(["words @@ %s::tsquery"] * len(texts))
