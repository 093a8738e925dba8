"""Sessions of staff end after 3 idle hours and after 12 in any case; those of members and visitors are left alone."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.services import grant_role
from accounts.staff_sessions import CLOCK
from accounts.tests.people import make_admin, make_member, post, text

pytestmark = pytest.mark.django_db

START = datetime(2026, 11, 23, 8, 0, tzinfo=ZoneInfo("Europe/Paris"))
PAGE = "/gestion/accounts/user/"


@pytest.fixture
def move(time_machine):
    """Sets the clock to this long after the sign-in."""

    def to(**passed):
        time_machine.move_to(START + timedelta(**passed), tick=False)

    to()
    return to


@pytest.fixture
def staff_client(client, move):
    """An administrator who has just signed in."""
    make_admin()
    post(client, "signin", email="admin@example.com")
    assert client.get(PAGE).status_code == 200
    return client


def test_an_idle_session_ends_after_three_hours_and_the_page_says_why(staff_client, move):
    move(hours=2, minutes=59, seconds=59)
    assert staff_client.get(PAGE).status_code == 200
    key = staff_client.session.session_key
    move(hours=5, minutes=59, seconds=59)

    refused = staff_client.get(f"{PAGE}?q=a")

    assert (refused.status_code, refused["Location"]) == (302, f"/gestion/login/?next={PAGE}%3Fq%3Da")
    login = staff_client.get(refused["Location"])
    assert login["Location"] == "/auth?next=%2Fgestion%2Faccounts%2Fuser%2F%3Fq%3Da"
    page = text(staff_client.get(login["Location"]))
    assert "Session terminée" in page
    assert f'<input type="hidden" name="next" value="{PAGE}?q=a">' in page
    assert staff_client.session.session_key != key
    assert not Session.objects.filter(pk=key).exists()
    assert "Session terminée" not in text(staff_client.get(login["Location"]))


def test_a_busy_session_ends_after_twelve_hours(staff_client, move):
    for hours in range(2, 12, 2):
        move(hours=hours)
        assert staff_client.get(PAGE).status_code == 200
    move(hours=11, minutes=59, seconds=59)
    assert staff_client.get(PAGE).status_code == 200
    move(hours=12)

    assert staff_client.get(PAGE).status_code == 302
    assert SESSION_KEY not in staff_client.session


@pytest.mark.parametrize(
    ("ahead", "ends"), [(timedelta(minutes=10), False), (timedelta(minutes=10, seconds=1), True)]
)
def test_a_session_that_a_clock_ahead_started_does_not_outlive_its_correction(
    staff_client, move, ahead, ends
):
    move(seconds=-ahead.total_seconds())

    assert staff_client.get(PAGE).status_code == (302 if ends else 200)
    assert (SESSION_KEY not in staff_client.session) == ends


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("get", "/api/admin/orders", 401),
        ("post", "/api/admin/orders/00000000-0000-0000-0000-000000000001/refund", 401),
        ("get", "/api/orders", 401),
        ("get", "/espace-membre", 302),
    ],
)
def test_calls_and_pages_end_too(staff_client, move, method, path, status):
    assert getattr(staff_client, method)(path).status_code != status
    move(hours=3)

    assert getattr(staff_client, method)(path).status_code == status
    me = staff_client.get("/api/me")
    assert me.json()["authenticated"] is False
    assert staff_client.cookies["member"].value == ""


def test_an_ended_session_does_not_come_back(staff_client, move):
    key = staff_client.session.session_key
    move(hours=3)
    staff_client.get(PAGE)
    move(minutes=1)
    thief = Client()
    thief.cookies["sessionid"] = key

    assert thief.get(PAGE).status_code == 302


def test_signing_in_again_starts_the_clock_afresh(staff_client, move):
    move(hours=12)
    staff_client.get(PAGE)
    post(staff_client, "signin", email="admin@example.com")
    assert staff_client.get(PAGE).status_code == 200

    move(hours=14, minutes=59)
    assert staff_client.get(PAGE).status_code == 200


@pytest.mark.both_engines
def test_a_request_writes_the_session_once_a_minute_at_most(staff_client, move):
    def writes():
        with CaptureQueriesContext(connection) as queries:
            assert staff_client.get(PAGE).status_code == 200
        return sum("UPDATE" in query["sql"] and "django_session" in query["sql"] for query in queries)

    move(seconds=59)
    assert writes() == 0
    move(seconds=60)
    assert writes() == 1
    assert writes() == 0


def test_members_keep_fourteen_days_and_have_no_clock(client, move):
    make_member()
    post(client, "signin")
    before = client.session.get_expiry_date()
    assert client.get("/api/me").json()["authenticated"] is True
    move(days=13, hours=23)

    assert client.get("/api/me").json()["authenticated"] is True
    assert CLOCK not in client.session
    assert before > START + timedelta(days=13)


@pytest.mark.both_engines
def test_public_pages_ask_nothing_even_of_staff(staff_client, move):
    staff_client.get("/auth")
    move(hours=5)
    with CaptureQueriesContext(connection) as queries:
        page = staff_client.get("/faq")

    assert page.status_code == 200
    assert "Cookie" not in page.get("Vary", "")
    assert not page.cookies
    assert not [query for query in queries if "session" in query["sql"] or "accounts_" in query["sql"]]


@pytest.mark.parametrize("role", ["admin", "user"])
def test_a_role_gained_or_lost_ends_every_session(client, role):
    user = make_member() if role == "admin" else make_admin()
    make_admin("other@example.com")
    client.force_login(user)
    assert client.get("/api/me").json()["authenticated"] is True

    grant_role(user=user, role=role)

    assert client.get("/api/me").json()["authenticated"] is False


def test_a_session_started_without_the_shops_sign_in_counts_from_the_latest_one(client, move):
    client.force_login(make_admin())
    move(hours=2, minutes=59)
    assert client.get(PAGE).status_code == 200
    move(hours=6)

    assert client.get(PAGE).status_code == 302
