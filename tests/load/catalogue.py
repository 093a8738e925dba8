"""Many products with texts of natural word frequencies, for what is measured over a large catalogue."""

from __future__ import annotations

import importlib
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

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


def seed(count: int) -> None:
    """Fill an empty database with so many products, their photos and the index of the search; the same each time."""
    from django.db import connection
    from django.utils import timezone

    from catalog.models import Category, CategoryKind, Product, ProductImage, Variant
    from catalog.selectors.availability import listed_columns
    from catalog.services.products import sort_names
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
        created_at = now - timedelta(minutes=count - number)
        product = Product(
            category=categories[draw.choices(range(14), weights=[9] * 9 + [4] * 5)[0]],
            price=price,
            price_from=price,
            price_to=price,
            featured=number % 500 == 0,
            in_stock=number % 9 != 0,
            stock_quantity=number % 4 if number % 3 == 0 else None,
            height_cm=Decimal(draw.randrange(40, 260)) / 10,
            created_at=created_at,
            published_at=created_at,
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
        columns = {**sort_names(product), **listed_columns(product, [Variant(product=product)])}
        for name, value in columns.items():
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
