"""PostgreSQL that restarts or has no connection left: 503 at worst, and nothing to do for anybody afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from time import monotonic

import psycopg
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from shop.core.deadlines import deadline
from shop.core.postgresql.base import BoundedPool

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

ADDRESS = "/auth"


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


def idle_connections() -> int:
    """Fill the pool with connections that wait to be used; how many there are."""
    ready, leave = [Event() for _ in range(4)], Event()

    def hold(number: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            ready[number].set()
            assert leave.wait(30)
        connection.close()

    with ThreadPoolExecutor(4) as threads:
        holding = [threads.submit(hold, number) for number in range(4)]
        assert all(event.wait(30) for event in ready)
        leave.set()
        for held in holding:
            held.result()
    connection.close()
    return int(connection.pool.get_stats()["pool_available"])


def end_every_session() -> None:
    """What a restart of the server does to the pool. The sessions have ended, not only been told to: a request that
    asks for a connection in between gets one that still looks well."""
    options = connection.get_connection_params()
    names = ("dbname", "user", "host", "port", "password")
    with psycopg.connect(
        **{name: options[name] for name in names if name in options}, autocommit=True
    ) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_requests_after_a_restart_of_the_database_are_answered_at_once(client):
    assert idle_connections() >= 4
    end_every_session()
    started = monotonic()
    assert [client.get(ADDRESS).status_code for _ in range(6)] == [200] * 6
    # Psycopg's own check pauses a second after each connection that is gone.
    assert monotonic() - started < 10


@contextmanager
def pool_of_one() -> Iterator[BoundedPool]:
    options = connection.get_connection_params()
    pool = BoundedPool(
        kwargs={**options, "autocommit": True}, min_size=0, max_size=1, timeout=0.3, reconnect_timeout=1
    )
    pool.open()
    try:
        with deadline(30):
            yield pool
    finally:
        pool.close(timeout=1)


@pytest.mark.parametrize(("idle_seconds", "asked"), [(60.0, 0), (0.0, 1)])
def test_only_a_connection_that_was_idle_is_asked_whether_it_answers(monkeypatch, idle_seconds, asked):
    asks = []
    monkeypatch.setattr("shop.core.postgresql.base.IDLE_SECONDS", idle_seconds)
    with pool_of_one() as pool:
        pool.putconn(pool.getconn())
        monkeypatch.setattr(BoundedPool, "check_connection", staticmethod(asks.append))
        pool.putconn(pool.getconn())
    assert len(asks) == asked


def test_a_connection_that_this_side_has_closed_is_not_given_out():
    with pool_of_one() as pool:
        closed = pool.getconn()
        pool.putconn(closed)
        # While it lies in the pool, used a moment ago.
        closed.pgconn.finish()
        assert pool.getconn() is not closed


def test_a_request_whose_connection_is_cut_is_a_503_and_the_next_one_is_answered(client):
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    end_every_session()
    # The connection is this thread's already: only a question finds out.
    answer = client.post(
        "/contact", {"kind": "question"} | dict.fromkeys(("email", "message"), "a@example.com")
    )
    assert answer.status_code in (200, 503)
    connection.close()
    assert client.get(ADDRESS).status_code == 200


def test_a_pool_without_a_free_connection_is_given_up_in_time():
    with pool_of_one() as pool:
        taken = pool.getconn()
        with pytest.raises(psycopg.OperationalError):
            pool.getconn()
        pool.putconn(taken)


def test_an_exhausted_pool_is_a_503_page(client, monkeypatch):
    def exhausted(self, timeout=None):
        raise psycopg.OperationalError("couldn't get a connection after 4.00 sec")

    connection.close()
    monkeypatch.setattr(BoundedPool, "getconn", exhausted)
    answer = client.get("/produits?search=dragon")
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert "Boutique momentanément indisponible" in answer.content.decode()
    answer = client.get("/api/products", headers={"accept-language": "de"})
    assert (answer.status_code, answer["Content-Type"]) == (503, "application/problem+json")
    monkeypatch.undo()
    assert client.get("/produits?search=dragon").status_code == 200


def test_a_shop_that_is_tried_out_keeps_no_statements(settings):
    settings.DEBUG = True
    connection.close()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    assert connection.queries == []
    with CaptureQueriesContext(connection) as captured, connection.cursor() as cursor:
        cursor.execute("SELECT 2")
    assert [query["sql"] for query in captured] == ["SELECT 2"]
