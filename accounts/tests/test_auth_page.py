"""The page ``/auth``: its plain forms, their messages, where they lead."""

from __future__ import annotations

import pytest
from django.contrib.auth.hashers import check_password
from django.contrib.sessions.models import Session

from accounts.models import SignUp, User
from accounts.selectors import is_email_confirmed
from accounts.tests.people import (
    deliver_mails,
    link_in_last_mail,
    mails,
    make_member,
    post,
    sign_up,
    signed_in,
    text,
)
from shop.core.models import OutgoingMail

pytestmark = pytest.mark.django_db


def test_the_page_is_private_and_its_tab_is_sign_in(client):
    response = client.get("/auth")

    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    page = text(response)
    assert '<input type="hidden" name="mode" value="signin">' in page
    assert 'autocomplete="current-password"' in page
    assert 'name="csrfmiddlewaretoken"' in page
    assert '<meta name="robots" content="noindex">' in page


@pytest.mark.parametrize(
    ("query", "mode"),
    [("?mode=signup", "signup"), ("?mode=forgot", "forgot"), ("?mode=admin", "signin"), ("?mode=", "signin")],
)
def test_tabs(client, query, mode):
    assert f'name="mode" value="{mode}"' in text(client.get(f"/auth{query}"))


@pytest.mark.parametrize("mode", ["signin", "signup"])
@pytest.mark.parametrize("missing", ["email", "password"])
def test_both_fields_are_needed(client, mode, missing):
    response = post(client, mode, **{missing: " " if missing == "email" else ""})

    assert response.status_code == 200
    assert "Veuillez remplir tous les champs" in text(response)
    assert User.objects.count() == 0
    assert mails() == []


def test_the_page_that_was_asked_for_is_kept_by_way_of_a_forgotten_password(client):
    assert (
        'href="/auth?mode=forgot&amp;next=%2Ffavoris"' in client.get("/auth?next=/favoris").content.decode()
    )
    page = client.get("/auth?mode=forgot&next=/favoris").content.decode()
    assert 'href="/auth?next=%2Ffavoris">Retour à la connexion' in page


def test_the_forgotten_password_needs_an_address(client):
    assert "Veuillez entrer votre adresse e-mail" in text(post(client, "forgot", email=""))


# --- Sign-up, confirmation, sign-in -----------------------------------------------------------------
def test_from_sign_up_to_the_first_sign_in(client):
    response = post(client, "signup", email=" Client@Example.COM ")

    assert (response.status_code, response["Location"]) == (302, "/auth")
    page = text(client.get("/auth"))
    assert "Inscription réussie" in page
    assert "Vérifiez votre e-mail pour confirmer votre compte" in page
    assert "Inscription réussie" not in text(client.get("/auth"))
    assert User.objects.count() == 0
    assert not signed_in(client)

    refused = post(client, "signin")
    assert "Votre e-mail n'est pas encore confirmé. Vérifiez votre boîte de réception." in text(refused)
    assert not signed_in(client)
    # The first confirmation mail is seconds old: no second one.
    assert mails() == [("account_confirm_email", "client@example.com")]

    confirmed = client.get(link_in_last_mail())
    assert (confirmed.status_code, confirmed["Location"]) == (302, "/auth")
    page = text(client.get("/auth"))
    assert 'class="alert alert--success"' in page
    assert "E-mail confirmé" in page
    user = User.objects.get()
    assert (user.email, user.language, user.is_staff, user.user_role.role) == (
        "client@example.com",
        "fr",
        False,
        "user",
    )
    assert is_email_confirmed(user)

    done = post(client, "signin")
    assert (done.status_code, done["Location"]) == (302, "/")
    assert signed_in(client)
    assert client.cookies["notice"].value == "signed_in"
    assert client.cookies["member"].value == "1"
    assert not client.cookies["member"]["httponly"]


def test_a_member_on_auth_is_sent_home(client):
    client.force_login(make_member())

    assert client.get("/auth")["Location"] == "/"
    assert client.get("/auth?next=/panier")["Location"] == "/panier"
    assert post(client, "signup", email="new@example.com")["Location"] == "/"
    assert User.objects.count() == 1


def test_wrong_password(client):
    make_member()
    response = post(client, "signin", password="figurine-atelier-2025")

    assert response.status_code == 200
    assert "Erreur de connexion" in text(response)
    assert "E-mail ou mot de passe incorrect" in text(response)
    assert 'value="client@example.com"' in text(response)
    assert "figurine-atelier-2025" not in text(response)
    assert not signed_in(client)
    assert "member" not in client.cookies


def test_a_blocked_account_looks_like_a_wrong_password(client):
    user = make_member()
    User.objects.filter(pk=user.pk).update(is_active=False)

    assert "E-mail ou mot de passe incorrect" in text(post(client, "signin"))
    assert not signed_in(client)


@pytest.mark.parametrize(
    "typed",
    ["CLIENT@example.com", "client@EXAMPLE.com", "ｃｌｉｅｎｔ@example.com", "  client@example.com  "],
)
def test_one_address_however_it_is_typed(client, typed):
    make_member()

    assert post(client, "signin", email=typed).status_code == 302


