"""A database or a disk that can't be used now: 503 in the visitor's language, the last cached page, never 500."""

from __future__ import annotations

import errno
import sqlite3

import psycopg
import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.db import (
    DatabaseError,
    IntegrityError,
    InterfaceError,
    InternalError,
    OperationalError,
    ProgrammingError,
    connection,
)
from django.http import HttpResponse
from django.test import Client, override_settings
from django.urls import path

from orders.tests.factories import make_zones
from shop.core import deadlines, public_pages
from shop.core.errors import is_outage, server_error
from shop.core.fragment_cache import FragmentCache
from shop.core.problems import CONTENT_TYPE
from shop.urls import urlpatterns as shop_urls

SENTENCES = {
    "/fault": ("fr", "Boutique momentanément indisponible", "ce que vous avez écrit y est encore"),
    "/en/fault": ("en", "Shop temporarily unavailable", "what you wrote is still there"),
    "/es/fault": ("es", "Tienda no disponible por el momento", "lo que escribió sigue ahí"),
    "/de/fault": ("de", "Shop vorübergehend nicht erreichbar", "Was Sie geschrieben haben, steht noch da"),
}


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def sqlite_error(code: int) -> Exception:
    cause = sqlite3.OperationalError("…")
    cause.sqlite_errorcode = code
    return caused(OperationalError("…"), cause)


class Fault(Exception):
    """Set by each test."""

    raised: Exception = OSError(errno.ENOSPC, "No space left on device")


def fail(request):
    raise Fault.raised


def remember(request):
    request.session["cart"] = 1
    return HttpResponse("stored")


urlpatterns = [
    path("es/remember", remember),
    *(path(address[1:], fail) for address in ("/fault", "/en/fault", "/es/fault", "/de/fault", "/api/fault")),
    path("webhooks/fault", fail),
    *shop_urls,
]
handler500 = server_error


@pytest.mark.parametrize(
    ("error", "outage"),
    [
        (caused(OperationalError("refused"), psycopg.OperationalError()), True),
        (caused(OperationalError("lock"), psycopg.errors.LockNotAvailable()), True),
        (caused(OperationalError("shut down"), psycopg.errors.AdminShutdown()), True),
        (caused(OperationalError("full"), psycopg.errors.DiskFull()), True),
        (caused(OperationalError("too long"), psycopg.errors.QueryCanceled()), True),
        (caused(InterfaceError("closed"), psycopg.InterfaceError()), True),
        (caused(InternalError("read-only"), psycopg.errors.ReadOnlySqlTransaction()), True),
        (caused(InternalError("beyond EOF"), psycopg.errors.InternalError_()), True),
        (caused(InternalError("else"), psycopg.errors.InFailedSqlTransaction()), False),
        (caused(ProgrammingError("no table"), psycopg.errors.UndefinedTable()), False),
        (IntegrityError("twice"), False),
        (DatabaseError("else"), False),
        (sqlite_error(sqlite3.SQLITE_BUSY), True),
        (sqlite_error(sqlite3.SQLITE_FULL), True),
        (sqlite_error(sqlite3.SQLITE_READONLY), True),
        (sqlite_error(sqlite3.SQLITE_IOERR | 1 << 8), True),
        (sqlite_error(sqlite3.SQLITE_ERROR), False),
        (OSError(errno.ENOSPC, "full"), True),
        (OSError(errno.EROFS, "read-only"), True),
        (FileNotFoundError(errno.ENOENT, "gone"), False),
        (ValueError("else"), False),
    ],
    ids=lambda value: f"{type(value).__name__}-{value}" if isinstance(value, Exception) else None,
)
def test_is_outage_knows_what_passes_by_itself(error, outage):
    assert is_outage(error) is outage


@override_settings(ROOT_URLCONF=__name__)
@pytest.mark.parametrize("address", SENTENCES)
def test_an_outage_is_a_503_page_in_the_visitors_language(address, monkeypatch):
    monkeypatch.setattr(Fault, "raised", OSError(errno.ENOSPC, "No space left on device"))
    language, title, comfort = SENTENCES[address]
    answer = Client().post(address)
    assert (answer.status_code, answer["Retry-After"], answer["Cache-Control"]) == (503, "10", "no-store")
    assert answer["Content-Language"] == language
    text = answer.content.decode()
    assert f'<html lang="{language}">' in text
    assert title in text
    assert comfort in text
    assert f'<a href="{address.removesuffix("fault").rstrip("/") or "/"}">' in text
    assert "No space" not in text


@override_settings(ROOT_URLCONF=__name__)
@pytest.mark.parametrize("address", ["/api/fault", "/webhooks/fault"])
def test_an_outage_is_a_problem_to_a_program(address):
    answer = Client().post(address, headers={"accept-language": "en"})
    assert (answer.status_code, answer["Retry-After"], answer["Content-Type"]) == (503, "10", CONTENT_TYPE)
    assert answer.json()["code"] == "unavailable"
    assert (
        answer.json()["detail"]
        == "The shop is not answering at the moment. Your cart is intact: try again in a moment."
    )


