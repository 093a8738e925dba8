"""The whole shop as `make run` starts it, on free ports and in a folder of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from fcntl import LOCK_EX, flock
from pathlib import Path
from time import monotonic, sleep
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# Of the demonstration accounts, which `make run` prints.
PASSWORD = "figurine-atelier-2026"  # noqa: S105
START_SECONDS = 180
PICTURES_SECONDS = 600
UNDRAWN_PICTURES = "from catalog.services import media; print(len(media.missing_pictures(limit=1000)))"
# Half of them, by either of two processes; a third larger and in half of the time.
DRAW_PICTURES = (
    "from catalog.services import media;"
    "from shop.core import images;"
    "images._ENCODERS[0][3].update(speed=10, max_threads=1);"
    "images._ENCODERS[1][3].update(method=0);"
    "[media.derive_files(kind=kind, pk=pk) for kind, pk in media.missing_pictures(limit=1000) if pk % 2 == {half}]"
)
STOCKED_PRODUCT = """
from catalog.models import Product
rows = Product.objects.filter(is_published=True, variations=None, category__offers_finishes=False).order_by("pk")
rows.filter(pk=rows[0].pk).update(in_stock=True, stock_quantity=100_000)
print(rows[0].pk)
"""
TERMS_VERSION = "from shop.terms.versions import current_number; print(current_number())"
STOP_SECONDS = 30
# What a developer's machine may set and a test must not inherit.
HIDDEN = ("STRIPE_", "REDIS_", "EMAIL_", "DATABASE_", "TEST_DATABASE_", "DJANGO_", "PYTEST_")


@dataclass(frozen=True, slots=True)
class RunningShop:
    """A shop with its demonstration data, open at ``url``."""

    url: str
    folder: Path
    process: subprocess.Popen[bytes]
    environment: dict[str, str]
    password: str = PASSWORD

    @property
    def log(self) -> str:
        return (self.folder / "run.log").read_text(errors="replace")

    @property
    def sandbox_url(self) -> str:
        return f"http://127.0.0.1:{self._sandbox['port']}"

    @property
    def payments(self) -> dict[str, str]:
        """What another process of the shop needs to be paid at the same sandbox."""
        return {
            "STRIPE_API_BASE": self.sandbox_url,
            "STRIPE_SECRET_KEY": self._sandbox["secret_key"],
            "STRIPE_WEBHOOK_SECRET": self._sandbox["webhook_secret"],
        }

    @property
    def _sandbox(self) -> dict[str, Any]:
        stored: dict[str, Any] = json.loads((self.folder / "stripe-sandbox.json").read_text())
        return stored

    def manage(self, *arguments: str) -> str:
        """Run a management command on this shop's data; what it printed."""
        return _manage(self.environment, *arguments)

    def terms_version(self) -> str:
        """Return the version of the terms that orders agree to."""
        return self.manage("shell", "--no-imports", "-c", TERMS_VERSION).strip()

    def stocked_product(self) -> int:
        """Return the key of a piece without choices, of which there are more now than any of these scripts sells."""
        return int(self.manage("shell", "--no-imports", "-c", STOCKED_PRODUCT))

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return what the shop's database holds now."""
        with closing(sqlite3.connect(f"file:{self.folder / 'shop.sqlite3'}?mode=ro", uri=True)) as connection:
            return connection.execute(query, values).fetchall()

    def wait_for(self, query: str, *values: Any, rows: int = 1, seconds: float = 30) -> list[tuple[Any, ...]]:
        """Rows that background work is about to write, once there are that many of them.

        :raises AssertionError: there are fewer in time.
        """
        deadline = monotonic() + seconds
        while monotonic() < deadline:
            found = self.rows(query, *values)
            if len(found) >= rows:
                return found
            sleep(0.1)
        raise AssertionError(f"Fewer than {rows} rows within {seconds} s: {query} {values}")

    def wait_for_pictures(self) -> None:
        """Wait until the smaller files of all pictures are made: before that, a measured shop is busy with them.

        :raises AssertionError: they are not made in time.
        """
        deadline = monotonic() + PICTURES_SECONDS
        while int(self.manage("shell", "--no-imports", "-c", UNDRAWN_PICTURES)):
            assert monotonic() < deadline, f"Pictures are still being made after {PICTURES_SECONDS} s."
            sleep(2)


