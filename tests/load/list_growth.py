"""How long home, a product, lists and searches of a catalogue of some size take, as JSON: milliseconds by case.

    DATA_DIR=/tmp/somewhere [DATABASE_URL=postgres://…] python tests/load/list_growth.py --products 100000

Whole pages, asked for in this process on a database made for it; neither pages nor fragments
are cached. Started by `make bench`, which compares two sizes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parents[2]
TWELVE_WORDS = "figurine resine dragon ba be bi bo ca ce ci co da"
CASES = {
    "home": "/",
    "product": "/produit/1",
    "list": "/produits",
    "list, price": "/produits?sort=price",
    "list, price from the top": "/produits?sort=price-desc",
    "list, name": "/produits?sort=name",
    "list in English, name": "/en/products?sort=name",
    "list, page 30": "/produits?page=30",
    "category": "/produits?category=main-0",
    "category, price": "/produits?category=main-0&sort=price",
    "category, name": "/produits?category=main-0&sort=name",
    "search, a word of 1 in 10": "/produits?search=dragon",
    "search, a word of 1 in 500": "/produits?search=zeppelin",
    "search, a word of all, by price": "/produits?search=figurine&sort=price",
    "search, a word of none": "/produits?search=xyzzyx",
    "search, 12 words": f"/produits?search={TWELVE_WORDS.replace(' ', '+')}",
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--products", type=int, required=True)
    parser.add_argument("--repeat", type=int, default=15)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "shop.settings",
        "DEBUG": "true",
        "PAGE_CACHE_SECONDS": "0",
        "FRAGMENT_CACHE_SECONDS": "0",
        # Indexing everything at once takes longer than a visitor may wait.
        "DATABASE_STATEMENT_SECONDS": "3600",
    }
    import django

    django.setup()
    from django.core.management import call_command
    from django.test import Client

    from catalog.models import Product
    from tests.load.catalogue import seed

    call_command("migrate", verbosity=0)
    # Left there by an earlier run that was given the same folder or database.
    if not Product.objects.exists():
        seed(options.products)
    client = Client(headers={"host": "localhost"})
    figures = {}
    for name, address in CASES.items():
        times = []
        for number in range(options.repeat + 1):
            started = perf_counter()
            answer = client.get(address)
            elapsed = perf_counter() - started
            assert answer.status_code in (200, 301), f"{address}: {answer.status_code}"
            if answer.status_code == 301:
                address = answer.headers["Location"]
            elif number:
                times.append(elapsed * 1000)
        figures[name] = statistics.median(times)
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
