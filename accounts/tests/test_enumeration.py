"""Nobody can find out by asking which addresses have an account."""

from __future__ import annotations

import html
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from accounts.tests.people import PASSWORD, deliver_mails, mails, make_member, sign_up, watch_hashing
from shop.core.models import OutgoingMail, ShopSettings

pytestmark = pytest.mark.django_db

KNOWN, UNKNOWN = "known@example.com", "nobody@example.com"


def ask(mode, email, password="carmes-atelier-2025"):
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


def test_signing_in_with_the_password_of_a_sign_up_tells_nothing():
    owner = make_member(KNOWN)
    typed = "typed-by-a-stranger"
    for email in (KNOWN, UNKNOWN):
        ask("signup", email, typed)

    assert ask("signin", KNOWN, typed) == ask("signin", UNKNOWN, typed)
    assert "Votre e-mail n'est pas encore confirmé" in html.unescape(ask("signin", KNOWN, typed)[2])
    assert mails() == [("account_exists", KNOWN), ("account_confirm_email", UNKNOWN)]
    owner.refresh_from_db()
    assert owner.last_login is None
    assert ask("signin", KNOWN, PASSWORD)[:2] == (302, "/")


def test_a_sign_up_with_a_known_address_becomes_a_mail_to_it():
    owner = make_member(KNOWN, language="de")
    before = owner.password

    ask("signup", KNOWN)

    owner.refresh_from_db()
    assert owner.password == before
    assert User.objects.count() == 1
    assert mails() == [("account_exists", KNOWN)]
    # In the owner's language, whatever the stranger's was.
    mail = OutgoingMail.objects.get()
    assert mail.language == "de"
    assert "Es gibt schon eines" in mail.text
    assert mail.context["reset_url"] == "http://localhost:8000/de/anmeldung?mode=forgot"


def test_a_reset_for_an_unknown_address_sends_nothing():
    ask("forgot", UNKNOWN)
    assert mails() == []


def test_weak_passwords_are_refused_before_the_address_is_looked_up():
    make_member(KNOWN)
    assert ask("signup", KNOWN, "court") == ask("signup", UNKNOWN, "court")
    assert mails() == []


@pytest.mark.parametrize("state", ["a member", "signed up"])
@pytest.mark.parametrize(("mode", "hashed"), [("signin", 2), ("signup", 1)])
def test_both_answers_hash_as_many_passwords(mode, hashed, state, settings, monkeypatch):
    """What takes the time is Argon2: it runs as often for a known address as for an unknown one. At a sign-in that
    fails, for the account and for the sign-up."""
    (sign_up if state == "signed up" else make_member)(KNOWN)
    runs = watch_hashing(settings, monkeypatch)
    counts = []
    for email in (KNOWN, UNKNOWN):
        runs.clear()
        ask(mode, email)
        counts.append(len(runs))

    assert counts == [hashed, hashed]


@pytest.mark.both_engines
@pytest.mark.parametrize("state", ["a member", "blocked", "not confirmed", "signed up"])
@pytest.mark.parametrize("mode", ["signup", "forgot"])
def test_the_request_makes_the_same_queries_whatever_the_address_is(mode, state):
    """The mail that follows, and whether there is one, is the worker's affair."""
    if state == "signed up":
        sign_up(KNOWN)
    else:
        member = make_member(KNOWN, confirmed=state != "not confirmed")
        User.objects.filter(pk=member.pk).update(is_active=state != "blocked")
    made = []
    # The cache holds them for both.
    ShopSettings.load()
    for email, caller in ((UNKNOWN, "10.0.0.1"), (KNOWN, "10.0.0.2")):
        with CaptureQueriesContext(connection) as queries:
            Client(REMOTE_ADDR=caller).post("/auth", {"mode": mode, "email": email, "password": PASSWORD})
        made.append([re.sub(r"'[^']*'|\"s\d+_x\d+\"|\b\d+\b", "?", query["sql"]) for query in queries])

    assert made[0] == made[1]
    assert OutgoingMail.objects.filter(to__in=[KNOWN, UNKNOWN], state="queued").count() >= 2


def test_both_addresses_of_a_reset_hash_nothing(monkeypatch):
    make_member(KNOWN)
    for name in ("make_password", "check_password"):
        monkeypatch.setattr(f"django.contrib.auth.hashers.{name}", lambda *_args, **_kwargs: 1 / 0)

    assert ask("forgot", KNOWN) == ask("forgot", UNKNOWN)


def test_a_mail_to_nobody_leaves_no_row():
    ask("forgot", UNKNOWN)
    assert OutgoingMail.objects.filter(to=UNKNOWN).count() == 1

    deliver_mails()

    assert OutgoingMail.objects.count() == 0


def test_who_signed_up_and_forgot_the_password_is_sent_the_confirmation():
    sign_up(KNOWN)
    OutgoingMail.objects.all().delete()

    ask("forgot", KNOWN)

    assert mails() == [("account_confirm_email", KNOWN)]
