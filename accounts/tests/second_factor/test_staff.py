"""Who needs a second factor: staff before anything else, members if they wish; and what that costs."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from accounts.tests.people import app_code, make_admin, post, text
from accounts.tests.second_factor.factors import APP, SECURITY

pytestmark = pytest.mark.django_db


def test_staff_without_a_second_factor_are_led_to_set_it_up_and_may_nothing_before(client, settings):
    settings.STAFF_SECOND_FACTOR = True
    admin = make_admin()

    done = post(client, "signin", email="admin@example.com", next="/gestion/")

    assert done["Location"] == "/espace-membre/securite?next=%2Fgestion%2F"
    page = text(client.get(done["Location"]))
    assert "Une seconde étape est nécessaire" in page
    closed = client.get("/gestion/", follow=True)
    assert closed.redirect_chain[-1] == ("/espace-membre/securite?next=%2Fgestion%2F", 302)
    refused = client.get("/api/admin/orders")
    assert (refused.status_code, refused.json()["code"]) == (403, "second_factor_missing")
    assert refused.json()["setup_url"] == SECURITY
    # Members' own pages stay open to them.
    assert client.get("/espace-membre").status_code == 200

    client.get(APP)
    secret = client.session["mfa.totp.secret"]
    assert client.post(APP, {"code": app_code(secret)})["Location"] == f"{SECURITY}/codes"
    assert 'href="/gestion/"' in text(client.get(f"{SECURITY}/codes"))
    assert client.get("/gestion/").status_code == 200
    assert client.get("/api/admin/orders").status_code == 200

    call_command("reset_second_factor", admin.email)
    assert client.get("/api/admin/orders").status_code == 401


def test_staff_need_none_where_the_setting_is_off(client, settings):
    settings.STAFF_SECOND_FACTOR = False
    make_admin()

    assert post(client, "signin", email="admin@example.com", next="/gestion/")["Location"] == "/gestion/"
    assert client.get("/gestion/").status_code == 200


def test_a_public_page_and_a_visitor_cost_no_query_more(client, settings, django_assert_num_queries):
    settings.STAFF_SECOND_FACTOR = True
    with django_assert_num_queries(0):
        client.get("/api/me")


def test_a_member_costs_no_query_more(client, member, settings, django_assert_num_queries):
    settings.STAFF_SECOND_FACTOR = True
    client.force_login(member)
    client.get("/api/me")
    # Session, person, role, favourites, the version of the cart.
    with django_assert_num_queries(5):
        client.get("/api/me")
