#!/usr/bin/env python
"""What visitors of three pages wait while others send pictures that are hard to read, eight at once, all the time.

The shop runs as `make run` starts it. Each attacker writes from ever new addresses, so that no limit by address
helps. Two attacks: a small picture of 859 scans in a form that lacks its fields, and the hardest picture that is
still taken, in a form without a fault.
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, perf_counter, sleep

import requests
from image_bombs import jpeg
from shop_process import RunningShop, start_shop, stop_shop

ATTACKERS = 8
VISITORS = 2
# A visitor who waited that long has left.
PATIENCE = 60
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
FIELDS = {
    "kind": "quote",
    "first_name": "Zoé",
    "last_name": "Martin",
    "email": "zoe@example.com",
    "subject": "Un dragon",
}
Attack = Callable[[], None]


def attack(shop: RunningShop, *, picture: bytes, whole: bool, stop: threading.Event) -> Counter[str]:
    """Send the form again and again until asked to stop; how often it was answered, by status."""
    answers: Counter[str] = Counter()
    with requests.Session() as session:
        found = TOKEN.search(session.get(f"{shop.url}/contact", timeout=PATIENCE).text)
        assert found, "The contact form has no token."
        while not stop.is_set():
            message = f"Message {random.random()}" if whole else ""  # noqa: S311
            try:
                answer = session.post(
                    f"{shop.url}/contact",
                    {**FIELDS, "message": message, "csrfmiddlewaretoken": found[1]},
                    files={"images": ("a.jpg", picture, "image/jpeg")},
                    headers={"Origin": shop.url, "X-Forwarded-For": _address()},
                    allow_redirects=False,
                    timeout=PATIENCE,
                )
                answers[str(answer.status_code)] += 1
            except requests.RequestException as error:
                answers[type(error).__name__] += 1
    return answers


def visit(shop: RunningShop, paths: list[str], stop: threading.Event) -> dict[str, list[float]]:
    """Milliseconds of each visit, page by page; who waited in vain counts with the whole time."""
    times: dict[str, list[float]] = {path: [] for path in paths}
    while not stop.is_set():
        for path in paths:
            started = perf_counter()
            try:
                requests.get(shop.url + path, timeout=PATIENCE).raise_for_status()
            except requests.RequestException as error:
                print(f"{path}: {type(error).__name__}")
            times[path].append((perf_counter() - started) * 1000)
            sleep(0.05)
    return times


def measure(
    shop: RunningShop, name: str, *, seconds: float, picture: bytes = b"", whole: bool = False
) -> None:
    """Print the times of every page while `picture` is sent, or in peace without one."""
    product = requests.get(f"{shop.url}/api/products?page_size=1", timeout=30).json()["results"][0]
    paths = ["/", product["url"], "/contact"]
    stop = threading.Event()
    with ThreadPoolExecutor(ATTACKERS + VISITORS) as pool:
        sent = [
            pool.submit(attack, shop, picture=picture, whole=whole, stop=stop)
            for _ in range(ATTACKERS if picture else 0)
        ]
        deadline = monotonic() + seconds
        sleep(1)
        visits = [pool.submit(visit, shop, paths, stop) for _ in range(VISITORS)]
        sleep(max(0.0, deadline - monotonic()))
        stop.set()
        answers = sum((future.result() for future in sent), Counter[str]())
        found = [future.result() for future in visits]
    counted = ", ".join(f"{count} × {status}" for status, count in answers.most_common())
    print(f"{name}{f' ({len(picture) / 1024:.0f} KB; answers: {counted})' if picture else ''}")
    print(f"{'':28}{'median':>11}{'95 %':>11}{'worst':>11}{'visits':>9}")
    for path in paths:
        times = sorted(value for times in found for value in times[path])
        most = times[min(len(times) - 1, int(len(times) * 0.95))]
        print(
            f"  {path[:25]:26}{statistics.median(times):8.0f} ms{most:8.0f} ms{times[-1]:8.0f} ms{len(times):9}",
            flush=True,
        )


def bench_uploads(seconds: float = 10) -> None:
    """Start a shop of its own and print every table."""
    with tempfile.TemporaryDirectory(prefix="shop-uploads-") as folder:
        shop = start_shop(Path(folder), TRUSTED_PROXIES="1")
        try:
            measure(shop, "In peace", seconds=seconds)
            measure(shop, "859 scans, fields missing", seconds=seconds, picture=jpeg((2000, 2000), scans=859))
            hardest = jpeg((5000, 5000), scans=20)
            measure(shop, "The hardest picture taken", seconds=seconds, picture=hardest, whole=True)
        finally:
            stop_shop(shop)


def _address() -> str:
    return ".".join(str(random.randint(1, 250)) for _ in range(4))  # noqa: S311


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=10, help="of each table")
    bench_uploads(parser.parse_args().seconds)
    sys.exit(0)
