"""Limits of tries: by account, by caller, whatever headers say."""

from __future__ import annotations

import pytest
from django.contrib.auth import SESSION_KEY
from django.utils import timezone

from accounts.tests.people import PASSWORD, mails, make_member, sign_up

pytestmark = pytest.mark.django_db

LIMITED = "Trop de tentatives de connexion. Réessayez dans quelques minutes."
WRONG = "E-mail ou mot de passe incorrect"


def sign_in(client, password, email="client@example.com", **extra):
    return client.post("/auth", {"mode": "signin", "email": email, "password": password}, **extra)


def test_five_guesses_an_account_from_however_many_addresses(client):
    make_member()
    answers = [
        sign_in(client, f"guess-number-{number}", headers={"x-forwarded-for": f"10.0.0.{number}"})
        for number in range(50)
    ]

    assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 45
    assert all(WRONG in answer.content.decode() for answer in answers[:5])
    assert all(LIMITED in answer.content.decode() for answer in answers[5:])
    # Not even the right password is tried now, so a guesser learns nothing.
    assert sign_in(client, PASSWORD).status_code == 429
    assert SESSION_KEY not in client.session


def test_unknown_addresses_are_limited_alike(client):
    answers = [sign_in(client, "guess", email="nobody@example.com").status_code for _ in range(6)]

    assert answers == [200] * 5 + [429]


def test_the_owner_is_back_after_five_minutes(client, time_machine):
    make_member()
    for _ in range(6):
        sign_in(client, "wrong")

    time_machine.move_to(timezone.now().timestamp() + 301)
    assert sign_in(client, PASSWORD).status_code == 302


def test_one_password_on_many_accounts_is_limited_by_caller(client, settings):
    settings.LIMITS = {"sign-in-network": 10}
    answers = [sign_in(client, "guess", email=f"n{number}@example.com").status_code for number in range(12)]

    assert answers == [200] * 10 + [429] * 2


def test_fifty_honest_members_behind_one_address_are_let_in(client, settings):
    settings.LIMITS = {"sign-in-network": 10}
    for number in range(50):
        make_member(f"n{number}@example.com")

    for number in range(50):
        assert sign_in(type(client)(), PASSWORD, email=f"n{number}@example.com").status_code == 302


def test_the_address_of_a_trusted_proxy_is_believed(client, settings):
    settings.TRUSTED_PROXIES = 1
    settings.LIMITS = {"sign-in-network": 1}

    def status(forwarded, email):
        return sign_in(client, "guess", email=email, headers={"x-forwarded-for": forwarded}).status_code

    assert status("1.1.1.1, 9.9.9.9", "a@example.com") == 200
    # What the client wrote before the proxy's own entry changes nothing.
    assert status("2.2.2.2, 9.9.9.9", "b@example.com") == 429
    assert status("1.1.1.1, 8.8.8.8", "c@example.com") == 200


@pytest.mark.parametrize("mode", ["signup", "forgot"])
def test_sign_ups_and_resets_are_limited_by_caller(client, mode):
    codes = [
        client.post(
            "/auth", {"mode": mode, "email": f"n{number}@example.com", "password": "court"}
        ).status_code
        for number in range(21)
    ]

    assert codes[-1] == 429
    assert 429 not in codes[:20]


def test_a_victims_mailbox_is_not_flooded(client):
    make_member()
    for _ in range(20):
        client.post("/auth", {"mode": "forgot", "email": "client@example.com"})
    for _ in range(19):
        client.post("/auth", {"mode": "signup", "email": "client@example.com", "password": PASSWORD})

    assert mails() == [
        ("account_password_reset", "client@example.com"),
        ("account_exists", "client@example.com"),
    ]


def test_who_has_not_confirmed_gets_one_mail_in_three_minutes(client, time_machine):
    sign_up()
    for _ in range(3):
        sign_in(client, PASSWORD)
    assert mails() == [("account_confirm_email", "client@example.com")]

    time_machine.move_to(timezone.now().timestamp() + 181)
    sign_in(client, PASSWORD)
    assert len(mails()) == 2


def test_limits_hold_while_the_cache_is_down(client, settings):
    nothing_kept = {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}
    settings.CACHES = {"default": nothing_kept, "shared": nothing_kept}
    make_member()

    assert [sign_in(client, "wrong").status_code for _ in range(6)] == [200] * 5 + [429]
