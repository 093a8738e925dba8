#!/usr/bin/env python
"""``kill -9`` of each kind of process under load: is a mail or a payment lost or done twice, and how long does it take?

The shop as `make run` starts it, on the file queue and, where a redis-server is installed, on Redis. Before each kill
mails are queued and orders are placed and paid; a visitor who gets an error tries again, as people do.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socketserver
import sys
import tempfile
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import TypeVar

import requests
from bench_redis import redis_server
from shop_process import RunningShop, start_shop, stop_shop

# What is killed, and a part of its command line.
KINDS = {
    "web worker": "gunicorn",
    "web master": "gunicorn",
    "worker-1": "--hostname worker-1",
    "worker-2": "--hostname worker-2",
    "pictures": "--hostname pictures",
    "beat": " beat ",
    "sandbox": "orders.stripe_sandbox",
}
Answer = TypeVar("Answer")
MAILS, PAYMENTS = 200, 50
# A payment whose webhook was lost is looked for after two minutes by a job that runs every five.
PATIENCE = 600.0
QUEUE = """
from django.db import transaction
from shop.core.mail import queue_mail
urls = {{"signin_url": "https://example.com/", "reset_url": "https://example.com/"}}
for number in range({}):
    with transaction.atomic():
        queue_mail(kind="account_exists", to="killed@example.com", language="fr", context=urls)
"""
OURS = "SELECT 1 FROM core_outgoingmail WHERE \"to\" = 'killed@example.com' AND kind = 'account_exists'"
# Of every buyer of these scripts, whose addresses begin alike (two signs of per cent: psycopg reads one as its own).
WAITING = "SELECT 1 FROM core_outgoingmail WHERE \"to\" LIKE 'killed%%' AND state != 'sent'"
ORDERS = (
    "SELECT o.status, COUNT(e.id) FROM orders_order o LEFT JOIN orders_ledgerentry e ON e.order_id = o.id"
)
ORDERS += " AND e.kind = 'charge' WHERE o.email LIKE 'killed%%' GROUP BY o.id"


class Mailbox(socketserver.StreamRequestHandler):
    """A mail server that takes everything and counts by Message-ID. Slow enough for a kill to fall in between."""

    taken: Counter[str] = Counter()

    def handle(self) -> None:
        # Whoever was killed says no goodbye.
        with suppress(ConnectionError):
            self._talk()

    def _talk(self) -> None:
        self.wfile.write(b"220 ready\r\n")
        while command := self.rfile.readline()[:4].upper():
            if command == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                lines = iter(self.rfile.readline, b".\r\n")
                found = re.search(rb"^Message-ID:\s*(\S+)", b"".join(lines), re.MULTILINE | re.IGNORECASE)
                sleep(0.05)
                self.taken[found[1].decode() if found else ""] += 1
            self.wfile.write(b"221 bye\r\n" if command == b"QUIT" else b"250 ok\r\n")


@contextmanager
def mailbox() -> Iterator[int]:
    """Serve a mail server that counts what it takes by subject; yield its port."""
    Mailbox.taken = Counter()
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Mailbox) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def pid_of(shop: RunningShop, kind: str) -> int | None:
    """Return the process of this kind, None while it is away."""
    for child in children(shop.process.pid):
        command = Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        if KINDS[kind] in command:
            below = children(child)
            return child if kind != "web worker" else below[0] if below else None
    return None


def children(pid: int) -> list[int]:
    """Return the ids of a process's children (Linux)."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def again(ask: Callable[[], Answer]) -> Answer:
    """Return what is answered in the end, by a shop whose processes are killed meanwhile."""
    deadline = monotonic() + 60
    while True:
        try:
            return ask()
        except (requests.RequestException, ValueError, KeyError):
            if monotonic() > deadline:
                raise
            sleep(0.5)


def buy(
    shop: RunningShop,
    product: int,
    noticed: Callable[[str, float], None] | None = None,
    terms: str = "",
) -> None:
    """Order one piece, each time as another customer, and pay it, with one key however often it is tried. `noticed` is
    told each answer of the shop: what was wrong with it ("" for nothing) and its seconds. `terms` is asked for where it
    is not given.
    """
    session = requests.Session()
    if noticed is not None:
        session.hooks["response"].append(
            lambda answer, **_: noticed(
                str(answer.status_code) if answer.status_code >= 500 else "", answer.elapsed.total_seconds()
            )
        )
    lines = {"lines": [{"product_id": product, "quantity": 1}], "country": "FR"}
    key = str(uuid.uuid4())
    # The same demand of one customer twice at once is one order.
    email = f"killed-{key}@example.com"
    terms = terms or shop.terms_version()

    def place() -> str:
        token = session.get(f"{shop.url}/api/me", timeout=30).json()["csrf_token"]
        headers = {"X-CSRFToken": token, "Idempotency-Key": key, "Origin": shop.url}
        total = session.post(f"{shop.url}/api/cart/quote", json=lines, timeout=30).json()["total"]
        body = {
            **lines,
            "customer": {**CUSTOMER, "email": email},
            "payment_mode": "full",
            "expected_total": total,
            "accept_terms": True,
            "terms_version": terms,
        }
        answer = session.post(f"{shop.url}/api/checkout", json=body, headers=headers, timeout=30)
        if answer.status_code == 409 and "terms_version" in answer.json():
            # What the page would have shown.
            body["terms_version"] = answer.json()["terms_version"]
            answer = session.post(f"{shop.url}/api/checkout", json=body, headers=headers, timeout=30)
        found = re.search(r"/c/pay/(\w+)", json.dumps(answer.json()))
        if found is None:
            raise ValueError(answer.text[:500])
        return found[1]

    def pay(page: str) -> None:
        answer = requests.post(f"{shop.sandbox_url}/_control/sessions/{page}/pay", json={}, timeout=30)
        # Paid by the first try, whose answer a kill cut off.
        if not answer.ok and "complete" not in answer.text:
            raise ValueError(answer.text[:500])

    page = again(place)
    again(lambda: pay(page))


