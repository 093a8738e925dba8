"""How long the staff's list of products takes in a catalogue of some size: milliseconds of server time by case.

    DATA_DIR=/tmp/somewhere [DATABASE_URL=postgres://…] python tests/load/staff_products.py [--products 20000]

Whole calls, middleware included, asked for in this process on a database made for it. Ends with 1 when a median is
above `--limit-ms`. Started by `make bench`.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from pathlib import Path
from time import perf_counter, process_time

ROOT = Path(__file__).resolve().parents[2]
LIST = "/api/admin/products"
CASES = {
    "page with the list": "/admin/produits",
    "first page": LIST,
    "first page of a category": f"{LIST}?category=main-0",
    "first page by name": f"{LIST}?ordering=name",
    "first page by price": f"{LIST}?ordering=price",
    "first page of the last changed": f"{LIST}?ordering=-updated",
    "first page of stale translations": f"{LIST}?state=stale",
    "search, a word of 1 in 10": f"{LIST}?search=dragon",
    "search, a word of none": f"{LIST}?search=xyzzyx",
    "search, two words": f"{LIST}?search=amethyste+dragon",
    "search, a part of very many words": f"{LIST}?search=bou",
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--products", type=int, default=20_000)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--limit-ms", type=float, default=150)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "shop.settings",
        "DEBUG": "true",
        # Indexing everything at once takes longer than a visitor may wait.
        "DATABASE_STATEMENT_SECONDS": "3600",
    }
    import django

    django.setup()
    from django.conf import settings
    from django.contrib.auth import get_user_model
    from django.core.management import call_command
    from django.test import Client

    # No list of all statements in memory.
    settings.DEBUG = False
    from catalog.models import Product
    from tests.load.catalogue import seed

    call_command("migrate", verbosity=0)
    # Left there by an earlier run that was given the same folder or database.
    if not Product.objects.exists():
        seed(options.products)
    people = get_user_model()
    user = people.objects.filter(email="bench@example.com").first()
    user = user or people.objects.create_superuser("bench@example.com", "figurine-atelier-2026")
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    cases = dict(CASES)
    cursor = client.get(LIST).json()["next_cursor"]
    for _page in range(100):
        cursor = client.get(f"{LIST}?cursor={cursor}").json()["next_cursor"]
    cases["page 101 by cursor"] = f"{LIST}?cursor={cursor}"
    slow = []
    for name, address in cases.items():
        times, spent = [], []
        for number in range(options.repeat + 1):
            started, before = perf_counter(), process_time()
            answer = client.get(address)
            elapsed, used = perf_counter() - started, process_time() - before
            assert answer.status_code == 200, f"{address}: {answer.status_code}"
            if number:
                times.append(elapsed * 1000)
                spent.append(used * 1000)
        median = statistics.median(times)
        if median > options.limit_ms:
            slow.append(name)
        # What a machine that does other things as well would need alone; a server's database is not in it.
        processor = f"{statistics.median(spent):8.1f} ms of this process"
        print(f"{name:34}{median:8.1f} ms{processor}{'   slow' if median > options.limit_ms else ''}")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
