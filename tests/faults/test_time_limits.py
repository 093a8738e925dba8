"""Every limit of the table in docs/operator.md, against servers that take the connection and never answer."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
import requests
from celery import Celery
from django.conf import settings
from django.core.mail import get_connection
from django.db import connection
from faulty_proxy import FaultyProxy, faulty_proxy

from catalog.selectors.addresses import product_url
from orders.stripe import stripe_api
from orders.tests.factories import checkout_body, line, make_product, make_seller, make_zones
from orders.tests.fake_stripe import signature
from shop.core.broker import PatientAMQP
from shop.core.deadlines import deadline
from shop.core.postgresql.base import BoundedPool
from shop.core.redis_cache import TolerantRedisCache
from shop.core.s3_media import S3MediaStorage
from shop.loopback import free_port

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

ROOT = Path(__file__).resolve().parent.parent.parent
ROW = re.compile(r"^\| (\w+) \| ([^|]+?) \| ([\d.]+) \|", re.MULTILINE)
# For a machine that is busy with other tests. Without a limit these calls take minutes, or never end.
GRACE_SECONDS = 3.0
PAGE, REQUEST = ("all", "a page"), ("all", "any other request")
SECRET = "whsec_limits"


def table() -> dict[tuple[str, str], float]:
    text = (ROOT / "docs" / "operator.md").read_text(encoding="utf-8")
    section = text.split("## Time limits\n", 1)[1].split("\n## ", 1)[0]
    return {(server, call.strip("`")): float(seconds) for server, call, seconds in ROW.findall(section)}


def database(proxy: FaultyProxy) -> dict[str, Any]:
    """The test's database, through the proxy."""
    options = connection.get_connection_params()
    who = {name: options[name] for name in ("dbname", "user", "password") if name in options}
    return {**who, "host": "127.0.0.1", "port": proxy.port}


def socket_of_database() -> int | str:
    """Where the proxy finds the test's PostgreSQL: a port, or the path of a socket."""
    url = urlsplit(os.environ["TEST_DATABASE_URL"])
    folder = parse_qs(url.query).get("host", [""])[0]
    return f"{folder}/.s.PGSQL.{url.port or 5432}" if folder.startswith("/") else url.port or 5432


@contextmanager
def pool(proxy: FaultyProxy) -> Iterator[BoundedPool]:
    options = {"min_size": 0, "max_size": 2, "timeout": 4, "reconnect_timeout": 1}
    pool = BoundedPool(kwargs={**database(proxy), "connect_timeout": 2, "autocommit": True}, **options)
    pool.open()
    try:
        yield pool
    finally:
        pool.close(timeout=0.1)


def ask_cache(silent: FaultyProxy) -> None:
    cache = TolerantRedisCache(f"redis://127.0.0.1:{silent.port}/0", {})
    # The connection itself: the circuit would spare all but the first of the tests of this process the wait.
    cache._cache.get("key", None)


def publish(silent: FaultyProxy) -> None:
    app = Celery(
        "limits", amqp=PatientAMQP, broker=f"redis://127.0.0.1:{silent.port}/0", set_as_current=False
    )
    app.conf.task_publish_retry = settings.CELERY_TASK_PUBLISH_RETRY
    app.conf.broker_connection_timeout = settings.CELERY_BROKER_CONNECTION_TIMEOUT
    app.conf.broker_transport_options = settings.REDIS_OPTIONS_OF_REQUESTS
    app.send_task("limits.nothing", ignore_result=True)


def connect(silent: FaultyProxy, seconds: float) -> None:
    with pool(silent) as connections, deadline(seconds):
        connections.getconn()


def ask_database(proxy: FaultyProxy, seconds: float | None) -> float:
    with ExitStack() as stack:
        connections = stack.enter_context(pool(proxy))
        asked = connections.getconn()
        proxy.hang()
        if seconds is not None:
            stack.enter_context(deadline(seconds))
        started = monotonic()
        with pytest.raises(Exception, match="did not answer"):
            asked.execute("SELECT 1")
        took = monotonic() - started
        connections.putconn(asked)
    return took


def ask_media(silent: FaultyProxy) -> None:
    S3MediaStorage(url=f"http://key:secret@127.0.0.1:{silent.port}/pictures").exists("a.jpg")


def mail(silent: FaultyProxy) -> None:
    get_connection(
        "django.core.mail.backends.smtp.EmailBackend", host="127.0.0.1", port=silent.port, fail_silently=False
    ).open()


def pay(silent: FaultyProxy, calls: int) -> None:
    client = stripe_api.stripe_client(f"sk_test_{silent.port}", f"http://127.0.0.1:{silent.port}")
    for _ in range(calls):
        with suppress(stripe_api.stripe.StripeError):
            client.v1.checkout.sessions.retrieve("cs_test")


