#!/usr/bin/env python
"""What visitors notice of a Redis that hangs, refuses and comes back: requests, seconds, errors, recovery.

One gunicorn worker with four threads on the demonstration's data, with a proxy that can be broken between it and a
real Redis. Part of `make bench`; run alone it starts a shop of its own.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ipaddress import IPv4Address
from pathlib import Path
from secrets import randbits
from time import monotonic, sleep

import requests
from bench_requests import server
from faulty_proxy import faulty_proxy
from shop_process import RunningShop, free_port, start_shop, stop_shop

ROUNDS = 6
RECOVERY_SECONDS = 60.0
# A visitor's.
PATIENCE_SECONDS = 25.0
NO_ANSWER = 599
WEBHOOK_SECRET = "whsec_bench"  # noqa: S105
Visit = Callable[[str], requests.Response]


@contextmanager
def redis_server() -> Iterator[int]:
    """The port of a Redis that keeps nothing."""
    port = free_port()
    command = ["redis-server", "--port", str(port), "--save", "", "--appendonly", "no", "--bind", "127.0.0.1"]
    with tempfile.TemporaryDirectory(prefix="shop-redis-") as folder:
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
        try:
            sleep(0.5)
            yield port
        finally:
            process.terminate()
            process.wait(10)


def visits(shop: RunningShop) -> dict[str, Visit]:
    """One request each, by name; it gives the answer."""
    product = requests.get(f"{shop.url}/api/products?page_size=1", timeout=30).json()["results"][0]

    def page(path: str) -> Visit:
        return lambda url: requests.get(url + path, timeout=PATIENCE_SECONDS, allow_redirects=False)

    def form(path: str, **fields: str) -> Visit:
        def submit(url: str) -> requests.Response:
            with requests.Session() as session:
                # Each at an address of its own: limits have tests of their own.
                session.headers["X-Forwarded-For"] = str(IPv4Address(randbits(32)))
                token = session.get(f"{url}/api/me", timeout=PATIENCE_SECONDS).json()["csrf_token"]
                body = {"email": f"{uuid.uuid4().hex}@example.com", **fields}
                headers = {"X-CSRFToken": token, "Referer": url + path}
                return session.post(
                    url + path, body, headers=headers, timeout=PATIENCE_SECONDS, allow_redirects=False
                )

        return submit

    def webhook(url: str) -> requests.Response:
        event = {"id": f"evt_{uuid.uuid4().hex}", "type": "customer.created", "livemode": False}
        body = json.dumps(event).encode()
        moment = int(time.time())
        signature = hmac.new(
            WEBHOOK_SECRET.encode(), f"{moment}.".encode() + body, hashlib.sha256
        ).hexdigest()
        headers = {"Stripe-Signature": f"t={moment},v1={signature}", "Content-Type": "application/json"}
        return requests.post(f"{url}/webhooks/stripe", data=body, headers=headers, timeout=PATIENCE_SECONDS)

    contact = {"kind": "question", "first_name": "Léa", "last_name": "Martin", "subject": "Le dragon"}
    return {
        "home": page("/"),
        "list": page("/produits"),
        "product": page(product["url"]),
        "contact": form("/contact", message="Est-ce que le dragon revient ?", **contact),
        "sign-up": form("/auth", mode="signup", password="figurine-bleue-71"),  # noqa: S106
        "webhook": webhook,
    }


def phase(name: str, url: str, calls: dict[str, Visit], rounds: int) -> int:
    """Print one line a kind of request; how many answers were errors of the shop."""
    errors = 0
    for label, visit in calls.items():
        times, statuses = [], []
        for _ in range(rounds):
            try:
                answer = visit(url)
            except requests.Timeout:
                statuses.append(NO_ANSWER)
                times.append(PATIENCE_SECONDS)
                continue
            statuses.append(answer.status_code)
            times.append(answer.elapsed.total_seconds())
        failed = sum(status >= 500 for status in statuses)
        errors += failed
        seen = ",".join(sorted({str(status) for status in statuses}))
        print(
            f"{name:10}{label:10}{rounds:4} requests{statistics.median(times):8.3f} s median{max(times):8.3f} s worst"
            f"{failed:3} × 5xx  ({seen})",
            flush=True,
        )
    return errors


def seconds_to_recover(url: str) -> float:
    """Until /readyz says that cache and broker answer."""
    started = monotonic()
    while monotonic() - started < RECOVERY_SECONDS:
        with suppress(requests.RequestException):
            if requests.get(f"{url}/readyz", timeout=PATIENCE_SECONDS).status_code == 200:
                return monotonic() - started
        sleep(0.2)
    return float("inf")


def bench_redis(shop: RunningShop, rounds: int = ROUNDS) -> int:
    """Print the figures, with the data of a running shop; how many answers were errors."""
    if shutil.which("redis-server") is None:
        print(
            "\nNo redis-server here (apt-get install redis-server): nothing measured with a Redis that fails."
        )
        return 0
    print("\na Redis that fails")
    calls = visits(shop)
    errors = 0
    with redis_server() as redis, faulty_proxy(redis) as proxy:
        environment = {
            **shop.environment,
            "REDIS_URL": f"redis://127.0.0.1:{proxy.port}/0",
            "STRIPE_WEBHOOK_SECRET": WEBHOOK_SECRET,
            "TRUSTED_PROXIES": "1",
            "LOG_LEVEL": "CRITICAL",
        }
        with server("shop.wsgi", environment) as (port, _):
            url = f"http://127.0.0.1:{port}"
            errors += phase("well", url, calls, rounds)
            for name, fail in (("hangs", proxy.hang), ("refuses", proxy.refuse)):
                fail()
                errors += phase(name, url, calls, rounds)
                proxy.forward()
                print(f"{'recovered':10}after {seconds_to_recover(url):.1f} s", flush=True)
            errors += phase("back", url, calls, rounds)
    return errors


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="shop-bench-") as folder:
        running = start_shop(Path(folder))
        try:
            # Each picture that is made drops the cached pages.
            running.wait_for_pictures()
            return 1 if bench_redis(running, int(sys.argv[1]) if sys.argv[1:] else ROUNDS) else 0
        finally:
            stop_shop(running)


if __name__ == "__main__":
    sys.exit(main())
