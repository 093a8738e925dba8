"""Changing one's own password in Django's admin: the old one can't be guessed there."""

from __future__ import annotations

import pytest
from django.utils import timezone

from accounts.tests.people import PASSWORD, mails, make_admin, post, text

pytestmark = pytest.mark.django_db

PAGE = "/gestion/password_change/"
NEW = "atelier-figurine-2027"
LIMITED = "Trop de tentatives de connexion. Réessayez dans quelques minutes."


@pytest.fixture
def admin(client):
    user = make_admin()
    client.force_login(user)
    return user


def change(client, old=PASSWORD, new=NEW):
    return client.post(PAGE, {"old_password": old, "new_password1": new, "new_password2": new})


def test_five_wrong_passwords_in_five_minutes_and_not_even_the_right_one_after(client, admin, time_machine):
    for number in range(5):
        page = change(client, f"guess-{number}")
        assert "Mot de passe incorrect" in text(page)

    assert LIMITED in text(change(client, "guess-6"))
    assert LIMITED in text(change(client))
    admin.refresh_from_db()
    assert admin.check_password(PASSWORD)
    assert mails() == []

    time_machine.move_to(timezone.now().timestamp() + 301)
    assert change(client).status_code == 302


def test_a_change_ends_other_sessions_keeps_this_one_and_is_told_by_mail(client, admin):
    other = type(client)()
    other.force_login(admin)
    key = client.session.session_key

    done = change(client)

    assert (done.status_code, done["Location"]) == (302, "/gestion/password_change/done/")
    assert client.get("/gestion/password_change/done/").status_code == 200
    assert client.session.session_key != key
    assert other.get("/gestion/").status_code == 302
    admin.refresh_from_db()
    assert admin.check_password(NEW)
    assert mails() == [("account_password_changed", "admin@example.com")]


def test_a_password_too_short_for_staff_is_refused(client, admin):
    page = change(client, new="figurine-27")

    assert "Mot de passe trop court. Minimum 12 caractères" in text(page)
    admin.refresh_from_db()
    assert admin.check_password(PASSWORD)


def test_a_huge_old_password_is_not_hashed(client, admin, monkeypatch):
    monkeypatch.setattr("accounts.models.User.check_password", lambda *_args: 1 / 0)

    assert "Mot de passe incorrect" in text(change(client, "x" * 100_000))


def test_guesses_at_sign_in_do_not_keep_who_is_signed_in_from_changing(client, admin):
    stranger = type(client)()
    for _ in range(6):
        post(stranger, "signin", email="admin@example.com", password="wrong")

    assert change(client).status_code == 302


def test_who_is_not_signed_in_is_sent_to_sign_in(client):
    assert client.get(PAGE)["Location"] == f"/gestion/login/?next={PAGE}"
