"""Database time of the catalogue's lists and searches over many products.

    DATABASE_URL=postgres://… python tests/load/search_bench.py [--products 100000] [--limit-ms 50]

It works in a database of its own (Django's test database), made and dropped by the script; with `--keep` it stays,
and the next run with `--keep` finds it seeded. Texts are drawn from a fixed seed: four languages, some 130 words each,
word frequencies as in natural language, and a few words of known frequency. Each case is asked `--repeat` times after a
first time that fills the caches; the median and the best are printed, and the script fails when a median is above
`--limit-ms` (0: only print).
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    options = _options()
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")
    os.environ.setdefault("DEBUG", "true")
    # Indexing everything at once takes longer than a visitor may wait.
    os.environ.setdefault("DATABASE_STATEMENT_SECONDS", "3600")
    import django
    from django.conf import settings
    from django.db import connection

    django.setup()
    # No list of all statements in memory.
    settings.DEBUG = False
    from catalog.models import Product, SearchWord
    from tests.load.catalogue import index_words, seed

    if connection.vendor == "sqlite":
        # A file, as the shop has it: Django's own would be in memory.
        connection.settings_dict["TEST"]["NAME"] = str(settings.DATA_DIR / "search_bench.sqlite3")
    name = connection.creation.create_test_db(
        verbosity=0, autoclobber=True, serialize=False, keepdb=options.keep
    )
    try:
        print(f"{connection.vendor} · {options.products} products · database {name}")
        started = time.perf_counter()
        if Product.objects.count() < options.products:
            seed(options.products)
        elif not SearchWord.objects.exists():
            index_words()
        print(f"seeded in {time.perf_counter() - started:.0f} s")
        slow = _measure(options)
    finally:
        connection.creation.destroy_test_db(name, verbosity=0, keepdb=options.keep)
    if slow:
        print(f"above {options.limit_ms} ms: {', '.join(slow)}")
    return 1 if slow else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--products", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--limit-ms", type=float, default=0)
    parser.add_argument("--keep", action="store_true", help="leave the seeded database for the next run")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--explain", action="store_true", help="print each statement's plan (PostgreSQL)")
    return parser.parse_args()


def _cases() -> dict[str, Callable[[], Any]]:
    from django.utils import translation

    from catalog.models import SearchWord
    from catalog.selectors import cards, categories, listing, suggestions
    from catalog.selectors.filters import Filters
    from catalog.selectors.vocabulary import MAX_QUERY_WORDS
    from tests.load.catalogue import KNOWN_WORDS, LANGUAGES

    shown = categories.listed_categories(with_collections=False)
    total = sum(card.count for card in shown)

    def listed(number: int = 1, slug: str = "", known: int | None = None) -> Callable[[], Any]:
        key = categories.category_key(slug) if slug else None
        keys = listing.main_catalogue() if key is None else [key]
        return lambda: listing.card_page(
            listing.find_products(category_ids=keys, number=number, known_count=known)
        )

    def searched(text: str, *, number: int = 1, sort: str = "", **chosen: str) -> Callable[[], Any]:
        asked = Filters({name: (value,) for name, value in chosen.items()})
        order = listing.sort_columns(sort) if sort else None
        return lambda: listing.card_page(
            listing.search_products(text=text, number=number, filters=asked, order=order)
        )

    def filtered(**chosen: str) -> Callable[[], Any]:
        asked = Filters({name: (value,) for name, value in chosen.items()})
        return lambda: listing.find_filtered(category_ids=listing.main_catalogue(), filters=asked)

    def in_language(language: str, case: Callable[[], Any]) -> Callable[[], Any]:
        def asked() -> None:
            with translation.override(language):
                case()

        return asked

    def suggested(text: str) -> Callable[[], Any]:
        return lambda: suggestions.suggest(text)

    last = -(-total // listing.PAGE_SIZE)
    cases: dict[str, Callable[[], Any]] = {
        "categories with counts": categories.category_cards,
        "first page": listed(known=total),
        "page 100": listed(number=min(100, last), known=total),
        f"last page ({last})": listed(number=last, known=total),
        "one category": listed(slug=shown[0].slug, known=shown[0].count),
        "API first page (counted)": listed(),
    }
    for word, one_in in KNOWN_WORDS.items():
        cases[f"search {word} (1 in {one_in})"] = searched(word)
    words = SearchWord.objects.filter(language="fr", pieces__gt=0).order_by("-pieces", "word")
    common = list(words.values_list("word", flat=True)[:400])
    draw = random.Random(2)
    for size in range(1, MAX_QUERY_WORDS + 1):
        for place, pool in (("common", common[:40]), ("frequent", common)):
            text = " ".join(draw.sample(pool, size))
            cases[f"search {size} {place} words"] = searched(text)
    for language in LANGUAGES:
        rows = SearchWord.objects.filter(language=language, pieces__gt=0).order_by("-pieces", "word")
        common = list(rows.values_list("word", flat=True)[:400])
        # The beginnings that most words have in common.
        beginnings = Counter(word[:2] for word in rows.values_list("word", flat=True)).most_common(2)
        texts = [" ".join(draw.sample(common, 3)), common[0], common[200], *(text for text, _ in beginnings)]
        for text in texts:
            cases[f"search {language}: {text}"] = in_language(language, searched(text))
    cases |= {
        "search figurine dragon": searched("figurine dragon"),
        "search figurine zeppelin": searched("figurine zeppelin"),
        "search dragon, page 3": searched("dragon", number=3),
        "search figurine, page 40": searched("figurine", number=40),
        "search ba (two letters)": searched("ba"),
        "search bar (three letters)": searched("bar"),
        "search qx (two letters, nothing)": searched("qx"),
        "search amethsyte (wrong letters)": searched("amethsyte"),
        "search xyzzyx (nothing)": searched("xyzzyx"),
        "search % (sign)": searched("%"),
        "search dragon ba": searched("dragon ba"),
        "search zeppelin ba": searched("zeppelin ba"),
        "search ba, ready": searched("ba", availability="ready"),
        "search ba, large": searched("ba", size="large"),
        "search dragon, ready and large": searched("dragon", availability="ready", size="large"),
        "search amethyste, ready": searched("amethyste", availability="ready"),
        "search figurine by price": searched("figurine", sort="price"),
        "search figurine, ready": searched("figurine", availability="ready"),
        "search zeppelin, ready": searched("zeppelin", availability="ready"),
        "suggest ba": suggested("ba"),
        "suggest dra": suggested("dra"),
        "suggest figurine dr": suggested("figurine dr"),
        "suggest zeppelin": suggested("zeppelin"),
        "list, ready (groups counted)": filtered(availability="ready"),
        "list, ready and large": filtered(availability="ready", size="large"),
        "featured": lambda: cards.featured_cards(6),
        "gallery of the day": cards.daily_gallery,
    }
    return cases


def _measure(options: argparse.Namespace) -> list[str]:
    from django.db import connection

    Statements.watch(connection)
    slow = []
    searches: list[float] = []

    def smallest() -> None:
        connection.cursor().execute("SELECT 1")

    cases = {"smallest query": smallest, **_cases()}
    for name, case in cases.items():
        if options.only not in name:
            continue
        case()
        totals = []
        before = Statements.processor_ms(connection)
        for _ in range(options.repeat):
            Statements.seen.clear()
            case()
            totals.append(sum(seconds for seconds, _, _ in Statements.seen) * 1000)
        spent = (Statements.processor_ms(connection) - before) / options.repeat
        median, late = statistics.median(totals), statistics.quantiles(totals, n=20)[-1]
        if name.startswith("search"):
            searches += totals
        parts = " + ".join(f"{seconds * 1000:.1f}" for seconds, _, _ in Statements.seen)
        print(
            f"{name:38} median {median:7.1f} ms   95 % {late:7.1f} ms   processor {spent:6.1f} ms   "
            f"{len(Statements.seen)} queries ({parts})",
            flush=True,
        )
        if options.limit_ms and late > options.limit_ms:
            slow.append(name)
        if options.explain:
            _explain([(sql, params) for _, sql, params in Statements.seen])
    if len(searches) > 1:
        late = statistics.quantiles(searches, n=20)[-1]
        print(f"searches: 95 % within {late:.1f} ms of the database")
    return slow


class Statements:
    """What was sent to the database, and how long sending and reading took: SQLite works while rows are fetched."""

    seen: ClassVar[list[tuple[float, str, Any]]] = []

    @classmethod
    def watch(cls, connection: Any) -> None:
        from django.db.backends.utils import CursorWrapper

        class Cursor(CursorWrapper):
            def execute(self, sql: Any, params: Any = None) -> Any:
                cls.seen.append((0.0, sql, params))
                return cls.timed(super().execute, sql, params)

            def fetchmany(self, *args: Any) -> Any:
                return cls.timed(self.cursor.fetchmany, *args)

            def fetchone(self) -> Any:
                return cls.timed(self.cursor.fetchone)

            def fetchall(self) -> Any:
                return cls.timed(self.cursor.fetchall)

        connection.make_cursor = lambda cursor: Cursor(cursor, connection)

    processor: ClassVar[float] = 0.0

    @classmethod
    def processor_ms(cls, connection: Any) -> float:
        """What the database has worked: without the waiting for a processor that others use."""
        if connection.vendor == "sqlite":
            return cls.processor * 1000
        worked = Path(f"/proc/{connection.connection.info.backend_pid}/schedstat")
        return int(worked.read_text().split()[0]) / 1_000_000 if worked.exists() else 0.0

    @classmethod
    def timed(cls, read: Callable[..., Any], *args: Any) -> Any:
        before, worked = time.perf_counter(), time.thread_time()
        try:
            return read(*args)
        finally:
            cls.processor += time.thread_time() - worked
            seconds, sql, params = cls.seen[-1]
            cls.seen[-1] = (seconds + time.perf_counter() - before, sql, params)


def _explain(statements: list[tuple[str, Any]]) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        for sql, params in statements:
            *settings, statement = str(sql).rsplit("; ", 1)
            # Settings of the statement's own transaction.
            ways = "".join(f"{setting}; " for setting in settings)
            cursor.execute(f"{ways}EXPLAIN (ANALYZE, BUFFERS) {statement}", params)
            while cursor.nextset():
                pass
            print("\n".join(f"      {row[0]}" for row in cursor.fetchall()))


if __name__ == "__main__":
    sys.exit(main())
