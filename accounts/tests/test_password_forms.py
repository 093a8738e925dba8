"""Every form that takes a new password refuses the same ones, in the same words, without hashing them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.hashers import check_password
from django.test import Client
from django.urls import reverse
from django.utils import translation

from accounts.models import SignUp, User
from accounts.sign_ups import sign_up_key
from accounts.tests.people import link_in_last_mail, make_member, post, sign_up, text, watch_hashing

pytestmark = pytest.mark.django_db

REFUSED = {
    "seven characters": ("1234567", "Mot de passe trop court. Minimum 8 caractères"),
    "common": ("password123", "Ce mot de passe est trop courant."),
    "words of the shop": (
        "Etabli-aux-figurines-2027!",
        "Ce mot de passe ne contient que des mots de la boutique\u00a0: ajoutez-en d'autres.",
    ),
    "the address": (
        "client@example.com",
        "Le mot de passe est trop semblable au champ «\u00a0adresse e-mail\u00a0».",
    ),
    "a megabyte": ("x" * 1_048_576, "Mot de passe trop long. Maximum 256 caractères"),
    "a NUL": ("atelier\x00figurine", "Le caractère nul n’est pas autorisé."),
    "a tab": ("atelier\tfigurine", "Le mot de passe contient un caractère qui n'est pas permis"),
}
LONG = "une figurine peinte à la main " * 6 + "x" * 20  # 200 characters


def signing_up(_client: Client) -> Callable[[str], Any]:
    return lambda password: post(_client, "signup", password=password)


def confirming(client: Client) -> Callable[[str], Any]:
    sign_up()
    client.get(link_in_last_mail())
    return lambda password: client.post(
        "/auth/confirmation", {"password": password, "password_confirmation": password}
    )


def resetting(client: Client) -> Callable[[str], Any]:
    make_member()
    post(client, "forgot")
    client.get(link_in_last_mail())
    return lambda password: client.post(
        "/auth/nouveau-mot-de-passe", {"password": password, "password_confirmation": password}
    )


def passwords() -> set[str]:
    """Every hash there is."""
    return {
        *User.objects.values_list("password", flat=True),
        *SignUp.objects.values_list("password", flat=True),
    }


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("form", [signing_up, confirming, resetting])
def test_cnil_2022_100_password_is_refused_in_words_and_never_hashed(
    client, settings, monkeypatch, form, what
):
    password, message = REFUSED[what]
    send = form(client)
    before = passwords()
    runs = watch_hashing(settings, monkeypatch)

    page = send(password)

    assert page.status_code == 200
    assert message in text(page)
    assert "xxxxxxxxxx" not in page.content.decode()
    assert runs == []
    assert passwords() == before


@pytest.mark.parametrize("form", [signing_up, confirming, resetting])
def test_password_of_two_hundred_characters_is_taken(client, form):
    assert len(LONG) == 200
    assert form(client)(LONG).status_code == 302
    assert any(check_password(LONG, stored) for stored in passwords())


@pytest.mark.parametrize("form", [confirming, resetting])
def test_a_password_manager_reads_whose_password_it_stores(client, form):
    page = text(form(client)("short"))
    assert 'value="client@example.com" autocomplete="username" hidden' in page
    client.force_login(make_member("other@example.com"))
    own = text(client.get("/espace-membre/securite"))
    assert 'value="other@example.com" autocomplete="username" hidden' in own


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "Password must be at most 256 characters long"),
        ("es", "Contraseña demasiado larga. Máximo 256 caracteres"),
        ("de", "Das Passwort ist zu lang. Höchstens 256 Zeichen"),
    ],
)
def test_a_megabyte_typed_twice_is_answered_at_the_field_in_the_visitors_language(client, language, message):
    with translation.override(language):
        link = reverse("accounts:confirm-email", args=[sign_up_key(sign_up())])
        path = reverse("accounts:confirmation")
    client.get(link)
    huge = "x" * 1_048_576
    page = client.post(path, {"password": huge, "password_confirmation": huge})
    assert page.status_code == 200
    assert message in text(page)


def test_megabyte_typed_at_sign_in_is_a_wrong_password_and_is_not_hashed(client, settings, monkeypatch):
    make_member()
    runs = watch_hashing(settings, monkeypatch)
    page = post(client, "signin", password="x" * 1_000_000)
    assert "E-mail ou mot de passe incorrect" in text(page)
    assert runs == []


@pytest.mark.parametrize("language", ["fr", "en", "es", "de"])
def test_the_browser_refuses_a_short_password_at_checkout_in_those_words_too(language: str) -> None:
    texts = json.loads((settings.BASE_DIR / f"frontend_islands/locales/{language}.json").read_text())
    with translation.override(language):
        words = translation.gettext("Mot de passe trop court. Minimum %(minimum)d caractères")
    assert texts["checkout"]["passwordShort"].replace("{{min}}", "%(minimum)d") == words
