"""What a hundred times more products cost home, a product, lists and searches: 1,000 against 100,000."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

from shop_process import HIDDEN, ROOT

SIZES = (1_000, 100_000)
FLAT = 1.3
# Below this a page is as quick as the machine's own noise.
NOISE_MS = 2.0


def figures_of(products: int, database_url: str) -> dict[str, float]:
    """Milliseconds a page by case, on a database made for it. Raises CalledProcessError when a page fails."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(HIDDEN)}
    with tempfile.TemporaryDirectory(prefix="shop-growth-") as folder:
        environment = {**inherited, "DATA_DIR": folder, "DATABASE_URL": database_url, "LOG_LEVEL": "ERROR"}
        ended = subprocess.run(
            [sys.executable, "tests/load/list_growth.py", "--products", str(products)],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            check=True,
        )
    figures: dict[str, float] = json.loads(ended.stdout.splitlines()[-1])
    return figures


def bench_growth(database_url: str) -> None:
    """Print both sizes side by side, and which cases grow too much. An empty `database_url` is SQLite;
    on the other server a database of its own is made for each size."""
    found = []
    for products in SIZES:
        print(f"… {products} products", file=sys.stderr, flush=True)
        found.append(figures_of(products, database_url_of(database_url, products)))
    small, large = found
    print(f"\n{'page, from nothing':34}{SIZES[0]:>11,}{SIZES[1]:>11,}   times   (aim: {FLAT} at most)")
    for name in small:
        times = large[name] / small[name]
        grows = times > FLAT and large[name] - small[name] > NOISE_MS
        print(f"{name:34}{small[name]:8.1f} ms{large[name]:8.1f} ms{times:8.2f}{'   grows' if grows else ''}")


def bench_staff_products(database_url: str) -> int:
    """Time the staff's list of 20,000 products on a database made for it; 1 when a page takes longer than it may."""
    products = 20_000
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(HIDDEN)}
    with tempfile.TemporaryDirectory(prefix="shop-staff-") as folder:
        own = {
            "DATA_DIR": folder,
            "DATABASE_URL": database_url_of(database_url, products),
            "LOG_LEVEL": "ERROR",
        }
        command = [sys.executable, "tests/load/staff_products.py", "--products", str(products)]
        print(f"\nstaff's list, {products} products", flush=True)
        return subprocess.run(command, cwd=ROOT, env={**inherited, **own}, check=False).returncode


def database_url_of(database_url: str, products: int) -> str:
    """Return a database of its own on the same server; SQLite has a folder of its own instead."""
    if not database_url:
        return ""
    import psycopg
    from psycopg import sql

    name = f"growth_{products}"
    with psycopg.connect(database_url, autocommit=True) as connection:
        for statement in ("DROP DATABASE IF EXISTS {}", "CREATE DATABASE {}"):
            connection.execute(sql.SQL(statement).format(sql.Identifier(name)))
    path, mark, options = database_url.partition("?")
    return f"{path.rpartition('/')[0]}/{name}{mark}{options}"
