"""What the shop's pages and calls cost, each next to a bare Django view under the same server.

One gunicorn worker with four threads, production settings, the data of a running shop. Bare view and page
take turns, so that a machine whose speed drifts slows both; the share is the median of the turns. Pages are asked for
as browsers ask for them, compressed.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import statistics
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import Any

import requests
from bench_lighthouse import bench_lighthouse
from shop_process import ROOT, RunningShop, free_port

CLIENTS = 4
SECONDS = 2
ORDERS = 40
TURNS = 3
Call = tuple[str, str, bytes | None, dict[str, str]]
# The port of a server and the process id of its one worker.
Server = tuple[int, int]
# What 304 and redirections are is said by wrk's own sum: anything from 400 on is an error.
WRK_DONE = """
done = function(summary)
  local errors = summary.errors
  io.write(string.format("\\n%d %d\\n", summary.requests,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
"""

# As `make run` and the operator's guide start a worker.
MEMORY = {
    "MALLOC_ARENA_MAX": "2",
    "MALLOC_MMAP_THRESHOLD_": "1048576",
    "MALLOC_TRIM_THRESHOLD_": "4194304",
}
PRODUCTION = {
    "DEBUG": "false",
    "SECRET_KEY": secrets.token_urlsafe(50),
    "ALLOWED_HOSTS": "127.0.0.1,localhost,shop.example",
    "SITE_URL": "https://shop.example",
    "SECURE_SSL_REDIRECT": "false",
    "LOG_LEVEL": "ERROR",
    **MEMORY,
}


@contextmanager
def server(application: str, environment: dict[str, str]) -> Iterator[Server]:
    """A gunicorn with one worker."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", application, "--bind", f"127.0.0.1:{port}", "--workers", "1"]
    command += ["--worker-class", "gthread", "--threads", "4", "--no-control-socket", "--log-level", "error"]
    own = {"PYTHONPATH": str(ROOT), "DEBUG_ADDRESS": "127.0.0.1"}
    process = subprocess.Popen(command, cwd=ROOT, env={**environment, **own})
    try:
        deadline = monotonic() + 60
        while monotonic() < deadline:
            assert process.poll() is None, f"{application} did not start."
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


@dataclass(frozen=True, slots=True)
class Round:
    """What a server answered to four visitors at once: how many a second, and the processor's time for each."""

    per_second: float
    cpu_ms: float


def ask(port: int, worker: int, call: Call, *, seconds: int = SECONDS) -> Round:
    """Ask one call again and again, with `wrk` where it is. Raises CalledProcessError or AssertionError on an answer
    that is an error."""
    before = cpu_seconds(worker)
    started = perf_counter()
    answers = (ask_with_wrk if shutil.which("wrk") else ask_with_python)(port, call, seconds)
    return Round(answers / (perf_counter() - started), (cpu_seconds(worker) - before) * 1000 / answers)


def ask_with_wrk(port: int, call: Call, seconds: int) -> int:
    method, path, body, headers = call
    lines = [f"wrk.method = {json.dumps(method)}"]
    lines += [f"wrk.headers[{json.dumps(name)}] = {json.dumps(value)}" for name, value in headers.items()]
    if body:
        lines.append(f"wrk.body = {json.dumps(body.decode())}")
    lines.append(WRK_DONE)
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write("\n".join(lines))
        script.flush()
        command = ["wrk", "-t1", f"-c{CLIENTS}", f"-d{seconds}s", "--timeout", "60s", "-s", script.name]
        ended = subprocess.run(
            [*command, f"http://127.0.0.1:{port}{path}"], stdout=subprocess.PIPE, text=True, check=True
        )
    answers, errors = map(int, ended.stdout.splitlines()[-1].split())
    assert answers > 0
    assert not errors, f"{path}: {errors} errors in {answers} answers"
    return answers


def ask_with_python(port: int, call: Call, seconds: int) -> int:
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
    return int(ended.stdout)


def cpu_seconds(pid: int) -> float:
    """Return what a process has taken of the processor so far."""
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def compare(bare: Server, shop: Server, calls: dict[str, Call], aims: dict[str, float]) -> None:
    """Print one line a call: its speed, its time of the processor, and both as shares of a bare view's: the median of
    the turns. The share of the processor's time is the one that other work on the machine does not bend."""
    for name, call in calls.items():
        # Its first answers may take a second each.
        ask(*shop, call, seconds=5)
        turns = [(ask(*bare, ("GET", "/bare", None, {})), ask(*shop, call)) for _ in range(TURNS)]
        speed = statistics.median(page.per_second for _, page in turns)
        cpu = statistics.median(page.cpu_ms for _, page in turns)
        share = statistics.median(plain.cpu_ms / page.cpu_ms for plain, page in turns)
        by_speed = statistics.median(page.per_second / plain.per_second for plain, page in turns)
        aim = f"  (aim {aims[name]:.3g})" if name in aims else ""
        print(
            f"{name:34}{speed:8.0f} a second{cpu:9.2f} ms CPU{share:8.3f} of bare{aim}   ({by_speed:.3f} by speed)",
            flush=True,
        )


def memory(pid: int, kind: str = "Rss") -> float:
    """Return the MiB of a process: `Rss` is all that it holds, in `Pss` what it shares is divided by their number.

    Raises OSError for a process that ended.
    """
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(f"{kind}:")) / 1024


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
    path = requests.get(shop.url + product["url"], timeout=30).url.removeprefix(shop.url)
    asked = {"Accept-Encoding": "gzip, deflate, br"}
    pages: dict[str, Call] = {
        "home": ("GET", "/", None, asked),
        "list": ("GET", "/produits", None, asked),
        "product": ("GET", path, None, asked),
    }
    search: Call = ("GET", "/produits?search=dragon", None, asked)
    quote = json.dumps({"lines": [{"product_id": product["id"], "quantity": 3}], "country": "FR"}).encode()
    quoted: Call = ("POST", "/api/cart/quote", quote, {"Content-Type": "application/json"})
    made = {**pages, "search": search}
    with server("tests.load.bare:application", dict(os.environ)) as bare:
        print("\nfrom nothing: neither pages nor fragments of them are cached")
        nothing = {"PAGE_CACHE_SECONDS": "0", "FRAGMENT_CACHE_SECONDS": "0"}
        with server("shop.wsgi", {**environment, **nothing}) as own:
            compare(bare, own, made, dict.fromkeys(made, 0.03))
        print("\nfrom cached fragments: no page is cached")
        with server("shop.wsgi", {**environment, "PAGE_CACHE_SECONDS": "0"}) as own:
            compare(bare, own, made, {"home": 0.09, "list": 0.09, "product": 0.12, "search": 0.09})
            compare(bare, own, {"quote": quoted}, {"quote": 0.15})
        print("\ncached pages")
        with server("shop.wsgi", {**environment, "PAGE_CACHE_SECONDS": "600"}) as own:
            compare(bare, own, pages, dict.fromkeys(pages, 0.8))
            port, worker = own
            print(
                f"{'memory of the worker after that':34}{memory(worker):8.0f} MiB  (aim 110 at most), "
                f"{memory(worker, 'Pss'):.0f} with what it shares divided"
            )
            looked_at = {"home": "/", "list": "/produits", "product": path}
            looked_at |= {"cart": "/panier", "checkout": "/checkout", "article": first_article(shop)}
            bench_lighthouse(port, shop.folder, looked_at)
        paying = {**shop.environment, **shop.payments, **MEMORY, "TRUSTED_PROXIES": "1"}
        with server("tests.load.paying_shop", paying) as own:
            bench_checkout(bare, own, shop.stocked_product(), shop.terms_version())