def timed(call: Callable[[], Any]) -> float:
    """How long the call took to fail."""
    started = monotonic()
    with pytest.raises(Exception, match=r".") as raised:
        call()
    assert not isinstance(raised.value, AssertionError | AttributeError | TypeError), raised.value
    return monotonic() - started


def test_each_call_of_a_silent_server_ends_within_its_limit(settings):
    limits = table()
    page, request = settings_of_the_shop()
    server = socket_of_database()

    def in_request(call: Callable[[], Any]) -> float:
        with deadline(request):
            started = monotonic()
            call()
            return monotonic() - started

    def outside(call: Callable[[], Any]) -> float:
        started = monotonic()
        call()
        return monotonic() - started

    with ExitStack() as stack:
        silent = stack.enter_context(faulty_proxy())
        ways = [stack.enter_context(faulty_proxy(server)) for _ in range(3)]
        measured: dict[tuple[str, str], Callable[[], float]] = {
            ("Redis", "cache"): lambda: timed(lambda: ask_cache(silent)),
            ("Redis", "message to a worker"): lambda: timed(lambda: publish(silent)),
            ("PostgreSQL", "connection, page"): lambda: timed(lambda: connect(silent, page)),
            ("PostgreSQL", "connection, other"): lambda: timed(lambda: connect(silent, request)),
            ("PostgreSQL", "answer, page"): lambda: ask_database(ways[0], page),
            ("PostgreSQL", "answer, other request"): lambda: ask_database(ways[1], request),
            # Fifteen seconds less than in the shop.
            ("PostgreSQL", "answer, worker or command"): lambda: ask_database(ways[2], None) + 15,
            ("S3", "one call"): lambda: timed(lambda: ask_media(silent)),
            ("SMTP", "answer, worker"): lambda: timed(lambda: mail(silent)),
            ("Stripe", "all calls of a request"): lambda: in_request(lambda: pay(silent, 2)),
            ("Stripe", "one call, worker"): lambda: outside(lambda: pay(silent, 1)),
        }
        assert {row for row in limits if row[0] != "all"} == set(measured)
        assert settings.DATABASE_STATEMENT_SECONDS == 15
        settings.DATABASE_STATEMENT_SECONDS = 0
        with ThreadPoolExecutor(len(measured)) as threads:
            running = {row: threads.submit(call) for row, call in measured.items()}
        took = {row: future.result() for row, future in running.items()}
    over = {row: seconds for row, seconds in took.items() if seconds > limits[row] + GRACE_SECONDS}
    assert not over


def settings_of_the_shop() -> tuple[float, float]:
    """The limits of pages and requests without what tests widen."""
    asked = "from django.conf import settings as s; print(s.REQUEST_SECONDS['page'], s.REQUEST_SECONDS['request'])"
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "shop.settings",
        "DATABASE_URL": "",
        "REDIS_URL": "",
    }
    told = subprocess.run(
        [sys.executable, "-c", asked], env=environment, cwd=ROOT, capture_output=True, check=True
    )
    page, request = map(float, told.stdout.split())
    return page, request


@dataclass
class Visit:
    """One answer of the shop, and how long it took."""

    status: int
    seconds: float
    headers: Any


class Shop:
    """The shop behind gunicorn, with a proxy before each server that it calls."""

    def __init__(self, url: str) -> None:
        self.url = url

    def ask(self, method: str, path: str, **options: Any) -> Visit:
        started = monotonic()
        answer = requests.request(method, self.url + path, timeout=60, allow_redirects=False, **options)
        return Visit(answer.status_code, monotonic() - started, answer.headers)

    def submit(self, path: str, **options: Any) -> Visit:
        """A form or a call as a browser sends it."""
        token = "a" * 32
        headers = {"X-CSRFToken": token, "Origin": self.url, **options.pop("headers", {})}
        return self.ask("POST", path, headers=headers, cookies={"csrftoken": token}, **options)


@contextmanager
def served(folder: Path, **variables: str) -> Iterator[Shop]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "shop.settings",
        "DATA_DIR": str(folder / "data"),
        "DEBUG": "true",
        "DEBUG_ADDRESS": "127.0.0.1",
        "SITE_URL": url,
        "CSRF_TRUSTED_ORIGINS": url,
        "LOG_LEVEL": "CRITICAL",
        **variables,
    }
    command = [sys.executable, "-m", "gunicorn", "shop.wsgi:application", "--bind", f"127.0.0.1:{port}"]
    command += ["--worker-class", "gthread", "--workers", "1", "--threads", "8", "--no-control-socket"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)
    try:
        give_up = monotonic() + 120
        while monotonic() < give_up:
            with suppress(requests.RequestException):
                if requests.get(f"{url}/healthz", timeout=5).ok:
                    break
            sleep(0.1)
        yield Shop(url)
    finally:
        process.terminate()
        process.wait(30)


