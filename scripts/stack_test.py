#!/usr/bin/env python
"""Breaks the parts of `make stack` one by one while people look and buy, and counts what they notice.

After each fault what was sold is what was charged is what is in the books, the stock says the same, and no mail is
lost. Prints a table (docs/deploying.md shows one); fails when a fault costs more than its row allows.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event, Lock
from time import monotonic, sleep

import requests
from bench_kills import MAILS, ORDERS, QUEUE, WAITING, Mailbox, buy, mailbox, seconds_until
from stack import TIMEOUT, WEB, Stack, missing_packages, running_stack, sign_in

LOOKERS, BUYERS = 2, 2
SETTLE_SECONDS = 400.0
DISK_MB = 900
# Shifts the clock of a Python process and its children; what counts seconds goes on, as after a clock was set.
CLOCK = """
import datetime, time_machine
time_machine.travel(datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=2), tick=True).start()
"""
STOCK_LEFT = "SELECT stock_quantity FROM catalog_product WHERE id = %s"
SOLD = "SELECT COALESCE(SUM(i.quantity), 0) FROM orders_orderitem i JOIN orders_order o ON o.id = i.order_id "
SOLD += "WHERE i.product_id = %s AND o.status = 'confirmed' AND o.email LIKE 'killed%%'"
BOOKED = "SELECT COUNT(*), COALESCE(SUM(e.amount), 0) FROM orders_ledgerentry e "
BOOKED += "JOIN orders_order o ON o.id = e.order_id WHERE e.kind = 'charge' AND o.email LIKE 'killed%%'"
CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' "
CUT += "AND pid <> pg_backend_pid() AND random() < 0.3"
# What a migration of a running shop may do (docs/operator.md): a column with a default of the database, an index
# beside the traffic; then both are gone again.
MIGRATION = """
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("ALTER TABLE orders_order ADD COLUMN stack_note varchar(20) DEFAULT '' NOT NULL")
    cursor.execute("CREATE INDEX CONCURRENTLY stack_note_index ON orders_order (stack_note)")
"""
MIGRATION_BACK = """
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("DROP INDEX CONCURRENTLY stack_note_index")
    cursor.execute("ALTER TABLE orders_order DROP COLUMN stack_note")
