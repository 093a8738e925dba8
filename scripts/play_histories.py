#!/usr/bin/env python
"""Random histories of orders against the laws of the books; fails at the first one that breaks them.

scripts/play_histories.py          ten thousand, an hour or so
scripts/play_histories.py 500      fewer
"""

from __future__ import annotations

import sys

from run_tests import run_pytest

MANY = 10_000


def play(histories: int) -> bool:
    """Whether all of them ended as they must. On SQLite, by one process: histories are rolled back, not committed."""
    count = run_pytest(
        ["-n", "0", "-p", "no:logging", "--nomigrations", "orders/tests/test_histories.py"],
        TEST_DATABASE_URL="",
        HISTORIES=str(histories),
    )
    return (count.passed, count.failed) == (1, 0)


if __name__ == "__main__":
    sys.exit(not play(int(sys.argv[1]) if len(sys.argv) > 1 else MANY))