def test_no_page_takes_two_seconds_and_no_request_twelve_when_everything_is_silent(tmp_path):
    limits = table()
    make_seller()
    make_zones()
    product = make_product(price="60.00", stock_quantity=5)
    pages = ("/", "/produits", product_url(product), "/panier", "/contact", "/auth", "/de/agb")
    order = checkout_body([line(product)], "60.00")
    event = f'{{"id": "evt_{uuid.uuid4().hex}", "type": "charge.updated", "livemode": false}}'.encode()
    contact = {
        "kind": "question",
        "first_name": "Léa",
        "last_name": "Martin",
        "subject": "Le dragon",
        "email": "lea@example.com",
        "message": "Bonjour",
    }
    with faulty_proxy() as silent, faulty_proxy(socket_of_database()) as way:
        parameters = database(way)
        login = ":".join(quote(parameters.get(name) or "") for name in ("user", "password"))
        shop_options = {
            "DATABASE_URL": f"postgresql://{login}@127.0.0.1:{way.port}/{parameters['dbname']}",
            "REDIS_URL": f"redis://127.0.0.1:{silent.port}/0",
            "EMAIL_URL": f"smtp://127.0.0.1:{silent.port}",
            "STRIPE_SECRET_KEY": "sk_test_limits",
            "STRIPE_WEBHOOK_SECRET": SECRET,
            "STRIPE_API_BASE": f"http://127.0.0.1:{silent.port}",
        }

        def requests_of(shop: Shop) -> dict[str, Callable[[], Visit]]:
            signed = signature(event, SECRET)
            return {
                "checkout": lambda: shop.submit(
                    "/api/checkout", json=order, headers={"Idempotency-Key": str(uuid.uuid4())}
                ),
                "contact": lambda: shop.submit("/contact", data=contact),
                "sign-up": lambda: shop.submit(
                    "/auth",
                    data={"mode": "signup", "email": "eve@example.com", "password": "figurine-bleue-71"},
                ),
                "webhook": lambda: shop.ask(
                    "POST", "/webhooks/stripe", data=event, headers={"Stripe-Signature": signed}
                ),
            }

        with served(tmp_path, **shop_options) as shop, ThreadPoolExecutor(4) as threads:
            # A process that has answered nothing yet loads its templates and texts.
            way_is_open = [shop.ask("GET", path) for path in pages]
            assert {visit.status for visit in way_is_open} == {200}

            # Redis, SMTP and Stripe are silent.
            running = {name: threads.submit(call) for name, call in requests_of(shop).items()}
            visits = {path: shop.ask("GET", path) for path in pages}
            ready = shop.ask("GET", "/readyz")
            asked = {name: future.result() for name, future in running.items()}
            assert {visit.status for visit in visits.values()} == {200}
            assert ready.status == 503
            assert {name: visit.status for name, visit in asked.items()} == {
                "checkout": 503,
                "contact": 302,
                "sign-up": 302,
                "webhook": 200,
            }
            within(limits, visits, asked, ready)

            # And PostgreSQL, in the middle of everything.
            way.hang()
            running = {name: threads.submit(call) for name, call in requests_of(shop).items()}
            visits = {path: shop.ask("GET", path) for path in (*pages, "/contact?a=b", "/auth?mode=signup")}
            ready = shop.ask("GET", "/readyz")
            asked = {name: future.result() for name, future in running.items()}
            # What was kept is shown; what needs a row is refused; what needs none is answered.
            assert {visits[path].status for path in ("/", "/produits", "/panier", "/de/agb")} == {200}
            assert {visit.status for visit in visits.values()} <= {200, 503}
            assert {visit.status for visit in (*asked.values(), ready)} == {503}
            assert asked["webhook"].headers["Retry-After"] == "10"
            within(limits, visits, asked, ready)

            # PostgreSQL is back, on new connections: those that hung stay silent.
            way.forward()
            began = monotonic()
            while (
                shop.ask("GET", "/produits?page=1").status != 200
                or requests_of(shop)["webhook"]().status != 200
            ):
                assert monotonic() - began < 10
                sleep(0.1)


def within(limits: dict[tuple[str, str], float], visits, asked, ready: Visit) -> None:
    slow = {
        path: visit.seconds for path, visit in visits.items() if visit.seconds > limits[PAGE] + GRACE_SECONDS
    }
    slow |= {
        name: visit.seconds
        for name, visit in asked.items()
        if visit.seconds > limits[REQUEST] + GRACE_SECONDS
    }
    assert not slow
    assert ready.seconds < limits["all", "/readyz"] + GRACE_SECONDS
