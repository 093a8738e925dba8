"""What the shop of `make stack` carries: the processor's time of each of its programs for a page and for a paid order,
and their memory.

    python scripts/capacity.py [--seconds 60] [--buyers 4]

Load and payment provider share the machine with the shop, so a second of the clock says little: what a machine carries
is its cores divided by the processor's time that the shop's own programs take.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep

import requests
from bench_kills import ORDERS, WAITING, buy, children, mailbox
from bench_requests import memory
from stack import Stack, missing_packages, running_stack

TICKS = os.sysconf("SC_CLK_TCK")
# Of others on a real server: the provider's, the storage's.
FOREIGN = {"sandbox", "s3"}
CORES = 2
# What is kept free for a bad minute.
USED = 0.6
PAGES_OF_A_VISIT = 5
SETTLE_SECONDS = 300


def family(pid: int) -> list[int]:
    """Return a process and all that it started."""
    return [pid, *(each for child in children(pid) for each in family(child))]


def seconds_of(pid: int) -> float:
    """Return the processor's seconds of a process, and of its children that ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS


def memory_of(pid: int) -> float:
    """Return the MiB that a process holds, what it shares with others divided by their number; 0 when it ended."""
    try:
        return memory(pid, "Pss")
    except OSError:
        return 0.0


def used(stack: Stack) -> dict[str, float]:
    return {
        name: sum(map(seconds_of, family(pid)))
        for name in stack.supervisor.runs
        if name not in FOREIGN and (pid := stack.pid(name))
    }


def measure(stack: Stack, title: str, work: Callable[[], int]) -> float:
    """Print what each program spent on the work; return milliseconds of all of them for one piece of it."""
    before, started = used(stack), monotonic()
    count = work()
    passed, after = monotonic() - started, used(stack)
    spent = {name: (after[name] - before.get(name, 0.0)) * 1000 / count for name in after}
    parts = ", ".join(f"{name} {value:.2f}" for name, value in sorted(spent.items()) if value >= 0.01)
    total = sum(spent.values())
    print(f"| {title} | {count} | {count / passed:.1f} | {total:.2f} | {parts} |", flush=True)
    return total


def look(stack: Stack, paths: list[str], seconds: float, query: bool) -> int:
    """Ask for pages, two visitors one page after another; a query of one's own has each made anew from fragments."""

    def visitor() -> int:
        count, until = 0, monotonic() + seconds
        with requests.Session() as session:
            while monotonic() < until:
                extra = f"?utm_source={uuid.uuid4().hex}" if query else ""
                session.get(stack.shop.url + paths[count % len(paths)] + extra, timeout=30).raise_for_status()
                count += 1
        return count

    with ThreadPoolExecutor(2) as pool:
        return sum(each.result() for each in [pool.submit(visitor) for _ in range(2)])


def sell(stack: Stack, product: int, seconds: float, buyers: int) -> int:
    """Sell until the time is over, then wait until all is booked and every mail is sent."""
    terms, until = stack.shop.terms_version(), monotonic() + seconds

    def buyer() -> int:
        count = 0
        while monotonic() < until:
            buy(stack.shop, product, terms=terms)
            count += 1
        return count

    with ThreadPoolExecutor(buyers) as pool:
        sold = sum(each.result() for each in [pool.submit(buyer) for _ in range(buyers)])
    deadline = monotonic() + SETTLE_SECONDS
    while stack.shop.rows(ORDERS).count(("confirmed", 1)) < sold or stack.shop.rows(WAITING):
        assert monotonic() < deadline, "Not all was booked and written about in time."
        sleep(0.5)
    return sold


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--buyers", type=int, default=4)
    options = parser.parse_args()
    if missing := missing_packages():
        print(f"Missing on this machine: apt-get install -y {' '.join(missing)}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="shop-stack-") as folder, mailbox() as port:
        print("Starting the stack…", flush=True)
        with running_stack(Path(folder), EMAIL_URL=f"smtp://127.0.0.1:{port}") as stack:
            stack.shop.wait_for_pictures()
            product = stack.shop.stocked_product()
            rows = requests.get(f"{stack.shop.url}/api/products?page_size=8", timeout=30).json()["results"]
            paths = ["/", "/produits", "/en", "/blog", *(row["url"] for row in rows)]
            print("\n| Work | Times | A second | ms of the processor | Of it |\n|---|---|---|---|---|")
            measure(stack, "nothing, a second", lambda: _rest(options.seconds / 2))
            kept = measure(
                stack, "page from the cache", lambda: look(stack, paths, options.seconds / 2, query=False)
            )
            made = measure(
                stack,
                "page of a campaign's link",
                lambda: look(stack, paths, options.seconds / 2, query=True),
            )
            order = measure(
                stack, "paid order", lambda: sell(stack, product, options.seconds, options.buyers)
            )
            print("\n| Program | Processes | MiB |\n|---|---|---|")
            for name in stack.supervisor.runs:
                if name not in FOREIGN and (pid := stack.pid(name)):
                    processes = family(pid)
                    print(f"| {name} | {len(processes)} | {sum(map(memory_of, processes)):.0f} |")
    carried = CORES * 1000 * USED
    visit = kept * (PAGES_OF_A_VISIT - 1) + made
    visits = carried / visit
    print(f"\n{CORES} cores used to {USED:.0%} carry, of one kind of work at a time:")
    print(f"{carried / kept:,.0f} pages a second from the cache, {carried / made:,.0f} made anew;")
    print(f"{visits:,.1f} visits a second of {PAGES_OF_A_VISIT} pages, one of them made anew;")
    print(f"{carried / order * 3600:,.0f} paid orders an hour with their mails and documents.")
    return 0


def _rest(seconds: float) -> int:
    sleep(seconds)
    return round(seconds)


if __name__ == "__main__":
    sys.exit(main())
