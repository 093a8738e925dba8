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
import importlib
import os
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = ("fr", "en", "es", "de")
VOCABULARY = 9000
# A word that stands in one product out of so many.
KNOWN_WORDS = {
    "figurine": 1,
    "resine": 2,
    "dragon": 10,
    "amethyste": 50,
    "zeppelin": 500,
    "quetzalcoatl": 20_000,
}
BATCH = 2000


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


def seed(count: int) -> None:
    from django.db import connection
    from django.utils import timezone

    from catalog.models import Category, CategoryKind, Product, ProductImage, Variant
    from catalog.selectors.availability import listed_columns
    from catalog.words import known_beginnings

    draw = random.Random(1)
    words = _vocabulary(draw)
    categories = [
        Category.objects.create(slug=f"main-{number}", name=f"Rayon {number}", position=number)
        for number in range(9)
    ] + [
        Category.objects.create(
            slug=f"collection-{number}", name=f"Collection {number}", kind=CategoryKind.COLLECTION
        )
        for number in range(5)
    ]
    now = timezone.now()
    batch: list[Product] = []
    for number in range(count):
        known = [word for word, one_in in KNOWN_WORDS.items() if number % one_in == 0]
        texts = {language: next(words) for language in LANGUAGES}
        price = Decimal(draw.randrange(1200, 25000)) / 100
        product = Product(
            category=categories[draw.choices(range(14), weights=[9] * 9 + [4] * 5)[0]],
            price=price,
            price_from=price,
            price_to=price,
            featured=number % 500 == 0,
            in_stock=number % 9 != 0,
            stock_quantity=number % 4 if number % 3 == 0 else None,
            height_cm=Decimal(draw.randrange(40, 260)) / 10,
            created_at=now - timedelta(minutes=count - number),
            **{f"name_{language}": texts[language][0] for language in LANGUAGES},
            **{f"slug_{language}": f"piece-{number}" for language in LANGUAGES},
            **{f"description_{language}": texts[language][1] for language in LANGUAGES},
            **{f"full_description_{language}": texts[language][2] for language in LANGUAGES},
        )
        for language in LANGUAGES:
            text = getattr(product, f"full_description_{language}")
            setattr(product, f"full_description_{language}", " ".join([text, *known]))
        product.search_text = known_beginnings(
            word for shown in texts.values() for text in (*shown, *known) for word in text.lower().split()
        )
        for name, value in listed_columns(product, [Variant(product=product)]).items():
            setattr(product, name, value)
        batch.append(product)
        if len(batch) == BATCH or number == count - 1:
            Product.objects.bulk_create(batch)
            Variant.objects.bulk_create(Variant(product=row) for row in batch)
            ProductImage.objects.bulk_create(
                ProductImage(product=row, file=f"products/{row.pk}.jpg", width=800, height=1000)
                for row in batch
            )
            batch = []
    index_words()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")


def index_words() -> None:
    """The index of the search over all products, in every language. The database's own index is dropped meanwhile: it
    is made at once much sooner."""
    from django.db import connection, transaction

    from catalog.models import Product
    from catalog.services import search_index

    # The texts drawn here are plain words already: to take them apart again would be most of the time.
    search_index.indexed_words = _drawn_words
    migration = importlib.import_module("catalog.migrations.0002_search_index")
    index = migration.FULL_TEXT
    is_postgresql = connection.vendor == "postgresql"
    with connection.cursor() as cursor:
        if is_postgresql:
            cursor.execute(f"DROP INDEX IF EXISTS {index}")
        else:
            migration.drop_index(None, connection.schema_editor())
        with transaction.atomic():
            _index(Product.objects.select_related("category").order_by("pk").iterator(chunk_size=BATCH))
        for statement in migration._POSTGRESQL[2:3] if is_postgresql else migration._SQLITE:
            cursor.execute(statement)


def _index(products: Iterable[Any]) -> None:
    """As `index_products`, which counts each word again for every few products."""
    from catalog.models import SearchEntry
    from catalog.services import search_index

    pieces: Counter[tuple[str, str]] = Counter()
    shown: dict[tuple[str, str], str] = {}
    batch: list[SearchEntry] = []
    for product in products:
        for language, (key, words) in search_index._entries(product):
            pieces.update((language, word) for word in words)
            shown |= {(language, word): text for word, (_, text) in words.items()}
            batch.append(
                search_index._entry(key, product.pk, language, search_index._tokens(language, words))
            )
        if len(batch) >= BATCH:
            SearchEntry.objects.bulk_create(batch)
            batch = []
    SearchEntry.objects.bulk_create(batch)
    search_index._add_words(shown, pieces)


def _drawn_words(text: str, language: str) -> dict[str, str]:
    from catalog.words import EMPTY_WORDS

    return {word: word for word in text.lower().split() if word not in EMPTY_WORDS[language]}


def _vocabulary(draw: random.Random) -> Iterator[tuple[str, str, str]]:
    """Names, short and long descriptions, from words of natural frequencies (the n-th most common one is n times
    rarer than the first)."""
    syllables = [
        first + vowel + last
        for first in "bcdfglmnprstv"
        for vowel in ("a", "e", "i", "o", "ou")
        for last in ("", "n", "r", "s")
    ]
    words = sorted(
        {"".join(draw.choices(syllables, k=draw.choice((1, 2, 2, 3, 3, 4)))) for _ in range(VOCABULARY)}
    )
    draw.shuffle(words)
    weights = [1 / (rank + 3) for rank in range(len(words))]
    cumulative: list[float] = []
    for weight in weights:
        cumulative.append(weight + (cumulative[-1] if cumulative else 0))
    while True:
        drawn = draw.choices(words, cum_weights=cumulative, k=133)
        yield " ".join(drawn[:3]).title(), " ".join(drawn[3:18]), " ".join(drawn[18:])


def _cases() -> dict[str, Callable[[], Any]]:
    from django.utils import translation

    from catalog.models import SearchWord
    from catalog.selectors import cards, categories, listing, suggestions
    from catalog.selectors.filters import Filters
    from catalog.selectors.vocabulary import MAX_QUERY_WORDS

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