def free_port() -> int:
    """Return a port that no server of this machine listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def start_shop(folder: Path, **variables: str) -> RunningShop:
    """Start it and wait until it is open.

    :param variables: further environment variables, such as DATABASE_URL.
    :raises AssertionError: it ended or took too long; the message holds what it said.
    """
    if not (ROOT / "static" / "build" / "manifest.json").is_file():
        raise AssertionError("The scripts and styles are not built: npm run build.")
    port = free_port()
    environment = shop_environment(folder, port, variables)
    with (folder / "run.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "run_shop"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    shop = RunningShop(f"http://localhost:{port}", folder, process, environment)
    deadline = monotonic() + START_SECONDS
    while "Ctrl-C stops everything." not in shop.log:
        if process.poll() is not None or monotonic() > deadline:
            stop_shop(shop)
            raise AssertionError(f"The shop did not open:\n{shop.log[-4000:]}")
        sleep(0.2)
    return shop


def demonstration(shared: Path) -> Path:
    """Return the folder in `shared` with the demonstration data, loaded by the first process that asks for them.

    :raises AssertionError: as `load_demonstration` does.
    """
    loaded = shared / "demonstration"
    with (shared / "demonstration.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not loaded.exists():
            load_demonstration(shared / "loading")
            (shared / "loading").rename(loaded)
    return loaded


def load_demonstration(folder: Path) -> None:
    """Fill the folder as the first start and its workers do: copies of it open at once, with nothing left to draw.

    :raises AssertionError: a command failed; the message holds what it said.
    """
    environment = shop_environment(folder, free_port(), {})
    for command in ("migrate", "load_demo"):
        _manage(environment, command, "--verbosity", "0")
    with ThreadPoolExecutor(2) as pool:
        halves = [
            pool.submit(_manage, environment, "shell", "--no-imports", "-c", DRAW_PICTURES.format(half=half))
            for half in range(2)
        ]
        for drawn in halves:
            drawn.result()


def _manage(environment: dict[str, str], *arguments: str) -> str:
    ended = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode:
        raise AssertionError(f"manage.py {' '.join(arguments)}:\n{ended.stderr[-2000:]}")
    return ended.stdout


def shop_environment(folder: Path, port: int, variables: dict[str, str]) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(HIDDEN)}
    return {
        **inherited,
        "PORT": str(port),
        "DATA_DIR": str(folder),
        "DEBUG": "true",
        "SITE_URL": f"http://localhost:{port}",
        "CSRF_TRUSTED_ORIGINS": f"http://localhost:{port}",
        "ALLOWED_HOSTS": "localhost,127.0.0.1",
        # One visitor after the other from one address: the limits have tests of their own.
        "LIMITS": "checkout-network=100000;verify-network=1000",
        "UNPAID_ORDERS_LIMIT": "100000",
        "UNPAID_SCARCE_LIMIT": "100000",
        # With DEBUG the shop makes and keeps one of its own.
        "SECRET_KEY": "",
        **variables,
    }


def stop_shop(shop: RunningShop) -> None:
    """Ask it to stop as a service manager does, and wait for its end."""
    if shop.process.poll() is None:
        shop.process.send_signal(signal.SIGTERM)
    try:
        shop.process.wait(timeout=STOP_SECONDS)
    except subprocess.TimeoutExpired:
        shop.process.kill()
        shop.process.wait()


if __name__ == "__main__":
    demonstration(Path(sys.argv[1]))
