"""Nobody can find out by asking which addresses have an account."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from accounts.models import User
from accounts.tests.people import mails, make_member

pytestmark = pytest.mark.django_db

KNOWN, UNKNOWN = "known@example.com", "nobody@example.com"


def ask(mode, email, password="figurine-atelier-2025"):
    """Status, address and bodies of the answer and of the page it leads to, freed of token and address."""
    client = Client()
    answer = client.post("/auth", {"mode": mode, "email": email, "password": password})
    page = client.get(answer["Location"]) if answer.status_code == 302 else answer
    body = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page.content.decode()).replace(email, "")
    cookies = sorted((name, bool(morsel.value)) for name, morsel in answer.cookies.items())
    return answer.status_code, answer.get("Location"), body, cookies


@pytest.mark.parametrize("confirmed", [True, False])
@pytest.mark.parametrize("mode", ["signin", "signup", "forgot"])
def test_known_and_unknown_addresses_get_the_same_answer(mode, confirmed):
    make_member(KNOWN, confirmed=confirmed)

    assert ask(mode, KNOWN) == ask(mode, UNKNOWN)


def test_a_sign_up_with_a_known_address_becomes_a_mail_to_it():
    owner = make_member(KNOWN)
    before = owner.password

    ask("signup", KNOWN)

    owner.refresh_from_db()
    assert owner.password == before
    assert User.objects.count() == 1
    assert mails() == [("account_exists", KNOWN)]


def test_a_reset_for_an_unknown_address_sends_nothing():
    ask("forgot", UNKNOWN)
    assert mails() == []


def test_weak_passwords_are_refused_before_the_address_is_looked_up():
    make_member(KNOWN)
    assert ask("signup", KNOWN, "court") == ask("signup", UNKNOWN, "court")
    assert mails() == []


@pytest.mark.parametrize("mode", ["signin", "signup"])
def test_both_answers_hash_one_password(mode, settings, monkeypatch):
    """What takes the time is Argon2: it runs once for a known address and once for an unknown one."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
    from django.contrib.auth.hashers import Argon2PasswordHasher

    make_member(KNOWN)
    runs = []
    for name in ("encode", "verify"):
        original = getattr(Argon2PasswordHasher, name)
        monkeypatch.setattr(
            Argon2PasswordHasher,
            name,
            lambda self, *args, _run=original: runs.append(1) or _run(self, *args),
        )
    counts = []
    for email in (KNOWN, UNKNOWN):
        runs.clear()
        ask(mode, email)
        counts.append(len(runs))

    assert counts == [1, 1]


def test_resets_differ_by_one_mail_row(django_assert_num_queries):
    """Neither hashes anything. Both: the caller's count (2), the address's count (2), the account
    (1), the session that keeps the notice (4). Known: two looks at the addresses for the link, one mail row."""
    make_member(KNOWN)
    for email, more, caller in ((UNKNOWN, 0, "10.0.0.1"), (KNOWN, 3, "10.0.0.2")):
        client = Client(REMOTE_ADDR=caller)
        with django_assert_num_queries(9 + more):
            client.post("/auth", {"mode": "forgot", "email": email})
