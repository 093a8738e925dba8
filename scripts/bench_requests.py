"""Requests per second of the shop's pages and calls, each next to a bare Django view under the same server.

One gunicorn worker with four threads, production settings, the demonstration's data on SQLite. Bare view and page
take turns, so that a machine whose speed drifts slows both; the share is the median of the turns. Pages are asked for
as browsers ask for them, compressed.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import statistics
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import Any

import requests
from bench_lighthouse import bench_lighthouse
from shop_process import ROOT, RunningShop, free_port

CLIENTS = 4
SECONDS = 1.5
TURNS = 3
Call = tuple[str, str, bytes | None, dict[str, str]]

PRODUCTION = {
    "DEBUG": "false",
    "SECRET_KEY": secrets.token_urlsafe(50),
    "ALLOWED_HOSTS": "127.0.0.1,localhost",
    "SITE_URL": "https://shop.example",
    "SECURE_SSL_REDIRECT": "false",
    "LOG_LEVEL": "ERROR",
    # As `make run` and the operator's guide start a worker.
    "MALLOC_ARENA_MAX": "2",
    "MALLOC_MMAP_THRESHOLD_": "131072",
    "MALLOC_TRIM_THRESHOLD_": "131072",
}


@contextmanager
def server(application: str, environment: dict[str, str]) -> Iterator[tuple[int, int]]:
    """A gunicorn with one worker: its port and the worker's process id."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", application, "--bind", f"127.0.0.1:{port}", "--workers", "1"]
    command += ["--worker-class", "gthread", "--threads", "4", "--no-control-socket", "--log-level", "error"]
    own = {"PYTHONPATH": str(ROOT), "DEBUG_ADDRESS": "127.0.0.1"}
    process = subprocess.Popen(command, cwd=ROOT, env={**environment, **own})
    try:
        deadline = monotonic() + 60
        while monotonic() < deadline:
            try:
                requests.get(f"http://127.0.0.1:{port}/", timeout=60)
                break
            except requests.ConnectionError:
                sleep(0.2)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        yield port, int(children[0])
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            # A thread of it waits for a server that does not answer.
            process.kill()
            process.wait()


def per_second(port: int, call: Call, *, seconds: float = SECONDS) -> float:
    """Return the answers a second to four visitors at once. Raises CalledProcessError on an answer that is an error."""
    method, path, body, headers = call
    headers = {"Host": "127.0.0.1", **headers} | ({"Content-Length": str(len(body))} if body else {})
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    request = f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + (body or b"")
    ended = subprocess.run(
        [sys.executable, "tests/load/visitors.py", str(port), str(seconds)],
        cwd=ROOT,
        input=request,
        stdout=subprocess.PIPE,
        check=True,
    )
    return float(ended.stdout)


def compare(bare: int, shop: int, calls: dict[str, Call], aims: dict[str, float]) -> None:
    """Print one line a call: its speed, and the median of its shares of a bare view's."""
    for name, call in calls.items():
        per_second(shop, call, seconds=0.3)
        shares, speeds = [], []
        for _ in range(TURNS):
            plain = per_second(bare, ("GET", "/bare", None, {}))
            speed = per_second(shop, call)
            shares.append(speed / plain)
            speeds.append(speed)
        aim = f"  (aim {aims[name]:.2f})" if name in aims else ""
        print(
            f"{name:34}{statistics.median(speeds):8.0f} a second{statistics.median(shares):8.3f} of bare{aim}"
        )


def memory(pid: int) -> float:
    """Resident memory of a process in MiB."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


def bench_requests(shop: RunningShop) -> None:
    """Print the figures, with the data of a running shop."""
    environment = {**shop.environment, **PRODUCTION}
    subprocess.run(
        [sys.executable, "manage.py", "collectstatic", "--noinput", "-v0"],
        cwd=ROOT,
        env=environment,
        check=True,
    )
    product = requests.get(f"{shop.url}/api/products?page_size=1", timeout=30).json()["results"][0]
    quote = json.dumps({"lines": [{"product_id": product["id"], "quantity": 3}], "country": "FR"}).encode()
    path = requests.get(shop.url + product["url"], timeout=30).url.removeprefix(shop.url)
    asked = {"Accept-Encoding": "gzip, deflate, br"}
    calls: dict[str, Call] = {
        "list": ("GET", "/produits", None, asked),
        "search": ("GET", "/produits?search=dragon", None, asked),
        "product": ("GET", path, None, asked),
        "quote": ("POST", "/api/cart/quote", quote, {"Content-Type": "application/json"}),
    }
    pages = {name: calls[name] for name in ("list", "product")}
    aims = {"list": 0.09, "search": 0.09, "product": 0.12, "quote": 0.12}
    with server("tests.load.bare:application", dict(os.environ)) as (bare, _):
        print("\nfrom nothing: neither pages nor fragments of them are cached")
        nothing = {"PAGE_CACHE_SECONDS": "0", "FRAGMENT_CACHE_SECONDS": "0"}
        with server("shop.wsgi", {**environment, **nothing}) as (port, _):
            compare(bare, port, {name: calls[name] for name in ("list", "search", "product")}, {})
        print("\nfrom cached fragments: no page is cached")
        with server("shop.wsgi", {**environment, "PAGE_CACHE_SECONDS": "0"}) as (port, _):
            compare(bare, port, calls, aims)
        print("\ncached pages")
        with server("shop.wsgi", {**environment, "PAGE_CACHE_SECONDS": "600"}) as (port, worker):
            compare(bare, port, pages, dict.fromkeys(pages, 0.75))
            compare(bare, port, {name: calls[name] for name in ("search", "quote")}, {})
            print(f"{'memory of the worker after that':34}{memory(worker):8.0f} MiB  (aim 120 at most)")
            bench_lighthouse(port, {"home": "/", "list": "/produits", "product": path, "cart": "/panier"})
    bench_checkout(shop, product["id"])


def bench_checkout(shop: RunningShop, product_id: int) -> None:
    """Orders a second, each with its payment page at the sandbox, on the shop as `make run` starts it."""
    price = requests.post(
        f"{shop.url}/api/cart/quote",
        json={"lines": [{"product_id": product_id, "quantity": 1}], "country": "FR"},
        timeout=30,
    ).json()["total"]
    customer = {
        "email": "bench@example.com",
        "firstName": "Léa",
        "lastName": "Martin",
        "address": "3 rue des Carmes",
    }
    customer |= {"city": "Lyon", "postalCode": "69003", "country": "FR"}
    body: dict[str, Any] = {
        "lines": [{"product_id": product_id, "quantity": 1}],
        "customer": customer,
        "payment_mode": "full",
        "expected_total": price,
        "accept_terms": True,
    }

    def buy(_: int) -> float:
        with requests.Session() as session:
            token = session.get(f"{shop.url}/api/me", timeout=30).json()["csrf_token"]
            headers = {"X-CSRFToken": token, "Idempotency-Key": str(uuid.uuid4()), "Origin": shop.url}
            started = perf_counter()
            answer = session.post(f"{shop.url}/api/checkout", json=body, headers=headers, timeout=60)
            assert answer.status_code == 201, answer.text
            return perf_counter() - started

    def orders(number: int, clients: int, one: Callable[[int], float]) -> tuple[float, list[float]]:
        started = perf_counter()
        with ThreadPoolExecutor(clients) as pool:
            times = list(pool.map(one, range(number)))
        return number / (perf_counter() - started), times

    speed, times = orders(60, CLIENTS, buy)
    print(
        f"\n{'checkout, with its payment page':34}{speed:8.1f} a second, median {statistics.median(times):.3f} s"
    )
