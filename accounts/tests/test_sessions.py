"""Where an account is signed in: listed, ended one by one, all at once, and by a new password or role."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from accounts.models import User
from accounts.services import grant_role, set_blocked
from accounts.services.second_factor import reset_second_factor
from accounts.sessions import device_name, purge_ended_sessions
from accounts.tests.browsers import FIREFOX, IPHONE, PAGE, browser, devices, is_open
from accounts.tests.people import (
    PASSWORD,
    add_app,
    app_code,
    mails,
    make_admin,
    make_member,
    post,
    prove,
    signed_in,
    text,
)
from shop.core.models import OutgoingMail

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (FIREFOX, "Firefox, Windows"),
        (IPHONE, "Safari, iPhone"),
        (
            "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 "
            "Chrome/136.0.0.0 Mobile Safari/537.36",
            "Samsung Internet, Android",
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) "
            "Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
            "Edge, Mac",
        ),
        (
            "Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
            "CriOS/142.0 Mobile/15E148 Safari/604.1",
            "Chrome, iPad",
        ),
        ("Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101", "Linux"),
        ("curl/8.5", "Appareil inconnu"),
        ("", "Appareil inconnu"),
    ],
)
def test_a_device_in_plain_words(agent, name):
    assert device_name(agent) == name


def test_sessions_are_listed_with_this_one_marked_and_no_address_stored():
    make_member()
    phone, laptop = browser(IPHONE), browser()

    page = text(laptop.get(PAGE))

    assert devices(laptop) == ["Firefox, Windows", "Safari, iPhone"]
    assert page.count("Cet appareil") == 1
    assert 'Firefox, Windows <span class="badge">Cet appareil</span>' in page
    assert is_open(phone)
    assert set(UserSession.objects.values_list("ip", flat=True)) == {"::"}
    assert "no-store" in laptop.get(PAGE)["Cache-Control"]


def test_one_session_is_ended_and_no_other(client):
    make_member()
    phone, laptop = browser(IPHONE), browser()
    row = UserSession.objects.get(session_key=phone.session.session_key)

    assert laptop.post(PAGE, {"action": "end_session", "session": row.pk})["Location"] == PAGE

    assert "Session fermée" in text(laptop.get(PAGE))
    assert (is_open(phone), is_open(laptop)) == (False, True)
    assert devices(laptop) == ["Firefox, Windows"]


def test_nobody_ends_somebody_elses_session():
    make_member()
    make_member("other@example.com")
    mine, theirs = browser(), browser(email="other@example.com")
    row = UserSession.objects.get(session_key=theirs.session.session_key)

    for number in (row.pk, 0, -1, 10**30, "x", "", "١"):
        assert mine.post(PAGE, {"action": "end_session", "session": number}).status_code == 302

    assert (is_open(mine), is_open(theirs)) == (True, True)


def test_all_others_are_ended_at_once():
    make_member()
    first, second, third = browser(), browser(IPHONE), browser("curl/8.5")

    second.post(PAGE, {"action": "end_others"})

    assert [is_open(each) for each in (first, second, third)] == [False, True, False]


@pytest.mark.parametrize("action", ["end_session", "end_others"])
def test_sessions_are_ended_with_the_second_factor_where_there_is_one(action):
    user = make_member()
    phone, laptop = browser(IPHONE), browser()
    secret = add_app(user)
    prove(laptop, user)
    row = UserSession.objects.get(session_key=phone.session.session_key)
    fields = {"action": action, "session": str(row.pk)}

    asked = text(laptop.post(PAGE, fields))
    assert 'name="proof_code"' in asked
    assert all(f'name="{name}" value="{value}"' in asked for name, value in fields.items())
    assert is_open(phone)

    assert laptop.post(PAGE, {**fields, "proof_code": app_code(secret)})["Location"] == PAGE
    assert (is_open(phone), is_open(laptop)) == (False, True)


def test_sessions_are_ended_with_the_password_once_signing_in_is_some_time_ago():
    user = make_member()
    phone, laptop = browser(IPHONE), browser()
    prove(laptop, user, "none")
    fields = {"action": "end_others"}

    asked = text(laptop.post(PAGE, fields))
    assert 'name="proof_password"' in asked
    assert "Mot de passe incorrect" in text(laptop.post(PAGE, {**fields, "proof_password": "wrong"}))
    assert is_open(phone)

    assert laptop.post(PAGE, {**fields, "proof_password": PASSWORD})["Location"] == PAGE
    assert (is_open(phone), is_open(laptop)) == (False, True)


def test_who_proved_again_who_they_are_has_another_session_key():
    make_member()
    client = browser()
    replayed = Client()
    replayed.cookies["sessionid"] = client.cookies["sessionid"].value
    confirm = "/espace-membre/confirmer"
    prove(client, User.objects.get(), "none")

    client.post(confirm, {"next": PAGE, "proof_password": "wrong"})
    assert (is_open(client), is_open(replayed)) == (True, True)
    assert client.post(confirm, {"next": PAGE, "proof_password": PASSWORD})["Location"] == PAGE

    assert (is_open(client), is_open(replayed)) == (True, False)
    assert devices(client) == ["Firefox, Windows"]
    assert 'Firefox, Windows <span class="badge">Cet appareil</span>' in text(client.get(PAGE))


def test_the_mail_about_a_role_leads_to_the_staff_area():
    grant_role(user=make_member("staff@example.com"), role="staff", changed_by=make_admin())

    assert OutgoingMail.objects.get(kind="account_role_changed").context["admin_url"] == (
        "http://localhost:8000/admin"
    )


def test_a_role_that_is_lost_ends_every_session_of_it():
    admin, staff = make_admin(), make_member("staff@example.com")
    grant_role(user=staff, role="staff", changed_by=admin)
    one, two, boss = (browser(email=mail) for mail in ("staff@example.com",) * 2 + ("admin@example.com",))
    assert one.get("/gestion/").status_code == 200

    grant_role(user=staff, role="user", changed_by=admin)

    assert [is_open(each) for each in (one, two, boss)] == [False, False, True]
    assert mails("account_role_changed") == [("account_role_changed", "staff@example.com")] * 2


def test_a_request_writes_once_an_hour(time_machine, django_assert_num_queries):
    make_member()
    client = browser()
    row = UserSession.objects.get()
    # Session, person, role, favourites, the version of the cart.
    with django_assert_num_queries(5):
        client.get("/api/me")
    time_machine.move_to(time.time() + 3601)
    # The same, the row, the person, and the session in its transaction.
    with django_assert_num_queries(10):
        client.get("/api/me")
    with django_assert_num_queries(5):
        client.get("/api/me")
    before, row = row.last_seen_at, UserSession.objects.get()
    assert timedelta(hours=1) < row.last_seen_at - before < timedelta(hours=1, minutes=1)
    assert User.objects.get().last_seen_at == row.last_seen_at


def test_the_page_costs_two_queries_for_any_number_of_sessions(django_assert_num_queries, rf):
    from accounts.sessions import open_sessions

    user = make_member()
    clients = [browser() for _ in range(6)]
    request = rf.get("/")
    request.session = clients[0].session
    user.refresh_from_db()
    with django_assert_num_queries(2):
        found = open_sessions(request, user)
    assert [each.is_current for each in found] == [True] + [False] * 5


def test_sessions_that_expired_are_forgotten():
    make_member()
    client, other = browser(), browser(IPHONE)
    Session.objects.filter(session_key=other.session.session_key).update(
        expire_date=timezone.now() - timedelta(minutes=1)
    )

    assert purge_ended_sessions(timezone.now(), 10) == 1

    assert [row.session_key for row in UserSession.objects.all()] == [client.session.session_key]
    assert is_open(client)


def test_ended_sessions_go_in_batches():
    user = make_member()
    for _ in range(5):
        browser()
    Session.objects.update(expire_date=timezone.now() - timedelta(minutes=1))
    assert [purge_ended_sessions(timezone.now(), 2) for _ in range(4)] == [2, 2, 1, 0]
    assert not Session.objects.exists()
    assert not UserSession.objects.filter(user=user).exists()


@pytest.mark.parametrize("page", ["confirmation", "nouveau-mot-de-passe", "adresse-e-mail", "seconde-etape"])
def test_no_stranger_fills_the_table_of_sessions_with_notices(settings, page):
    settings.LIMITS = {"visitor-notice-network": 2}
    known = Client()
    answers = [known.get(f"/auth/{page}"), *(Client().get(f"/auth/{page}") for _ in range(3))]
    assert [answer.status_code for answer in answers] == [302] * 4
    assert len({answer["Location"] for answer in answers}) == 1
    assert Session.objects.count() == 2
    # Whoever has one reads what became of the link.
    known.get(f"/auth/{page}")
    assert known.get(answers[0]["Location"]).context["notice"] is not None


def test_a_mail_tells_of_a_new_device_but_not_of_the_first_and_of_known_ones():
    make_member(language="de")
    known = browser()
    known.post("/auth/deconnexion")
    post(known, "signin")
    assert mails("account_new_device") == []

    browser(IPHONE)

    assert mails("account_new_device") == [("account_new_device", "client@example.com")]
    mail = OutgoingMail.objects.get(kind="account_new_device")
    assert (mail.language, mail.context["device"]) == ("de", "Safari, iPhone")
    assert mail.context["security_url"] == "http://localhost:8000/de/kundenkonto/sicherheit"


def test_ten_mails_a_day_tell_of_new_devices(settings):
    settings.LIMITS = {"new-device-mail": 2}
    make_member()
    for _ in range(4):
        browser()
    assert mails("account_new_device") == [("account_new_device", "client@example.com")] * 2


def test_an_account_has_so_many_sessions_and_the_oldest_ends(monkeypatch):
    monkeypatch.setattr("accounts.sessions.MOST_SESSIONS", 2)
    make_member("other@example.com")
    other = browser(email="other@example.com")
    make_member()
    opened = [browser() for _ in range(3)]
    assert [is_open(client) for client in (other, *opened)] == [True, False, True, True]
    assert Session.objects.count() == UserSession.objects.count() == 3


def test_nobody_sees_the_page_without_signing_in(client):
    assert client.get(PAGE)["Location"] == f"/auth?next={PAGE}"
    assert client.post(PAGE, {"action": "end_others"})["Location"] == f"/auth?next={PAGE}"
    assert not signed_in(client)


def take_role_and_give_it_back(user):
    grant_role(user=user, role="staff")
    grant_role(user=user, role="user")


def block_and_open_again(user):
    admin = make_admin()
    set_blocked(user=user, blocked=True, changed_by=admin)
    set_blocked(user=user, blocked=False, changed_by=admin)


def lose_the_second_factor(user):
    add_app(user)
    reset_second_factor(user)


@pytest.mark.parametrize("change", [take_role_and_give_it_back, block_and_open_again, lose_the_second_factor])
def test_a_session_that_ended_between_two_requests_does_not_come_back(change):
    """That of a device which was lost, or of whoever got in: it asks for nothing meanwhile."""
    user = make_member()
    lost, own = browser(), browser(IPHONE)

    change(User.objects.get(pk=user.pk))

    assert (is_open(lost), is_open(own)) == (False, False)
    assert is_open(browser())
