"""Fixtures of the races: figures for the report, a wide connection pool, the shop behind gunicorn."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from urllib.parse import quote, urlencode, urlsplit

import pytest
import requests
from django.db import connection
from django.test import Client

from orders.tests.conftest import _zones, fake_stripe, sandbox_process  # noqa: F401 - fixtures
from orders.tests.fake_stripe import SECRET_KEY, WEBHOOK_SECRET, FakeStripe, Shopper
from shop.loopback import free_port

ROOT = Path(__file__).resolve().parent.parent.parent
CONNECTIONS = 30
"""How many callers talk to the database at one moment; the others wait for a free connection."""
START_SECONDS = 60.0
SHOP_CONNECTIONS = "served-shop"


class Buyer(Shopper):
    """A shopper at an address of their own, to whom a crash of the shop is an answer like others: 500."""

    def __init__(self, number: int = 0) -> None:
        self.client = Client(
            raise_request_exception=False, REMOTE_ADDR=f"10.0.{number // 250}.{number % 250 + 1}"
        )


@pytest.fixture(autouse=True)
def wide_pool(transactional_db: None) -> Iterator[None]:
    """Room for everybody in the connection pool of PostgreSQL."""
    connection.ensure_connection()
    pool = connection.pool
    timeout = pool.timeout
    pool.resize(0, CONNECTIONS)
    pool.timeout = 60.0
    yield
    pool.resize(0, 8)
    pool.timeout = timeout


@pytest.fixture
def figures(
    record_property: Callable[[str, object], None], capsys: pytest.CaptureFixture[str]
) -> Callable[..., None]:
    """``figures(sold=1)`` puts a figure into the report of the run and on the screen."""

    def tell(**found: object) -> None:
        for name, value in found.items():
            record_property(name, value)
        with capsys.disabled():
            print("\n  " + ", ".join(f"{name.replace('_', ' ')}: {value}" for name, value in found.items()))

    return tell


@pytest.fixture
def shop_address(fake_stripe: FakeStripe, tmp_path: Path) -> Iterator[str]:  # noqa: F811
    """The shop served by gunicorn, as in production, on this test's database and payment sandbox."""
    with served_shop(free_port(), tmp_path, api_base=fake_stripe.api_base) as address:
        yield address


@contextmanager
def served_shop(port: int, folder: Path, *, api_base: str) -> Iterator[str]:
    """The address of a shop before gunicorn that asks the sandbox at `api_base`."""
    address = f"http://127.0.0.1:{port}"
    environment = shop_environment(folder, address, api_base=api_base)
    log = folder / "gunicorn.log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "gunicorn", "shop.wsgi:application", "--bind", f"127.0.0.1:{port}"),
                *("--worker-class", "gthread", "--workers", "2", "--threads", "4"),
                *("--no-control-socket", "--log-level", "warning", "--timeout", "60"),
            ],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
        )
    try:
        give_up = monotonic() + START_SECONDS
        while not _answers(address):
            if process.poll() is not None or monotonic() > give_up:
                raise AssertionError(log.read_text()[-3000:])
            sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(30)


def shop_environment(folder: Path, address: str, *, api_base: str) -> dict[str, str]:
    """What a process of the shop is told, so that it stands on this test's database and payment sandbox."""
    database = urlsplit(os.environ["TEST_DATABASE_URL"])
    options = urlencode({"options": connection.settings_dict["OPTIONS"]["options"]}, quote_via=quote)
    here = database._replace(
        path=f"/{connection.settings_dict['NAME']}", query="&".join(filter(None, (database.query, options)))
    )
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "shop.settings",
        "DATABASE_URL": here.geturl(),
        "DATA_DIR": str(folder / "data"),
        # Its connections, told from those an earlier test left in this process's pool.
        "PGAPPNAME": SHOP_CONNECTIONS,
        "DEBUG": "true",
        "DEBUG_ADDRESS": "127.0.0.1",
        "SITE_URL": address,
        "CSRF_TRUSTED_ORIGINS": address,
        "STRIPE_SECRET_KEY": SECRET_KEY,
        "STRIPE_WEBHOOK_SECRET": WEBHOOK_SECRET,
        "STRIPE_API_BASE": api_base,
        # One address for all buyers of a test: the limits have tests of their own.
        "LIMITS": "checkout-network=100000",
        "UNPAID_ORDERS_LIMIT": "100000",
        "UNPAID_SCARCE_LIMIT": "100000",
    }


def _answers(address: str) -> bool:
    try:
        return requests.get(f"{address}/healthz", timeout=5).status_code == 200
    except requests.RequestException:
        return False
