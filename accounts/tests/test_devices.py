"""Strangers lock nobody out: a device that signed in before has attempts of its own, and nothing else."""

from __future__ import annotations

import pytest
from django.contrib.auth import SESSION_KEY
from django.test import Client, RequestFactory

from accounts.services import signing_in
from accounts.services.members import set_password_by_link
from accounts.tests.people import PASSWORD, link_in_last_mail, make_admin, make_member, post, text
from shop.core.problems import Problem

pytestmark = pytest.mark.django_db

LIMITED = "Trop de tentatives de connexion. Réessayez dans quelques minutes."
COOKIE = "device"


def device_of(email="client@example.com"):
    """A browser that signed in and out again."""
    client = Client()
    assert post(client, "signin", email=email, password=PASSWORD).status_code == 302
    client.post("/auth/deconnexion")
    client.cookies.pop("sessionid", None)
    return client


def lock(email="client@example.com"):
    for _ in range(6):
        answer = post(Client(), "signin", email=email, password="guess")
    assert answer.status_code == 429


def test_sign_in_sets_a_cookie_that_scripts_cannot_read(settings):
    settings.SESSION_COOKIE_SECURE = True
    settings.DEVICE_COOKIE_NAME = "__Host-device"
    make_member()
    client = Client()
    assert "__Host-device" not in post(client, "signin", password="wrong").cookies

    cookie = post(client, "signin").cookies["__Host-device"]

    assert (cookie["httponly"], cookie["secure"], cookie["samesite"], cookie["path"], cookie["domain"]) == (
        True, True, "Lax", "/", "",
    )  # fmt: skip
    assert cookie["max-age"] == 400 * 86400
    assert "client" not in cookie.value


@pytest.mark.parametrize("make", [make_member, make_admin])
def test_locked_account_signs_in_on_a_known_device_and_not_on_another(make):
    make("client@example.com")
    mine = device_of()
    lock()

    elsewhere = post(Client(), "signin")
    assert elsewhere.status_code == 429
    assert LIMITED in text(elsewhere)
    assert "Pour entrer tout de suite, choisissez un nouveau mot de passe" in text(elsewhere)
    assert '<a href="/auth?mode=forgot">Choisir un nouveau mot de passe</a>' in text(elsewhere)
    assert 0 < int(elsewhere["Retry-After"]) <= 300

    assert post(mine, "signin").status_code == 302
    assert SESSION_KEY in mine.session
    # What the owner does gives the guessers no further attempt.
    assert post(Client(), "signin").status_code == 429


def test_stolen_cookie_grants_five_attempts_and_no_sixth():
    make_member()
    thief = device_of()
    lock()

    answers = [post(thief, "signin", password="guess").status_code for _ in range(6)]

    assert answers == [200] * 5 + [429]
    assert post(thief, "signin").status_code == 429
    # Another device of the same member is not concerned.


def test_devices_of_one_member_are_counted_apart():
    make_member()
    first, second = device_of(), device_of()
    for _ in range(6):
        post(first, "signin", password="guess")
    lock()

    assert post(first, "signin").status_code == 429
    assert post(second, "signin").status_code == 302


def test_cookie_of_another_account_is_worth_nothing():
    make_member()
    make_member("other@example.com")
    other = device_of("other@example.com")
    lock()

    assert post(other, "signin").status_code == 429


def test_one_browser_is_known_to_several_accounts():
    for name in "abcdef":
        make_member(f"{name}@example.com")
    client = Client()
    for name in "abcdef":
        assert post(client, "signin", email=f"{name}@example.com").status_code == 302
        client.cookies.pop("sessionid")

    for name in "abcdef":
        lock(f"{name}@example.com")
    # The last five stay.
    statuses = []
    for name in "abcdef":
        statuses.append(post(client, "signin", email=f"{name}@example.com").status_code)
        client.cookies.pop("sessionid", None)

    assert statuses == [429, 302, 302, 302, 302, 302]


def test_new_password_ends_the_devices_of_the_old_one_and_knows_the_browser_that_chose_it():
    make_member()
    old = device_of()
    mine = Client()
    post(mine, "forgot")
    mine.get(link_in_last_mail())
    new_password = "carmes-figurine-2027"
    answer = mine.post(
        "/auth/nouveau-mot-de-passe", {"password": new_password, "password_confirmation": new_password}
    )
    assert answer.status_code == 302
    lock()

    assert post(old, "signin", password=new_password).status_code == 429
    assert post(mine, "signin", password=new_password).status_code == 302


@pytest.mark.parametrize(
    "forged",
    [
        "",
        "~",
        "x.y",
        "a" * 16 + "." + "b" * 43,
        "~".join(["a" * 16 + "." + "b" * 43] * 500),
        "é.è",
        "a:b:c",
        "\x00",
    ],
)
def test_forged_cookie_is_an_unknown_device(forged):
    make_member()
    lock()
    # As it is sent: the standard library writes no control characters.
    client = Client(headers={"cookie": f"{COOKIE}={forged}"})

    assert post(client, "signin").status_code == 429


def test_cookie_with_another_devices_name_is_forged():
    make_member()
    client, other = device_of(), device_of()
    name = other.cookies[COOKIE].value.partition(".")[0]
    signature = client.cookies[COOKIE].value.partition(".")[2]
    client.cookies[COOKIE] = f"{name}.{signature}"
    lock()

    assert post(client, "signin").status_code == 429


def test_devices_are_known_after_the_secret_is_changed(settings):
    make_member()
    mine = device_of()
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another-secret-of-this-test-that-is-long-enough"
    lock()

    assert post(mine, "signin").status_code == 302


@pytest.mark.parametrize(("email", "guesses"), [("client@example.com", 1000), ("nobody@example.com", 200)])
def test_guesses_from_two_hundred_addresses_try_five_passwords(email, guesses, settings, monkeypatch):
    settings.TRUSTED_PROXIES = 1
    make_member()
    tried = []

    def check(request, **credentials):
        tried.append(credentials["password"])

    monkeypatch.setattr(signing_in, "authenticate", check)
    codes = []
    for number in range(guesses):
        request = RequestFactory().post(
            "/auth", headers={"x-forwarded-for": f"1.1.1.1, 10.0.0.{number % 200}"}
        )
        with pytest.raises(Problem) as refusal:
            signing_in.check_credentials(request, email=email, password=f"guess-{number}")
        codes.append(refusal.value.code)

    assert codes == ["invalid_credentials"] * 5 + ["too_many_attempts"] * (guesses - 5)
    assert tried == [f"guess-{number}" for number in range(5)]


def test_password_set_by_link_opens_the_account_at_once():
    make_member()
    lock()
    post(Client(), "forgot")
    key = link_in_last_mail().rsplit("/", 1)[1]
    set_password_by_link(key=key, password="carmes-figurine-2027", language="fr")

    assert post(Client(), "signin", password="carmes-figurine-2027").status_code == 302
