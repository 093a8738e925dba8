"""How many events of the statistics one worker takes, and what visitors of a page notice of them.

    python tests/load/statistics_bench.py [--seconds 20] [--rate 1000]

One gunicorn worker with four threads, production settings, SQLite in a folder that is thrown away. Browsers of many
networks report page views and web vitals at a steady rate while two visitors read cached pages; before, the same
visitors read alone. Every event must be in the sums at the end. `TEST_DATABASE_URL` measures PostgreSQL.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from time import monotonic, perf_counter, sleep

ROOT = Path(__file__).resolve().parents[2]
CONNECTIONS = 4
PAGES = ("/faq", "/notre-histoire", "/contact")
AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:{}.0) Gecko/20100101 Firefox/{}.0"
COUNTED = """
from shop.statistics.models import DailyCount, DailyVital, Visit
from django.db.models import Sum
print(DailyCount.objects.aggregate(n=Sum("count", default=0))["n"],
      DailyVital.objects.aggregate(n=Sum("count", default=0))["n"], Visit.objects.count())
"""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=20)
    options.add_argument("--rate", type=int, default=1000, help="events a second")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="shop-statistics-") as folder:
        environment = _environment(Path(folder))
        _manage(environment, "migrate", "-v0")
        _manage(environment, "collectstatic", "--noinput", "-v0")
        port = int(environment["PORT"])
        server = _start(environment, port)
        try:
            _measure(environment, port, seconds=asked.seconds, rate=asked.rate)
        finally:
            server.terminate()
            with suppress(subprocess.TimeoutExpired):
                server.wait(15)


def _measure(environment: dict[str, str], port: int, *, seconds: float, rate: int) -> None:
    for path in PAGES:
        _read(port, [path])
    alone = _visit(port, seconds / 2)
    with ThreadPoolExecutor(2) as pool:
        readers = pool.submit(_visit, port, seconds)
        senders = pool.submit(_send, port, seconds, rate)
        beside, (sent, events, visits, late) = readers.result(), senders.result()
    sleep(3)
    views, vitals, stored = map(int, _manage(environment, "shell", "--no-imports", "-c", COUNTED).split())
    alone_again = _visit(port, seconds / 2)
    print(
        f"{events / seconds:.0f} events a second in {sent / seconds:.0f} beacons a second; latest {late * 1000:.0f} ms"
    )
    print(f"{events} events sent, {views + vitals} counted; {visits} visits, {stored} stored")
    for name, times in (("before", alone), ("beside the events", beside), ("after", alone_again)):
        ordered = sorted(times)
        print(
            f"pages {name:18} median {statistics.median(times) * 1000:6.2f} ms, 95 % "
            f"{ordered[int(len(ordered) * 0.95)] * 1000:6.2f} ms, 99 % "
            f"{ordered[int(len(ordered) * 0.99)] * 1000:6.2f} ms ({len(times)} pages)"
        )
    if views + vitals != events:
        raise SystemExit("Some events were not counted.")


def _send(port: int, seconds: float, rate: int) -> tuple[int, int, int, float]:
    """Send at a steady rate from a process of its own: beacons, events, visits, and how late the latest one was."""
    ended = subprocess.run(
        [sys.executable, __file__, "--send", str(port), str(seconds), str(rate)],
        stdout=subprocess.PIPE,
        check=True,
    )
    sent, events, visits, late = json.loads(ended.stdout)
    return int(sent), int(events), int(visits), float(late)


def send_steadily(port: int, seconds: float, rate: int) -> None:
    """A visit in three: a page view, and its five web vitals in one beacon, as browsers send them."""
    pages_a_second = rate / 6
    started = perf_counter()

    def worker(number: int) -> tuple[int, int, int, float]:
        chance = random.Random(number)
        sent = visits = 0
        late = 0.0
        known: set[tuple[str, str]] = set()
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while True:
                due = started + (sent + 0.5) * CONNECTIONS / pages_a_second / 2
                if due > started + seconds:
                    break
                sleep(max(0.0, due - perf_counter()))
                if sent % 2 == 0:
                    address = f"198.51.{chance.randrange(100)}.{chance.randrange(250)}"
                    version = str(100 + chance.randrange(20))
                    path = f"/produit/{chance.randrange(1, 400)}-piece"
                    known.add((address, version))
                    body = json.dumps(
                        {"kind": "page", "path": path, "device": "phone", "referrer": "example.org"}
                    )
                    target = "/api/statistics/events"
                else:
                    rows = [
                        {
                            "name": name,
                            "value": chance.random() * most,
                            "rating": "good",
                            "path": path,
                            "device": "phone",
                        }
                        for name, most in (
                            ("LCP", 4000),
                            ("INP", 400),
                            ("CLS", 0.3),
                            ("FCP", 3000),
                            ("TTFB", 900),
                        )
                    ]
                    body, target = json.dumps(rows), "/api/vitals"
                head = (
                    f"POST {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: {address}\r\nUser-Agent: "
                    f"{AGENT.format(version, version)}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: text/plain\r\n"
                    f"Content-Length: {len(body)}\r\n\r\n"
                )
                connection.sendall((head + body).encode())
                answer = b""
                while b"\r\n\r\n" not in answer:
                    answer += connection.recv(65536)
                assert b" 204 " in answer[:20], answer[:300]
                late = max(late, perf_counter() - due)
                sent += 1
            visits = len(known)
        return sent, sent // 2 * 6 + sent % 2, visits, late

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        found = list(pool.map(worker, range(CONNECTIONS)))
    print(
        json.dumps(
            [*(sum(column) for column in list(zip(*found, strict=True))[:3]), max(row[3] for row in found)]
        )
    )


def _visit(port: int, seconds: float) -> list[float]:
    """Two visitors who read pages, some twenty a second each: the times of the answers."""

    def visitor(_number: int) -> list[float]:
        times: list[float] = []
        ends = monotonic() + seconds
        while monotonic() < ends:
            times += _read(port, PAGES)
            sleep(0.1)
        return times

    with ThreadPoolExecutor(2) as pool:
        return [time for times in pool.map(visitor, range(2)) for time in times]


def _read(port: int, paths: tuple[str, ...] | list[str]) -> list[float]:
    times = []
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stream = connection.makefile("rb")
        for path in paths:
            started = perf_counter()
            connection.sendall(
                f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: br\r\n\r\n".encode()
            )
            assert b" 200 " in stream.readline()
            length = 0
            while (line := stream.readline().strip()) != b"":
                if line.lower().startswith(b"content-length:"):
                    length = int(line.partition(b":")[2])
            stream.read(length)
            times.append(perf_counter() - started)
    return times


def _environment(folder: Path) -> dict[str, str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("STRIPE_", "REDIS_", "EMAIL_"))
    }
    return {
        **own,
        "DATA_DIR": str(folder),
        "DATABASE_URL": os.environ.get("TEST_DATABASE_URL", ""),
        "PORT": str(port),
        "DEBUG": "false",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "ALLOWED_HOSTS": "127.0.0.1,shop.example",
        "SITE_URL": "https://shop.example",
        "SECURE_SSL_REDIRECT": "false",
        "TRUSTED_PROXIES": "1",
        "LOG_LEVEL": "ERROR",
        "PAGE_CACHE_SECONDS": "600",
    }


def _manage(environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def _start(environment: dict[str, str], port: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "gunicorn", "shop.wsgi", "--bind", f"127.0.0.1:{port}", "--workers", "1"]
    command += ["--worker-class", "gthread", "--threads", "4", "--no-control-socket", "--log-level", "error"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    deadline = monotonic() + 90
    while True:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return process
        assert monotonic() < deadline, "The server did not start."
        sleep(0.2)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--send"]:
        send_steadily(int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
    else:
        main()