def first_article(shop: RunningShop) -> str:
    """The path of the article that the blog shows first."""
    found = re.search(r'href="(/blog/\d[^"]*)"', requests.get(f"{shop.url}/blog", timeout=30).text)
    assert found is not None
    return found[1]


def bench_checkout(bare: Server, own: Server, product_id: int, terms: str) -> None:
    """Orders by card, each with its payment page at the sandbox, one after another: the worker's time of each."""
    url = f"http://127.0.0.1:{own[0]}"
    lines = [{"product_id": product_id, "quantity": 1}]
    quote = requests.post(f"{url}/api/cart/quote", json={"lines": lines, "country": "FR"}, timeout=30).json()
    customer = {"firstName": "Léa", "lastName": "Martin"}
    customer |= {"address": "3 rue des Carmes", "city": "Lyon", "postalCode": "69003", "country": "FR"}
    body: dict[str, Any] = {
        "lines": lines,
        "payment_mode": "full",
        "expected_total": quote["total"],
        "accept_terms": True,
        "terms_version": terms,
    }
    with requests.Session() as session:
        token = session.get(f"{url}/api/me", timeout=30).json()["csrf_token"]
        headers = {"X-CSRFToken": token, "Origin": url}

        def buy() -> None:
            # Another customer each time. The same one with the same cart would be led to the order that is there
            # already, a new order of the same browser closes its earlier one, and what a network holds is counted.
            session.cookies.pop("sessionid", None)
            number = uuid.uuid4()
            key, network = str(number), f"2001:db8:{number.hex[:4]}:{number.hex[4:8]}::1"
            order = {**body, "customer": {**customer, "email": f"{key}@example.com"}}
            own_headers = {**headers, "Idempotency-Key": key, "X-Forwarded-For": network}
            answer = session.post(f"{url}/api/checkout", json=order, headers=own_headers, timeout=60)
            assert answer.status_code == 201, answer.text

        for _ in range(3):
            buy()
        turns = []
        for _ in range(TURNS):
            before, started = cpu_seconds(own[1]), perf_counter()
            for _ in range(ORDERS):
                buy()
            cpu, speed = (cpu_seconds(own[1]) - before) * 1000 / ORDERS, ORDERS / (perf_counter() - started)
            plain = ask(*bare, ("GET", "/bare", None, {})).cpu_ms
            turns.append((plain / cpu, cpu, speed))
    share, cpu, speed = map(statistics.median, zip(*turns, strict=True))
    print(
        f"{'checkout, with its payment page':34}{speed:8.1f} a second{cpu:9.2f} ms CPU{share:8.3f} of bare"
        "  (aim 0.025)",
        flush=True,
    )
