#!/usr/bin/env python
"""Changes by staff on `make stack`, while visitors look: whether the very next request shows them, at each web node and
through nginx, with every cache on; and what nginx answers a second, of a bare Django view's.

Once without a proxy that keeps pages and once with one (`PROXY_CACHE_SECONDS=1`). Fails when one page from before a
change is answered after it was saved.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from time import monotonic
from urllib.parse import urlsplit

import requests
from bench_requests import Call, ask, server
from shop_process import PASSWORD
from stack import TIMEOUT, Stack, missing_packages, running_stack, sign_in

# Each node has two processes with memories of their own.
ASKED_EACH = 4
TURNS = 3


def staff_session(url: str) -> requests.Session:
    """Return a session that may change products."""
    session = requests.Session()
    sign_in(session, url, "admin@example.com", PASSWORD).raise_for_status()
    session.headers["X-CSRFToken"] = session.get(f"{url}/api/me", timeout=TIMEOUT).json()["csrf_token"]
    session.headers["Origin"] = url
    return session


@contextmanager
def visitors(stack: Stack, path: str) -> Iterator[None]:
    """Two people a node who look without a pause: every process has the page, and knows its version."""
    stop = Event()

    def look(port: int) -> None:
        session = requests.Session()
        while not stop.is_set():
            page_of(session, stack, f"http://127.0.0.1:{port}{path}")

    with ThreadPoolExecutor() as pool:
        looking = [pool.submit(look, port) for port in stack.web * 2]
        try:
            yield
        finally:
            stop.set()
        for person in looking:
            person.result()


def page_of(session: requests.Session, stack: Stack, url: str) -> str:
    answer = session.get(url, headers={"Host": urlsplit(stack.shop.url).netloc}, timeout=TIMEOUT)
    answer.raise_for_status()
    return answer.text


def change(stack: Stack, number: int) -> tuple[Counter[str], float]:
    """Rename a product again and again; the pages from before each change by where they came from, and the median
    seconds of a save."""
    product = requests.get(f"{stack.shop.url}/api/products?page_size=1", timeout=TIMEOUT).json()["results"][0]
    address = f"{stack.shop.url}/api/admin/products/{product['id']}"
    path = urlsplit(requests.get(stack.shop.url + product["url"], timeout=TIMEOUT).url).path
    staff, visitor = staff_session(stack.shop.url), requests.Session()
    old, saves = Counter[str](), []
    places = {f"node {node}": f"http://127.0.0.1:{port}" for node, port in enumerate(stack.web, 1)}
    places["nginx"] = stack.shop.url
    with visitors(stack, path):
        for turn in range(number):
            name = f"{product['name']} {turn}"
            row = staff.get(address, timeout=TIMEOUT).json()
            started = monotonic()
            answer = staff.patch(
                address, json={"name": name, "updated_at": row["updated_at"]}, timeout=TIMEOUT
            )
            if answer.status_code != 200:
                raise AssertionError(f"The change was refused: {answer.status_code} {answer.text[:500]}")
            saves.append(monotonic() - started)
            for _ in range(ASKED_EACH):
                for place, url in places.items():
                    if f"{name}</h1>" not in page_of(visitor, stack, url + path):
                        old[place] += 1
    return old, statistics.median(saves)


def speed(stack: Stack) -> dict[str, float]:
    """Answers a second through nginx, of a bare view's in the same turns."""
    headers = {"Accept-Encoding": "gzip, deflate, br", "Host": urlsplit(stack.shop.url).netloc}
    port = urlsplit(stack.shop.url).port or 80
    shares = {}
    with server("tests.load.bare:application", dict(os.environ)) as bare:
        for path in ("/", "/produits"):
            call: Call = ("GET", path, None, headers)
            ask(port, os.getpid(), call)
            turns = [
                ask(port, os.getpid(), call).per_second / ask(*bare, ("GET", "/bare", None, {})).per_second
                for _ in range(TURNS)
            ]
            shares[path] = statistics.median(turns)
    return shares


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--changes", type=int, default=50, help="how many with each setting")
    options = parser.parse_args()
    if missing := missing_packages():
        print(f"Missing on this machine: apt-get install -y {' '.join(missing)}", file=sys.stderr)
        return 2
    wrong = 0
    for seconds in (0, 1):
        # PostgreSQL's own user has to reach its folder.
        with tempfile.TemporaryDirectory(prefix="shop-stack-") as folder:
            Path(folder).chmod(0o711)
            with running_stack(Path(folder), PROXY_CACHE_SECONDS=str(seconds)) as stack:
                old, save = change(stack, options.changes)
                shares = speed(stack)
        wrong += old.total()
        seen = ", ".join(f"{count} old at {place}" for place, count in old.items()) or "all seen at once"
        of_bare = ", ".join(f"{path} {share:.1f}" for path, share in shares.items())
        print(
            f"PROXY_CACHE_SECONDS={seconds}: {options.changes} changes, {seen}; a save takes {save:.2f} s; "
            f"through nginx, of bare: {of_bare}",
            flush=True,
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