"""


@dataclass
class Load:
    """People who look at pages and buy. `failed` is what they noticed, by what it was."""

    stack: Stack
    product: int
    paths: list[str]
    terms: str
    asked: int = 0
    slowest: float = 0.0
    failed: Counter[str] = field(default_factory=Counter)
    bought: list[Future[None]] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def look(self, stop: Event) -> None:
        session = requests.Session()
        while not stop.is_set():
            path = random.choice(self.paths)  # noqa: S311
            started, failure = monotonic(), ""
            try:
                answer = session.get(self.stack.shop.url + path, timeout=TIMEOUT, allow_redirects=False)
                if answer.status_code >= 400:
                    failure = str(answer.status_code)
            except requests.RequestException as error:
                failure = type(error).__name__
            self.count(failure, monotonic() - started)
            sleep(0.02)

    def buy(self, stop: Event, pool: ThreadPoolExecutor) -> None:
        while not stop.is_set():
            purchase = pool.submit(buy, self.stack.shop, self.product, self.count, self.terms)
            self.bought.append(purchase)
            while not purchase.done() and not stop.is_set():
                sleep(0.05)
            sleep(0.2)

    def count(self, failure: str, seconds: float) -> None:
        with self.lock:
            self.asked += 1
            self.slowest = max(self.slowest, seconds)
            if failure:
                self.failed[failure] += 1


@dataclass(frozen=True)
class Fault:
    """What is done, and which failures visitors may notice meanwhile (`503` is a page that says so)."""

    name: str
    make: Callable[[Stack], None]
    allowed: frozenset[str] = frozenset()


@dataclass
class Result:
    name: str
    seconds: float
    load: Load
    recovered: float
    orders: int
    problems: list[str]

    def row(self) -> str:
        failed = ", ".join(f"{count} × {what}" for what, count in self.load.failed.most_common()) or "none"
        books = "; ".join(self.problems) or f"{self.orders} sold = charged = booked"
        return (
            f"| {self.name} | {self.seconds:.0f} | {self.load.asked} | {failed} | {self.load.slowest:.1f} | "
            f"{self.recovered:.0f} | {books} |"
        )


def rolling_restart(stack: Stack) -> None:
    stack.shop.manage("shell", "--no-imports", "-c", MIGRATION)
    for name, port in zip(WEB, stack.web, strict=True):
        # As `systemctl restart` does: the old processes finish what they do, visitors wait in the socket.
        stack.restart(name)
        healthy = partial(_answers, f"http://127.0.0.1:{port}/healthz")
        if seconds_until(healthy, monotonic()) == float("inf"):
            raise AssertionError(f"{name} did not start again.")
    stack.shop.manage("migrate", "--verbosity", "0")
    stack.shop.manage("shell", "--no-imports", "-c", MIGRATION_BACK)


def _answers(url: str) -> bool:
    with suppress(requests.RequestException):
        return requests.get(url, timeout=TIMEOUT).status_code == 200
    return False


def killed(*names: str) -> Callable[[Stack], None]:
    """`kill -9`: the service manager starts it again."""

    def make(stack: Stack) -> None:
        for name in names:
            old = stack.signal(name, signal.SIGKILL)
            seconds_until(lambda name=name, old=old: stack.pid(name) not in (None, old), monotonic())  # type: ignore[misc]
        sleep(5)

    return make


def redis_away(seconds: float) -> Callable[[Stack], None]:
    def make(stack: Stack) -> None:
        stack.redis.refuse()
        try:
            sleep(min(5.0, seconds / 2))
            refuse_guesses(stack)
            sleep(seconds)
        finally:
            stack.redis.forward()

    return make


def refuse_guesses(stack: Stack) -> None:
    """Sign-in stays limited while Redis is away: the sixth wrong password of an account is not looked at."""
    with requests.Session() as session:
        for number in range(6):
            answer = sign_in(session, stack.shop.url, "client@example.com", f"wrong-{number}")
    if "Trop de tentatives" not in answer.text:
        raise AssertionError(f"The sixth guess was not refused: {answer.status_code}")


def postgres_restarted(stack: Stack) -> None:
    old = stack.signal("postgres", signal.SIGINT)
    seconds_until(lambda: stack.pid("postgres") not in (None, old), monotonic())
    sleep(10)


def connections_cut(stack: Stack) -> None:
    """As a failover does, wherever a request or a job stands."""
    for _ in range(300):
        stack.shop.rows(CUT)
        sleep(0.1)


def provider_silent(stack: Stack) -> None:
    stack.stripe.hang()
    sleep(30)
    # Open connections stay silent for good, as after a failure of the network.
    stack.stripe.forward()


def disk_full(stack: Stack) -> None:
    """PostgreSQL and DATA_DIR lie on one small file system, which something else fills."""
    filler = stack.shop.folder.parent / "filler"
    with filler.open("wb") as file, suppress(OSError):
        while True:
            file.write(b"\0" * 1_000_000)
            file.flush()
    sleep(20)
    filler.unlink()


def clock_set_back(stack: Stack) -> None:
    with tempfile.TemporaryDirectory(prefix="shop-clock-") as folder:
        (Path(folder) / "sitecustomize.py").write_text(CLOCK)
        stack.restart("web-2", "worker-2", PYTHONPATH=folder)
        sleep(20)
        stack.restart("web-2", "worker-2", PYTHONPATH="")


def charges(stack: Stack) -> tuple[int, int]:
    """What the provider charged: how many, and cents."""
    count, cents, after = 0, 0, ""
    while True:
        page = requests.get(
            f"{stack.shop.sandbox_url}/v1/charges?limit=100{after}", auth=(stack.stripe_key, ""), timeout=60
        ).json()
        paid = [row for row in page["data"] if row["paid"]]
        count, cents = count + len(paid), cents + sum(row["amount"] for row in paid)
        if not page["has_more"]:
            return count, cents
        after = f"&starting_after={page['data'][-1]['id']}"


def settled(stack: Stack, product: int, stock: int, paid: int) -> list[str]:
    """Wait until all that was paid is booked and all mails are sent; what does not agree then."""
    begun = monotonic()
    orders: Counter[tuple[object, ...]] = Counter()

    def is_booked() -> bool:
        nonlocal orders
        orders = Counter(stack.shop.rows(ORDERS))
        return orders[("confirmed", 1)] >= paid and not stack.shop.rows(WAITING)

    while not is_booked() and monotonic() - begun < SETTLE_SECONDS:
        sleep(1)
    problems = []
    if orders[("confirmed", 1)] < paid:
        problems.append(f"{paid} paid, booked: {dict(orders)}")
    twice = {key: count for key, count in orders.items() if isinstance(key[1], int) and key[1] > 1}
    if twice:
        problems.append(f"charged more than once: {twice}")
    if waiting := len(stack.shop.rows(WAITING)):
        problems.append(f"{waiting} mails wait")
    ours = {
        row[0]
        for row in stack.shop.rows("SELECT message_id FROM core_outgoingmail WHERE \"to\" LIKE 'killed%%'")
    }
    if lost := ours - set(Mailbox.taken):
        problems.append(f"{len(lost)} mails lost")
    sold = int(stack.shop.rows(SOLD, product)[0][0])
    left = int(stack.shop.rows(STOCK_LEFT, product)[0][0])
    held = sum(count for key, count in orders.items() if key[0] == "pending")
    if not stock - sold - held <= left <= stock - sold:
        problems.append(f"{stock} in stock, {sold} sold, {held} unpaid, {left} left")
    booked, amount = stack.shop.rows(BOOKED)[0]
    at_provider = charges(stack)
    if (int(booked), round(float(amount) * 100)) != at_provider:
        problems.append(f"booked {booked} of {amount} €, charged {at_provider[0]} of {at_provider[1]} cents")
    try:
        # Charges are compared above, one by one with the ledger by the nightly job.
        stack.shop.manage("audit_books", "--without-stripe")
    except AssertionError as error:
        problems.append(f"audit_books: {str(error)[-300:]}")
    return problems


def run_fault(stack: Stack, fault: Fault, product: int, stock: int, before: int, paths: list[str]) -> Result:
    """Let people look and buy, make the fault, wait until all agrees again."""
    # As a page shows it; asking for it takes a command, which a fault may stop.
    load, stop = Load(stack, product, paths, stack.shop.terms_version()), Event()
    problems: list[str] = []
    logged, started = stack.log.stat().st_size, monotonic()
    with ThreadPoolExecutor(LOOKERS + 2 * BUYERS + 1) as pool:
        people = [pool.submit(load.look, stop) for _ in range(LOOKERS)]
        people += [pool.submit(load.buy, stop, pool) for _ in range(BUYERS)]
        sleep(3)
        mails = pool.submit(stack.shop.manage, "shell", "--no-imports", "-c", QUEUE.format(MAILS // 10))
        try:
            fault.make(stack)
        except Exception as error:
            problems.append(f"{type(error).__name__}: {error}")
        ended = monotonic()
        recovered = seconds_until(partial(_answers, f"{stack.shop.url}/readyz"), ended)
        sleep(3)
        stop.set()
        for person in people:
            person.result()
        orders = 0
        for purchase in load.bought:
            try:
                purchase.result()
                orders += 1
            except Exception as error:
                problems.append(f"a purchase was given up: {type(error).__name__} {str(error)[:200]}")
        with suppress(AssertionError):
            mails.result()
    problems += settled(stack, product, stock, before + orders)
    unexpected = set(load.failed) - fault.allowed
    if unexpected:
        log = stack.log.read_bytes()[logged:].decode(errors="replace").splitlines()
        errors = Counter(line.partition(" ERROR ")[2][:200] for line in log if " ERROR " in line)
        said = " · ".join(line for line, _ in errors.most_common(5))
        problems.append(f"not allowed: {', '.join(sorted(unexpected))}. Logged: {said}")
    return Result(fault.name, ended - started, load, recovered, orders, problems)


@contextmanager
def small_disk() -> Iterator[tuple[Path, bool]]:
    """A folder, and whether it is a file system of its own, which can be filled."""
    with tempfile.TemporaryDirectory(prefix="shop-stack-") as name:
        folder = Path(name)
        mounted = (
            os.geteuid() == 0
            and subprocess.run(
                ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m,mode=711", "tmpfs", name],
                check=False,
                capture_output=True,
            ).returncode
            == 0
        )
        try:
            yield folder, mounted
        finally:
            if mounted:
                subprocess.run(["umount", "--lazy", name], check=False)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--redis-seconds", type=float, default=300, help="how long Redis is away")
    parser.add_argument("--only", nargs="*", default=[""], help="parts of the names of the faults to make")
    options = parser.parse_args()
    if missing := missing_packages():
        print(f"Missing on this machine: apt-get install -y {' '.join(missing)}", file=sys.stderr)
        return 2
    # Ends what was started, and takes the small disk away.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    in_flight = frozenset({"502"})
    outage = frozenset({"503"})
    with small_disk() as (folder, fills), mailbox() as port:
        faults = [
            Fault("nothing", lambda stack: sleep(10)),
            Fault("rolling restart and a migration", rolling_restart),
            Fault("web node killed (kill -9)", killed("web-1"), in_flight | outage),
            Fault("worker killed", killed("worker-1")),
            Fault("beat killed", killed("beat")),
            Fault(f"Redis away {options.redis_seconds:.0f} s", redis_away(options.redis_seconds)),
            Fault("PostgreSQL restarted", postgres_restarted, outage),
            Fault("connections to PostgreSQL cut at random", connections_cut, outage),
            Fault("payment provider silent", provider_silent, outage),
        ]
        if fills:
            faults.append(Fault("disk full", disk_full, outage))
        else:
            print("No file system of its own could be mounted (needs root): a full disk is not tried.")
        # Payment pages that would end too soon are refused by the provider.
        faults.append(Fault("clock of a web node and a worker 2 h back", clock_set_back, outage))
        print("Starting the stack…", flush=True)
        with running_stack(folder, EMAIL_URL=f"smtp://127.0.0.1:{port}") as stack:
            product = stack.shop.stocked_product()
            stock = int(stack.shop.rows(STOCK_LEFT, product)[0][0])
            results = requests.get(f"{stack.shop.url}/api/products?page_size=8", timeout=TIMEOUT).json()[
                "results"
            ]
            paths = ["/", "/produits", "/en", "/blog", "/api/products", *(row["url"] for row in results)]
            paid, wrong, rows = 0, 0, []
            for fault in faults:
                if not any(part in fault.name for part in options.only):
                    continue
                result = run_fault(stack, fault, product, stock, paid, paths)
                paid += result.orders
                wrong += bool(result.problems)
                rows.append(result.row())
                print(result.row(), flush=True)
    print(
        "\n| Fault | Seconds | Requests | Failed | Slowest, s | Ready after, s | Books |\n|---|---|---|---|---|---|---|"
    )
    print("\n".join(rows))
    print(f"\n{wrong} wrong." if wrong else "\nAll as it should be.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
