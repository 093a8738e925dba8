#!/usr/bin/env python
"""Figures of the whole shop on this machine: how fast its pages are next to a bare Django view, how they grow with the
catalogue, what a worker weighs, Lighthouse's marks, whether the last piece is sold once, what visitors wait while
others send pictures that are hard to read, what a killed process costs.

Starts the shop as `make run` does, in a folder of its own, on SQLite and then on a real PostgreSQL; with
`--engine postgres-redis` on PostgreSQL with Redis for cache and queue, as busy shops have it.
Fails when a page answers with an error, or when the last piece is sold twice or not at all; a missed aim is printed.
docs/performance.md says how to read it.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from threading import Barrier
from time import perf_counter

import requests
from bench_growth import bench_growth, bench_staff_products
from bench_kills import CUSTOMER, bench_kills
from bench_orders import bench_orders
from bench_redis import bench_redis, redis_server
from bench_requests import bench_requests
from bench_uploads import bench_uploads
from play_histories import play
from run_tests import postgres_url
from shop_process import ROOT, RunningShop, start_shop, stop_shop

PLAIN_PRODUCT = """
from catalog.models import Product
rows = Product.objects.filter(is_published=True, variations=None, category__offers_finishes=False)
print(rows.order_by("pk").values_list("pk", flat=True)[0])
"""
ONE_LEFT = "from catalog.models import Product; Product.objects.filter(pk={}).update(in_stock=True, stock_quantity=1)"
SOLD = "from orders.models import OrderItem; print(OrderItem.objects.filter(product_id={}).count())"
STOCK = "from catalog.models import Product; print(Product.objects.get(pk={}).stock_quantity)"


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def time_pages(shop: RunningShop, *, rounds: int, visitors: int) -> int:
    """Print the times of every kind of page; how many answers were errors."""
    product = requests.get(f"{shop.url}/api/products?page_size=1", timeout=30).json()["results"][0]
    quote: dict[str, object] = {"lines": [{"product_id": product["id"], "quantity": 3}], "country": "FR"}
    paths = (
        "/",
        "/produits",
        "/produits?search=dragon",
        product["url"],
        "/panier",
        "/api/products",
        "/readyz",
    )
    calls: dict[str, tuple[str, dict[str, object] | None]] = {path: (path, None) for path in paths}
    calls["POST /api/cart/quote"] = ("/api/cart/quote", quote)
    print(f"{'':28}{'median':>9}{'95 %':>9}{'a second':>10}   ({visitors} visitors at once)")
    errors = 0
    for name, (path, body) in calls.items():

        def visit(_: int, path: str = path, body: dict[str, object] | None = body) -> tuple[list[float], int]:
            times, failed = [], 0
            with requests.Session() as session:
                for _ in range(rounds):
                    started = perf_counter()
                    answer = session.request(
                        "POST" if body else "GET", shop.url + path, json=body, timeout=30
                    )
                    times.append((perf_counter() - started) * 1000)
                    failed += answer.status_code >= 400
            return times, failed

        visit(0)
        started = perf_counter()
        with ThreadPoolExecutor(visitors) as pool:
            results = list(pool.map(visit, range(visitors)))
        elapsed = perf_counter() - started
        times = [value for values, _ in results for value in values]
        errors += sum(failed for _, failed in results)
        print(
            f"{name[:27]:28}{statistics.median(times):6.1f} ms{percentile(times, 0.95):6.1f} ms"
            f"{len(times) / elapsed:10.0f}"
        )
    return errors


def sell_last_piece(shop: RunningShop, product: int, *, buyers: int) -> tuple[Counter[str], float]:
    """Let everybody order the only piece at once: the answers by kind, and the slowest in seconds."""
    shop.manage("shell", "--no-imports", "-c", ONE_LEFT.format(product))
    quote = requests.post(
        f"{shop.url}/api/cart/quote",
        json={"lines": [{"product_id": product, "quantity": 1}], "country": "FR"},
        timeout=30,
    ).json()
    body = {
        "lines": [{"product_id": product, "quantity": 1}],
        "payment_mode": "full",
        "expected_total": quote["total"],
        "accept_terms": True,
        "terms_version": shop.terms_version(),
    }
    together = min(buyers, 50)
    start = Barrier(together)

    def buy(number: int) -> tuple[str, float]:
        with requests.Session() as session:
            token = session.get(f"{shop.url}/api/me", timeout=60).json()["csrf_token"]
            if number < together:
                start.wait()
            key = str(uuid.uuid4())
            headers = {"X-CSRFToken": token, "Idempotency-Key": key, "Origin": shop.url}
            # The same customer with the same cart would be led to the order that is there already.
            order = {**body, "customer": {**CUSTOMER, "email": f"{key}@example.com"}}
            started = perf_counter()
            answer = session.post(f"{shop.url}/api/checkout", json=order, headers=headers, timeout=120)
            elapsed = perf_counter() - started
            kind = (
                "sold" if answer.status_code == 201 else f"{answer.status_code} {answer.json().get('code')}"
            )
            return kind, elapsed

    with ThreadPoolExecutor(together) as pool:
        answers = list(pool.map(buy, range(buyers)))
    return Counter(kind for kind, _ in answers), max(seconds for _, seconds in answers)


def bench_last_piece(shop: RunningShop, *, buyers: int, repeats: int) -> int:
    """Print every repeat; how many did not sell the piece exactly once, or answered otherwise than a refusal."""
    product = int(shop.manage("shell", "--no-imports", "-c", PLAIN_PRODUCT))
    wrong = 0
    for repeat in range(repeats):
        before = int(shop.manage("shell", "--no-imports", "-c", SOLD.format(product)))
        answers, slowest = sell_last_piece(shop, product, buyers=buyers)
        ordered = int(shop.manage("shell", "--no-imports", "-c", SOLD.format(product))) - before
        left = int(shop.manage("shell", "--no-imports", "-c", STOCK.format(product)))
        counted = ", ".join(f"{count} × {kind}" for kind, count in answers.most_common())
        print(
            f"last piece, {buyers} buyers at once, {repeat + 1}: {counted}; "
            f"{ordered} order, {left} left; slowest {slowest:.1f} s"
        )
        clean = set(answers) <= {"sold", "409 out_of_stock"}
        wrong += not (clean and answers["sold"] == 1 and ordered == 1 and left == 0)
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=50, help="requests of one visitor to one page")
    parser.add_argument("--visitors", type=int, default=4)
    parser.add_argument("--buyers", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--no-growth", action="store_true", help="leave out the catalogues of 1,000 and 100,000 pieces"
    )
    parser.add_argument("--no-kills", action="store_true", help="leave out the processes that are killed")
    parser.add_argument(
        "--engine", choices=["sqlite", "postgres", "postgres-redis"], action="append", dest="engines"
    )
    parser.add_argument("--histories", type=int, default=0, help="random histories of orders to play instead")
    options = parser.parse_args()
    if options.histories:
        return 0 if play(options.histories) else 1
    wrong = 0
    for engine in options.engines or ["sqlite", "postgres"]:
        print(f"\n── {engine} ──", flush=True)
        with (
            postgres_url() if engine != "sqlite" else nullcontext("") as url,
            redis_server() if engine == "postgres-redis" else nullcontext(0) as redis,
            tempfile.TemporaryDirectory(prefix="shop-bench-") as folder,
        ):
            redis_url = f"redis://127.0.0.1:{redis}/0" if redis else ""
            shop = start_shop(Path(folder), DATABASE_URL=url, REDIS_URL=redis_url, LOG_LEVEL="ERROR")
            try:
                shop.wait_for_pictures()
                wrong += time_pages(shop, rounds=options.rounds, visitors=options.visitors)
                if engine != "postgres":
                    bench_requests(shop)
                if engine == "sqlite":
                    wrong += bench_redis(shop)
                wrong += bench_last_piece(shop, buyers=options.buyers, repeats=options.repeats)
            finally:
                stop_shop(shop)
            if not options.no_growth:
                bench_growth(url)
                wrong += bench_staff_products(url)
                wrong += bench_orders(url)
    print("\n── events of the statistics, SQLite ──", flush=True)
    wrong += subprocess.run(
        [sys.executable, "tests/load/statistics_bench.py"], cwd=ROOT, check=False
    ).returncode
    print("\n── accounts of 10,000 movements, SQLite ──", flush=True)
    wrong += subprocess.run([sys.executable, "tests/load/books_bench.py"], cwd=ROOT, check=False).returncode
    print("\n── pictures that are hard to read, SQLite ──", flush=True)
    bench_uploads()
    print("\n── a working day, by a thumb and by keys ──", flush=True)
    wrong += subprocess.run([sys.executable, "tests/load/working_day.py"], cwd=ROOT, check=False).returncode
    if not options.no_kills:
        wrong += bench_kills()
    print(f"\n{wrong} wrong." if wrong else "\nAll as it should be.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
