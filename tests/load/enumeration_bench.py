"""How long `/auth` takes for addresses that have an account and for those that have none.

    python tests/load/enumeration_bench.py [--number 200] [--limit-ms 10]

The medians of the two must lie within `--limit-ms`, or anybody could tell them apart by a clock. It runs in
this process, on a database that is thrown away (`TEST_DATABASE_URL` for PostgreSQL), with the real hasher.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "figurine-atelier-2026"
MODES = ("signin", "signup", "forgot")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=200, help="how many addresses of each sort")
    parser.add_argument("--limit-ms", type=float, default=10)
    arguments = parser.parse_args()

    sys.path.insert(0, str(ROOT))
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django
    from django.conf import settings

    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
    settings.ALLOWED_HOSTS = ["testserver"]
    django.setup()
    from django.test.utils import get_runner

    runner = get_runner(settings)(verbosity=0, interactive=False)
    databases = runner.setup_databases()
    try:
        return measure(arguments.number, arguments.limit_ms)
    finally:
        runner.teardown_databases(databases)


def measure(number: int, limit_ms: float) -> int:
    from accounts.services import create_member

    for index in range(number):
        create_member(email=f"known{index}@example.com", password=PASSWORD)
    failed = False
    for mode in MODES:
        seconds: dict[str, list[float]] = {"known": [], "unknown": []}
        for index in range(number):
            # In turn, so that whatever else the machine does weighs on both.
            for sort, times in seconds.items():
                times.append(ask(mode, f"{sort}{index}@example.com", index))
        known, unknown = (1000 * statistics.median(times) for times in seconds.values())
        apart = abs(known - unknown)
        failed = failed or apart > limit_ms
        print(f"{mode:7} known {known:6.1f} ms  unknown {unknown:6.1f} ms  apart {apart:4.1f} ms")
    return int(failed)


def ask(mode: str, email: str, index: int) -> float:
    from django.test import Client

    # Callers of their own: the limit of tries is not what is measured.
    client = Client(REMOTE_ADDR=f"10.{MODES.index(mode)}.{index // 250}.{index % 250}")
    form = {"mode": mode, "email": email, "password": "another-password-2026"}
    start = perf_counter()
    client.post("/auth", form)
    return perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
