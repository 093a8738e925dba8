"""``/api/me`` and the cookie that tells public pages to ask for it."""

from __future__ import annotations

import pytest

from accounts.models import User
from accounts.tests.people import make_admin, make_member

pytestmark = pytest.mark.django_db


@pytest.mark.both_engines
def test_nobody(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        response = client.get("/api/me")

    me = response.json()
    assert response.status_code == 200
    assert {name: me[name] for name in me if name != "csrf_token"} == {
        "authenticated": False,
        "roles": [],
        "favourites": [],
    }
    assert len(me["csrf_token"]) == 64
    assert "no-store" in response["Cache-Control"]
    assert "Cookie" in response["Vary"]
    assert "member" not in response.cookies


@pytest.mark.both_engines
def test_a_member(client, django_assert_num_queries):
    client.force_login(make_member(first_name="Zoé"))

    # Session, user, role, favourites, saved cart.
    with django_assert_num_queries(5):
        response = client.get("/api/me")

    me = response.json()
    assert (me["authenticated"], me["email"], me["first_name"], me["roles"]) == (
        True,
        "client@example.com",
        "Zoé",
        ["user"],
    )
    assert response.cookies["member"].value == "1"
    # Once there, it is not sent again.
    assert "member" not in client.get("/api/me").cookies


def test_an_admin(client):
    client.force_login(make_admin())
    assert client.get("/api/me").json()["roles"] == ["admin"]


def test_a_blocked_member_is_nobody(client):
    user = make_member()
    client.force_login(user)
    User.objects.filter(pk=user.pk).update(is_active=False)

    assert client.get("/api/me").json()["authenticated"] is False


def test_a_session_that_ended_takes_the_cookie_away(client):
    client.cookies["member"] = "1"

    response = client.get("/api/me")

    assert response.cookies["member"].value == ""
    assert response.cookies["member"]["max-age"] == 0


def test_pages_that_do_not_look_at_the_session_stay_cacheable(client):
    client.cookies["member"] = "1"

    response = client.get("/")

    assert "Cookie" not in response.get("Vary", "")
    assert response.cookies == {}


def test_the_token_opens_unsafe_calls(client):
    strict = type(client)(enforce_csrf_checks=True)
    token = strict.get("/api/me").json()["csrf_token"]

    body = {"mode": "signin", "email": "a@example.com", "password": "wrong"}
    assert strict.post("/auth", body).status_code == 403
    assert strict.post("/auth", body, headers={"x-csrftoken": token}).status_code == 200


@pytest.mark.parametrize("method", ["post", "put", "patch"])
def test_only_reading(client, method):
    response = getattr(client, method)("/api/me")
    assert response.status_code == 405
    assert response["Content-Type"] == "application/problem+json"
