"""Database time of staff's list of orders and of its search, over 100,000 orders."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from bench_growth import database_url_of
from shop_process import HIDDEN, ROOT

ORDERS = 100_000
LIMIT_MS = 200


def bench_orders(database_url: str) -> int:
    """Print the time of each case; 1 when one took longer than the limit. An empty `database_url` is SQLite."""
    print(f"\n{ORDERS:,} orders   (aim: {LIMIT_MS} ms of the database at most)", flush=True)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(HIDDEN)}
    with tempfile.TemporaryDirectory(prefix="shop-orders-") as folder:
        url = database_url_of(database_url, ORDERS)
        ended = subprocess.run(
            [
                sys.executable,
                "tests/load/orders_bench.py",
                "--orders",
                str(ORDERS),
                "--limit-ms",
                str(LIMIT_MS),
            ],
            cwd=ROOT,
            env={**inherited, "DATA_DIR": folder, "DATABASE_URL": url, "LOG_LEVEL": "ERROR"},
            check=False,
        )
    return int(ended.returncode != 0)
