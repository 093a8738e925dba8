#!/usr/bin/env python
"""Random histories of orders, or of the catalogue, against the laws of each; fails at the first one that breaks them.

scripts/play_histories.py                     ten thousand of orders, an hour or so
scripts/play_histories.py 500                 fewer
scripts/play_histories.py 500 1789            the same 500 again, on as many cores: the seed is printed with every run
scripts/play_histories.py 500 1789 catalog    those of the catalogue, which take longer
"""

from __future__ import annotations

import os
import secrets
import sys
from concurrent.futures import ThreadPoolExecutor

from run_tests import run_pytest

MANY = 10_000


def play(histories: int, seed: int | None = None, app: str = "orders") -> bool:
    """Return whether all of an app's ended as they must; one process a core, each with a seed of its own.

    On SQLite in memory: histories are rolled back, not committed.
    """
    processes = min(os.cpu_count() or 1, histories)
    first = secrets.randbelow(10**6) if seed is None else seed
    shares = [histories // processes + (turn < histories % processes) for turn in range(processes)]
    print(f"{histories} histories of {app} by {processes} processes, seed {first}", flush=True)
    with ThreadPoolExecutor(processes) as pool:
        return all(list(pool.map(_play_share, shares, range(first, first + processes), [app] * processes)))


def _play_share(histories: int, seed: int, app: str) -> bool:
    count = run_pytest(
        [
            *("-n", "0", "-s", "-p", "no:logging", "-p", "no:cacheprovider"),
            # The catalogue's searches read a table that no model describes.
            *(() if app == "catalog" else ("--nomigrations",)),
            f"--hypothesis-seed={seed}",
            f"{app}/tests/test_histories.py",
        ],
        TEST_DATABASE_URL="",
        HISTORIES=str(histories),
        # Refunds that the provider refuses are errors to a shop, and what these histories are full of.
        LOG_LEVEL="CRITICAL",
    )
    return (count.passed, count.failed) == (1, 0)


if __name__ == "__main__":
    histories, seed, app, *_rest = [*sys.argv[1:], *[""] * 3]
    sys.exit(not play(int(histories or MANY), int(seed) if seed else None, app or "orders"))