CUSTOMER = {
    "firstName": "Léa",
    "lastName": "Martin",
    "address": "3 rue des Carmes",
    "city": "Lyon",
    "postalCode": "69003",
    "country": "FR",
}


def seconds_until(reached: Callable[[], object], since: float) -> float:
    """Return how long after the moment `since` it was reached; infinity when it takes too long."""
    while not reached():
        if monotonic() - since > PATIENCE:
            return float("inf")
        sleep(0.1)
    return monotonic() - since


def kill_each(shop: RunningShop) -> int:
    """Print one line a kind and the sums; how many mails and payments were lost or done too often."""
    product = shop.stocked_product()
    mails, payments = -(-MAILS // len(KINDS)), -(-PAYMENTS // len(KINDS))
    print(f"{'killed':12}{'again there':>14}{'all mails sent':>17}")
    with ThreadPoolExecutor(4) as pool:
        bought = []
        for number, kind in enumerate(KINDS):
            queueing = pool.submit(shop.manage, "shell", "--no-imports", "-c", QUEUE.format(mails))
            bought += [pool.submit(buy, shop, product) for _ in range(payments)]
            begun = monotonic()
            # In the midst of them.
            seconds_until(lambda number=number: len(shop.rows(OURS)) > (number + 0.2) * mails, begun)  # type: ignore[misc]
            old = pid_of(shop, kind)
            if old is None:
                raise AssertionError(f"There is no {kind}.")
            os.kill(old, signal.SIGKILL)
            killed = monotonic()
            there = seconds_until(lambda kind=kind, old=old: pid_of(shop, kind) not in (None, old), killed)  # type: ignore[misc]
            sent = seconds_until(lambda queueing=queueing: queueing.done() and not shop.rows(WAITING), killed)  # type: ignore[misc]
            print(f"{kind:12}{there:12.1f} s{sent:15.1f} s", flush=True)
        for buyer in bought:
            buyer.result()
    placed = payments * len(KINDS)
    booked = seconds_until(lambda: shop.rows(ORDERS).count(("confirmed", 1)) == placed, monotonic())
    orders = Counter(shop.rows(ORDERS))
    queued = mails * len(KINDS)
    seconds_until(lambda: not shop.rows(WAITING), monotonic())
    ours = {
        row[0] for row in shop.rows("SELECT message_id FROM core_outgoingmail WHERE \"to\" LIKE 'killed%%'")
    }
    lost = len(ours - set(Mailbox.taken))
    twice = sum(Mailbox.taken[name] - 1 for name in ours & set(Mailbox.taken))
    print(
        f"mails: {queued} queued beside those of {placed} orders, {lost} lost, {twice} twice ({len(KINDS)} kills)"
    )
    print(
        f"payments: {placed} paid, {orders['confirmed', 1]} booked once; the last one {booked:.0f} s after the rest"
    )
    return lost + max(0, twice - len(KINDS)) + (orders != {("confirmed", 1): placed})


def bench_kills() -> int:
    """Both queues; how many mails and payments were lost or done too often."""
    wrong = 0
    for queue in ("files", *(["Redis"] if shutil.which("redis-server") else [])):
        print(f"\n── kill -9 of each kind of process, queue: {queue} ──", flush=True)
        with tempfile.TemporaryDirectory(prefix="shop-kills-") as folder, mailbox() as port:
            variables = {"EMAIL_URL": f"smtp://127.0.0.1:{port}"}
            if queue == "files":
                wrong += _on_queue(Path(folder), variables)
            else:
                with redis_server() as port:
                    wrong += _on_queue(
                        Path(folder), {**variables, "REDIS_URL": f"redis://127.0.0.1:{port}/0"}
                    )
    return wrong


def _on_queue(folder: Path, variables: dict[str, str]) -> int:
    shop = start_shop(folder, **variables)
    try:
        return kill_each(shop)
    finally:
        stop_shop(shop)


if __name__ == "__main__":
    sys.exit(1 if bench_kills() else 0)