@pytest.mark.parametrize(
    "twin",
    [
        "ＣＬＩＥＮＴ@example.com",
        # What is invisible in a domain never reaches a mail server: all of them are one mailbox.
        "client@exam\u00adple.com",
        "client@\u200bexample.com",
        "client@ex\ufe00ample.com",
        # Quotes and backslashes say nothing about a mailbox.
        '"client"@example.com',
        '"\\c\\lient"@example.com',
        '"\\"client\\""@example.com',
    ],
)
def test_twins_of_an_address_are_one_account(client, twin):
    make_member()
    post(client, "signup", email=twin)

    assert User.objects.count() == 1
    assert mails() == [("account_exists", "client@example.com")]


@pytest.mark.parametrize("name", ['""', '"a b"', '"a@b"', '"a\\"b"', '"', '"a\x01"'])
def test_names_that_only_quotes_allow_are_no_addresses(client, name):
    response = post(client, "signup", email=f"{name}@example.com")

    assert (response.status_code, mails()) == (200, [])


# --- Passwords --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("password", "message"),
    [
        ("1234567", "Mot de passe trop court. Minimum 8 caractères"),
        ("password123", "Ce mot de passe est trop courant."),
        ("client@example.com", "Le mot de passe est trop semblable au champ «\u00a0adresse e-mail\u00a0»."),
        ("a" * 257, "Mot de passe trop long. Maximum 256 caractères"),
        ("x" * 1_000_000, "Mot de passe trop long. Maximum 256 caractères"),
        ("atelier\tfigurine", "Le mot de passe contient un caractère qui n'est pas permis"),
        ("atelier\x00figurine", "Le caractère nul n’est pas autorisé."),
    ],
)
def test_passwords_that_are_refused(client, password, message, monkeypatch):
    monkeypatch.setattr("accounts.models.User.set_password", lambda *_: pytest.fail("hashed"))
    response = post(client, "signup", password=password)

    assert response.status_code == 200
    assert "Erreur d'inscription" in text(response)
    assert message in text(response)
    assert User.objects.count() == 0
    assert mails() == []


def test_a_long_passphrase_is_taken(client):
    passphrase = "une figurine peinte à la main " * 7  # 210 characters, spaces and accents
    assert post(client, "signup", password=passphrase).status_code == 302
    assert check_password(passphrase, SignUp.objects.get().password)


@pytest.mark.parametrize(
    "address",
    [
        "client",
        "client@",
        "@example.com",
        "a b@example.com",
        "clıent@example.com",
        "root@localhost",
        "root@[127.0.0.1]",
        "root@[::1]",
        f"{'a' * 250}@example.com",
    ],
)
@pytest.mark.parametrize("mode", ["signup", "forgot"])
def test_addresses_that_are_none(client, address, mode):
    response = post(client, mode, email=address)

    assert "Veuillez entrer une adresse e-mail valide" in text(response)
    assert User.objects.count() == 0


# --- Sessions and signing out -----------------------------------------------------------------------
def test_the_session_key_changes_at_sign_in_and_the_old_one_is_dead(client):
    make_member()
    client.get("/auth?mode=forgot")
    post(client, "signup", email="new@example.com")
    before = client.session.session_key

    post(client, "signin")

    after = client.session.session_key
    assert after != before
    assert not Session.objects.filter(pk=before).exists()


def test_a_session_key_made_by_somebody_else_is_not_taken_over(client):
    make_member()
    client.cookies["sessionid"] = "a" * 32

    post(client, "signin")

    assert client.session.session_key != "a" * 32


def test_signing_out_takes_a_post(client):
    client.force_login(make_member())
    assert client.get("/api/me").cookies["member"].value == "1"
    old_key = client.session.session_key

    assert client.get("/auth/deconnexion").status_code == 405
    assert signed_in(client)

    response = client.post("/auth/deconnexion")
    assert (response.status_code, response["Location"]) == (302, "/")
    assert response.cookies["notice"].value == "signed_out"
    assert response.cookies["member"].value == ""
    assert not Session.objects.filter(pk=old_key).exists()


def test_signing_out_and_in_need_the_token(client):
    strict = type(client)(enforce_csrf_checks=True)
    strict.force_login(make_member())

    assert strict.post("/auth/deconnexion").status_code == 403
    assert signed_in(strict)


# --- Languages --------------------------------------------------------------------------------------
def test_english_texts_are_those_of_the_specification(client):
    sign_up("unconfirmed@example.com")

    assert "Invalid email or password. Please check your credentials and try again." in text(
        post(client, "signin", path="/en/auth")
    )
    assert "Please check your email and click the confirmation link before signing in." in text(
        post(client, "signin", path="/en/auth", email="unconfirmed@example.com")
    )
    assert "Please enter a valid email address" in text(post(client, "signup", path="/en/auth", email="x"))
    assert "Password must be at least 8 characters long" in text(
        post(client, "signup", path="/en/auth", password="1234567")
    )


def test_mails_follow_the_language_of_the_page(client):
    post(client, "signup", path="/de/anmeldung")

    deliver_mails()
    mail = OutgoingMail.objects.get()
    assert mail.language == "de"
    assert "/de/anmeldung/bestaetigung/" in mail.context["url"]
    assert SignUp.objects.get().language == "de"
