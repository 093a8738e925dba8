"""Database time of staff's list of orders and of its search over many orders.

    DATABASE_URL=postgres://… python tests/load/orders_bench.py [--orders 100000] [--limit-ms 200]

It works in a database of its own (Django's test database), made and dropped by the script. Each case is asked
`--repeat` times after a first time that fills the caches; median and slowest are printed, and the script fails when a
median is above `--limit-ms` (0: only print).
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import time
import uuid
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BATCH = 2000
# What a workshop has under way does not grow with what it has sold.
AT_WORK = 5000
FIRST = ["Léa", "Zoé", "Manon", "Chloé", "Hugo", "Louis", "Jules", "Inès", "Ana", "Jörg", "Klaus", "Emma"]
LAST = ["Martin", "Bernard", "Dubois", "Thomas", "Petit", "Müller", "García", "Lefèvre", "Moreau", "Girard"]
PLACES = [
    ("69003", "Lyon"),
    ("75011", "Paris"),
    ("13001", "Marseille"),
    ("33000", "Bordeaux"),
    ("80331", "München"),
]
PIECES = [
    "Golem de poche",
    "Dragon des marées",
    "Hibou veilleur",
    "Sorcière aux chats",
    "Kraken",
    "Renard bleu",
]
CLOSED = ["delivered"] * 85 + ["shipped", "cancelled", "refunded"] * 5
STATES = [*CLOSED, *["processing", "confirmed"] * 10]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--orders", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--limit-ms", type=float, default=0)
    parser.add_argument(
        "--explain", action="store_true", help="print the plan of each case's first statement"
    )
    parser.add_argument("--keep", action="store_true", help="leave the database for the next run")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")
    os.environ.setdefault("DEBUG", "true")
    os.environ.setdefault("DATABASE_STATEMENT_SECONDS", "3600")
    import django
    from django.conf import settings
    from django.db import connection

    django.setup()
    settings.DEBUG = False
    if connection.vendor == "sqlite":
        # A file, as the shop has it: Django's own would be in memory.
        connection.settings_dict["TEST"]["NAME"] = str(settings.DATA_DIR / "orders_bench.sqlite3")
    from orders.models import Order

    name = connection.creation.create_test_db(
        verbosity=0, autoclobber=True, serialize=False, keepdb=options.keep
    )
    try:
        started = time.perf_counter()
        if Order.objects.count() < options.orders:
            seed(options.orders)
        print(
            f"{connection.vendor} · {options.orders} orders, seeded in {time.perf_counter() - started:.0f} s"
        )
        slow = measure(options)
    finally:
        connection.creation.destroy_test_db(name, verbosity=0, keepdb=options.keep)
    if slow:
        print(f"above {options.limit_ms:.0f} ms: {', '.join(slow)}")
    return 1 if slow else 0


def seed(count: int) -> None:
    """Write orders of two lines each, the later ones newer, with invoices' and tracking numbers among their words."""
    from django.db import connection
    from django.utils import timezone

    from orders.models import Order, OrderItem, OrderSearchEntry, OrderTracking
    from orders.search_index import search_text

    draw = random.Random(1)
    now = timezone.now()
    for start in range(0, count, BATCH):
        orders, items, tracking, words = [], [], [], []
        for number in range(start, min(start + BATCH, count)):
            key = uuid.UUID(int=draw.getrandbits(128), version=4)
            placed = now - timedelta(minutes=5 * (count - number))
            postal_code, city = draw.choice(PLACES)
            first, last = draw.choice(FIRST), draw.choice(LAST)
            status = draw.choice(STATES if number >= count - AT_WORK else CLOSED)
            order = Order(
                id=key, reference=key.hex[-8:].upper(), status=status, email=f"{last}.{number}@example.com".lower(),
                first_name=first, last_name=last, address=f"{number} rue des Carmes", postal_code=postal_code,
                city=city, country="FR", phone=f"06{number:08}", original_total=Decimal(80),
                promotion_savings=Decimal(0), subtotal=Decimal(80), shipping_zone="france-europe",
                shipping_cost=Decimal(0), total=Decimal(80), promised_by=(placed + timedelta(days=30)).date(),
                terms_version="1", terms_accepted_at=placed, idempotency_key=key.hex, request_fingerprint="bench",
                created_at=placed, paid_at=placed, mandate_text="x" * 300,
            )  # fmt: skip
            orders.append(order)
            pieces = draw.sample(PIECES, 2)
            items += [
                OrderItem(order=order, position=position, product_name=piece, quantity=1, unit_price=Decimal(40),
                          line_total=Decimal(40), variation_name="18 cm", finish="painted", sku=f"SKU-{number % 500}")
                for position, piece in enumerate(pieces)
            ]  # fmt: skip
            parcel = f"6A{number:011}"
            tracking += [
                OrderTracking(order=order, status=step, tracking_number=parcel if step == "shipped" else "")
                for step in ("confirmed", "processing", "shipped")
            ]
            invoice = f"F-{placed.year}-{number:05}"
            words.append(
                OrderSearchEntry(order=order, text=search_text(order, (*pieces, "18 cm", parcel, invoice)))
            )
        for rows in (orders, items, tracking, words):
            type(rows[0])._default_manager.bulk_create(rows)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def measure(options: argparse.Namespace) -> list[str]:
    from django.db import connection
    from django.db.backends.utils import CursorWrapper

    from orders.models import Order
    from orders.selectors.admin_orders import count_orders, find_orders

    middle = Order.objects.order_by("created_at")[options.orders // 2]
    deep = find_orders(page_size=100)
    for _page in range(30):
        deep = find_orders(page_size=100, cursor=deep.next_cursor)
    number = options.orders // 3
    cases: dict[str, Callable[[], object]] = {
        "first page": find_orders,
        "first page, one status": lambda: find_orders(status="processing"),
        "first page, late": lambda: find_orders(late=True),
        "page 30 of 100": lambda: find_orders(page_size=100, cursor=deep.next_cursor),
        "counts": count_orders,
        "search: reference": lambda: find_orders(search=middle.reference),
        "search: e-mail": lambda: find_orders(search=middle.email),
        "search: common name": lambda: find_orders(search="martin"),
        "search: two names": lambda: find_orders(search="zoé müller"),
        "search: tracking number": lambda: find_orders(search=f"6A{number:011}"),
        "search: invoice": lambda: find_orders(search=f"-{number:05}"),
        "search: piece and city": lambda: find_orders(search="kraken bordeaux"),
        "search: postcode": lambda: find_orders(search="80331"),
        "search: nothing found": lambda: find_orders(search="quetzalcoatl"),
        "search: two letters": lambda: find_orders(search="zo"),
        "search: rare, one status": lambda: find_orders(search=middle.email, status="delivered"),
        "search: common, rare status": lambda: find_orders(search="martin", status="refunded"),
    }
    seen: list[float] = []
    statements: list[tuple[object, object]] = []

    class Cursor(CursorWrapper):
        """Adds up what the database takes: SQLite works while rows are fetched."""

        def execute(self, sql, params=None):  # type: ignore[no-untyped-def]
            statements.append((sql, params))
            return _timed(seen, super().execute, sql, params)

        def fetchmany(self, *args):  # type: ignore[no-untyped-def]
            return _timed(seen, self.cursor.fetchmany, *args)

        def fetchall(self):  # type: ignore[no-untyped-def]
            return _timed(seen, self.cursor.fetchall)

    connection.make_cursor = lambda cursor: Cursor(cursor, connection)  # type: ignore[method-assign]
    slow = []
    for name, case in cases.items():
        statements.clear()
        case()
        if options.explain:
            _explain(statements[0])
        times = []
        for _ in range(options.repeat):
            seen.clear()
            case()
            times.append(sum(seen) * 1000)
        print(
            f"{name:32} median {statistics.median(times):7.1f} ms   slowest {max(times):7.1f} ms", flush=True
        )
        if options.limit_ms and statistics.median(times) > options.limit_ms:
            slow.append(name)
    return slow


def _timed(seen, call, *args):  # type: ignore[no-untyped-def]
    started = time.perf_counter()
    try:
        return call(*args)
    finally:
        seen.append(time.perf_counter() - started)


def _explain(statement: tuple[object, object]) -> None:
    from django.db import connection

    word = "EXPLAIN ANALYZE" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
    with connection.cursor() as cursor:
        cursor.cursor.execute(f"{word} {statement[0]}", statement[1] or ())
        print("\n".join(f"      {row}" for row in cursor.cursor.fetchall()))


if __name__ == "__main__":
    sys.exit(main())
