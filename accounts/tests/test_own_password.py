"""A new password, chosen by whoever is signed in: what it ends, who is told, and what is refused."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.tests.browsers import IPHONE, PAGE, browser, devices, is_open
from accounts.tests.people import PASSWORD, link_in_last_mail, mails, make_admin, make_member, post, text

pytestmark = pytest.mark.django_db

NEW = "carmes-figurine-2027"
LIMITED = "Trop de tentatives de connexion. Réessayez dans quelques minutes."


def change(client, old=PASSWORD, new=NEW, again=None):
    return client.post(
        PAGE,
        {
            "action": "password",
            "old_password": old,
            "password": new,
            "password_confirmation": new if again is None else again,
        },
    )


def test_a_new_password_ends_all_other_sessions_and_is_told_by_mail():
    user = make_member()
    first, second, third = browser(), browser(IPHONE), browser("curl/8.5")
    cookie, key = second.cookies["sessionid"].value, second.session.session_key

    assert change(second)["Location"] == PAGE

    assert "Toutes vos autres sessions ont été fermées." in text(second.get(PAGE))
    assert [is_open(each) for each in (first, second, third)] == [False, True, False]
    assert second.session.session_key != key
    replayed = Client()
    replayed.cookies["sessionid"] = cookie
    assert not is_open(replayed)
    assert devices(second) == ["Safari, iPhone"]
    user.refresh_from_db()
    assert user.check_password(NEW)
    assert mails("account_password_changed") == [("account_password_changed", "client@example.com")]
    # This browser stays known: no mail about a new device at its next sign-in.
    second.post("/auth/deconnexion")
    post(second, "signin", password=NEW)
    assert mails("account_new_device") == [("account_new_device", "client@example.com")] * 2


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"old": "wrong"}, "Mot de passe incorrect"),
        ({"old": ""}, "Veuillez entrer votre mot de passe"),
        ({"old": "x" * 100_000}, "Mot de passe incorrect"),
        ({"new": "1234567"}, "Mot de passe trop court. Minimum 8 caractères"),
        ({"new": "password1"}, "Ce mot de passe est trop courant."),
        ({"new": ""}, "Veuillez remplir tous les champs"),
        ({"again": "another"}, "Veuillez confirmer le même mot de passe"),
    ],
)
def test_a_password_that_is_refused_changes_nothing(fields, message):
    user = make_member()
    first, second = browser(), browser(IPHONE)

    page = change(first, **fields)

    assert (page.status_code, message in text(page)) == (200, True)
    user.refresh_from_db()
    assert user.check_password(PASSWORD)
    assert is_open(second)
    assert mails("account_password_changed") == []


def test_staff_need_twelve_characters():
    make_admin()
    client = browser(email="admin@example.com")

    assert "Mot de passe trop court. Minimum 12 caractères" in text(change(client, new="figurine-27"))
    assert client.get("/gestion/password_change/")["Location"] == PAGE


def test_the_old_password_is_guessed_five_times_and_strangers_do_not_count():
    make_member()
    client = browser()
    for _ in range(6):
        post(Client(), "signin", password="guess")
    for number in range(5):
        assert "Mot de passe incorrect" in text(change(client, f"guess-{number}"))

    refused = change(client)

    assert (refused.status_code, LIMITED in text(refused)) == (429, True)


def test_who_is_signed_in_gets_another_password_by_the_links_of_mails():
    """« Ce n'était pas vous ? Choisissez un nouveau mot de passe » is read where one is signed in."""
    make_member()
    client = browser()
    assert client.get("/auth?mode=forgot")["Location"] == f"{PAGE}#mot-de-passe"
    assert 'name="email" value="client@example.com"' in text(client.get(PAGE))
    assert post(client, "forgot", next="/favoris")["Location"] == PAGE
    assert "un lien pour choisir un nouveau mot de passe y arrive" in text(client.get(PAGE))
    assert post(client, "signup")["Location"] == "/"
    client.get(link_in_last_mail())
    done = client.post("/auth/nouveau-mot-de-passe", {"password": NEW, "password_confirmation": NEW})
    assert (done["Location"], is_open(client)) == ("/auth", False)
    assert mails("account_password_changed") == [("account_password_changed", "client@example.com")]