@pytest.mark.both_engines
@pytest.mark.django_db
def test_an_outage_before_any_view_is_a_503_too(monkeypatch):
    """What a middleware raises no other middleware sees: a session that can't be written, say."""

    def full(self, *args, **kwargs):
        raise sqlite_error(sqlite3.SQLITE_FULL)

    monkeypatch.setattr(SessionStore, "load", full)
    client = Client(raise_request_exception=False)
    client.cookies["sessionid"] = "a" * 32
    client.cookies["member"] = "1"
    answer = client.get("/de/anmeldung")
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert "Shop vorübergehend nicht erreichbar" in answer.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("debug", [False, True])
def test_an_outage_behind_the_view_is_a_503_of_one_line(monkeypatch, caplog, debug):
    def cut(self, *args, **kwargs):
        raise OperationalError("the connection is closed")

    monkeypatch.setattr(SessionStore, "save", cut)
    with override_settings(ROOT_URLCONF=__name__, DEBUG=debug):
        answer = Client().get("/es/remember")
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert "Tienda no disponible por el momento" in answer.content.decode()
    assert [(record.name, record.getMessage(), record.exc_info) for record in caplog.records] == [
        ("shop.core.middleware", "GET /es/remember: OperationalError: the connection is closed", None),
        ("django.request", "Service Unavailable: /es/remember", None),
    ]


@pytest.mark.django_db
def test_a_mistake_behind_the_view_stays_a_500(monkeypatch):
    def mistaken(self, *args, **kwargs):
        raise ProgrammingError("no such column")

    monkeypatch.setattr(SessionStore, "save", mistaken)
    with override_settings(ROOT_URLCONF=__name__):
        assert Client(raise_request_exception=False).get("/es/remember").status_code == 500


@pytest.mark.django_db
def test_a_mistake_in_a_statement_stays_a_500(monkeypatch):
    monkeypatch.setattr(Fault, "raised", sqlite_error(sqlite3.SQLITE_ERROR))
    with override_settings(ROOT_URLCONF=__name__):
        assert Client(raise_request_exception=False).get("/fault").status_code == 500


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("pragma", ["query_only = 1", "max_page_count = 1"])
def test_a_full_or_read_only_sqlite_refuses_a_form_with_503_and_changes_nothing(pragma):
    from shop.pages.models import ContactRequest

    client = Client()
    with connection.cursor() as cursor:
        # What earlier migrations freed would be room for more.
        cursor.execute("VACUUM")
        # A page count below the present one means: not a page more.
        cursor.execute(f"PRAGMA {pragma}")
    try:
        answer = client.post(
            "/contact",
            {
                "kind": "question",
                "first_name": "Léa",
                "last_name": "Martin",
                "subject": "Le dragon",
                "email": "lea@example.com",
                "message": "é" * 4000,
            },
        )
    finally:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA query_only = 0")
            cursor.execute("PRAGMA max_page_count = 4294967294")
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert not ContactRequest.objects.exists()


@pytest.mark.both_engines
@pytest.mark.django_db(transaction=True)
def test_while_the_database_is_away_the_last_kept_page_is_answered(settings, monkeypatch):
    settings.PAGE_CACHE_SECONDS = 60
    shelf = FragmentCache(10)
    monkeypatch.setattr(public_pages, "page_cache", shelf)
    make_zones()
    client = Client(raise_request_exception=False)
    kept = client.get("/mentions-legales")
    assert kept.status_code == 200
    # Another version of the content: the page may not be used while it can be made anew.
    monkeypatch.setattr(public_pages, "content_version", lambda: "another")
    away = caused(OperationalError("the database is away"), psycopg.OperationalError())

    def refuse(*args, **kwargs):
        raise away

    with connection.execute_wrapper(refuse):
        outdated = client.get("/mentions-legales")
        assert (outdated.status_code, outdated.content) == (200, kept.content)
        assert outdated["ETag"] == kept["ETag"]
        assert client.get("/mentions-legales", headers={"host": "evil.test"}).status_code == 400
        assert client.get("/de/impressum").status_code == 503
    assert client.get("/mentions-legales").status_code == 200


def test_seconds_left_counts_down_and_never_to_nothing():
    assert deadlines.seconds_left() is None
    assert not deadlines.is_over()
    with deadlines.deadline(60):
        assert 59 < deadlines.seconds_left() <= 60
        with deadlines.deadline(-1):
            assert deadlines.seconds_left() == deadlines.LEAST_SECONDS
            assert deadlines.is_over()
        assert not deadlines.is_over()
