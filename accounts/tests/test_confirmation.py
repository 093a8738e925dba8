"""Who opens the link of a confirmation mail owns the address: what a stranger prepared for them is not taken over."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import connections
from django.test import Client

from accounts.models import SignUp, User
from accounts.selectors import is_email_confirmed
from accounts.services.signing_up import confirm_sign_up, purge_sign_ups
from accounts.sign_ups import sign_up_key
from accounts.tests.people import (
    PASSWORD,
    link_in_last_mail,
    mails,
    make_member,
    post,
    sign_up,
    signed_in,
    text,
)
from shop.core.problems import Problem

pytestmark = pytest.mark.django_db

CHOSEN = "carmes-figurine-2027"
BAD_LINK = "Ce lien de confirmation n'est plus valable."


def choose(client, **fields):
    return client.post("/auth/confirmation", {"password": CHOSEN, "password_confirmation": CHOSEN, **fields})


def test_a_stranger_who_signed_up_with_the_address_gets_nothing(client):
    stranger = Client()
    post(stranger, "signup")
    link = link_in_last_mail()

    followed = client.get(link)
    assert (followed.status_code, followed["Location"]) == (302, "/auth/confirmation")
    assert followed["Referrer-Policy"] == "no-referrer"
    # Programs open links too: so far nothing is confirmed.
    assert User.objects.count() == 0
    page = client.get("/auth/confirmation")
    assert "no-store" in page["Cache-Control"]
    assert "client@example.com" in text(page)
    assert link.rsplit("/", 1)[1] not in text(page)

    done = choose(client)

    assert (done.status_code, done["Location"]) == (302, "/auth")
    assert "E-mail confirmé" in text(client.get("/auth"))
    user = User.objects.get()
    assert is_email_confirmed(user)
    assert user.check_password(CHOSEN)
    assert "E-mail ou mot de passe incorrect" in text(post(stranger, "signin"))
    assert not signed_in(stranger)
    assert stranger.get("/api/me").json()["authenticated"] is False
    assert post(client, "signin", password=CHOSEN).status_code == 302


def test_the_browser_that_signed_up_keeps_its_password(client):
    post(client, "signup")

    assert client.get(link_in_last_mail())["Location"] == "/auth"

    assert mails("account_welcome") == [("account_welcome", "client@example.com")]
    assert User.objects.get().check_password(PASSWORD)
    assert SignUp.objects.count() == 0
    assert post(client, "signin").status_code == 302


def test_a_browser_that_signed_up_as_well_does_not_bring_in_a_strangers_password(client):
    stranger = Client()
    post(stranger, "signup", password="mot-de-passe-du-voleur")
    link = link_in_last_mail()
    post(client, "signup")

    # The second mail is too soon after the first: the link in the mailbox is the stranger's.
    assert mails() == [("account_confirm_email", "client@example.com")]
    assert client.get(link)["Location"] == "/auth/confirmation"
    choose(client)

    assert User.objects.get().check_password(CHOSEN)
    assert SignUp.objects.count() == 0


def test_a_name_typed_by_a_stranger_is_not_the_owners(client):
    key = sign_up_key(sign_up(first_name="Mallory", last_name="Voleur"))
    client.get(f"/auth/confirmation/{key}")
    choose(client)

    user = User.objects.get()
    assert (user.first_name, user.last_name) == ("", "")


@pytest.mark.parametrize("same_browser", [True, False])
def test_a_link_is_good_once(client, same_browser):
    browser = client if same_browser else Client()
    post(browser, "signup")
    link = link_in_last_mail()
    client.get(link)
    if not same_browser:
        choose(client)
    password = User.objects.get().password

    for later in (client, Client()):
        assert later.get(link)["Location"] == "/auth"
        assert BAD_LINK in text(later.get("/auth"))
        assert choose(later)["Location"] == "/auth"
        assert later.get("/auth/confirmation")["Location"] == "/auth"
    assert User.objects.get().password == password


def test_an_account_made_meanwhile_ends_the_link(client):
    key = sign_up_key(sign_up())
    client.get(f"/auth/confirmation/{key}")
    make_member()

    assert choose(client)["Location"] == "/auth"
    assert User.objects.get().check_password(PASSWORD)


@pytest.mark.parametrize(
    ("typed", "again", "message"),
    [
        ("", "", "Veuillez remplir tous les champs"),
        ("court", "court", "Mot de passe trop court. Minimum 8 caractères"),
        (CHOSEN, "autre-chose-2027", "Veuillez confirmer le même mot de passe"),
        ("x" * 300, "x" * 300, "Mot de passe trop long. Maximum 256 caractères"),
    ],
)
def test_passwords_that_are_refused(client, typed, again, message):
    asked = sign_up()
    client.get(f"/auth/confirmation/{sign_up_key(asked)}")

    page = client.post("/auth/confirmation", {"password": typed, "password_confirmation": again})

    assert page.status_code == 200
    assert message in text(page)
    assert User.objects.count() == 0
    assert choose(client)["Location"] == "/auth"
    assert User.objects.count() == 1


def test_who_is_signed_in_with_another_account_is_told_in_the_member_area(client):
    client.force_login(make_member("other@example.com"))
    key = sign_up_key(sign_up())
    client.get(f"/auth/confirmation/{key}")

    done = choose(client)

    assert done["Location"] == "/espace-membre"
    assert "E-mail confirmé" in text(client.get("/espace-membre"))
    assert client.get("/api/me").json()["email"] == "other@example.com"


def test_a_new_password_by_mail_ends_what_was_before(client):
    """The other way to prove an address, for an account that a server command made without asking for a proof."""
    user = make_member(confirmed=False)
    other = Client()
    other.force_login(user)
    post(client, "forgot")
    client.get(link_in_last_mail())
    client.post("/auth/nouveau-mot-de-passe", {"password": CHOSEN, "password_confirmation": CHOSEN})

    user.refresh_from_db()
    assert is_email_confirmed(user)
    assert not user.check_password(PASSWORD)
    assert other.get("/api/me").json()["authenticated"] is False


def test_an_account_of_no_proved_address_is_sent_the_link_to_a_new_password(client):
    make_member(confirmed=False)

    assert "Votre e-mail n'est pas encore confirmé." in text(post(client, "signin"))
    assert not signed_in(client)
    assert mails() == [("account_password_reset", "client@example.com")]


def test_sign_ups_that_nobody_confirms_are_forgotten():
    asked = sign_up()

    assert purge_sign_ups(asked.created_at, 10) == 0
    assert purge_sign_ups(asked.created_at + timedelta(seconds=1), 10) == 1
    assert SignUp.objects.count() == 0


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_two_links_of_one_address_opened_at_once_make_one_account():
    keys = [sign_up_key(sign_up()) for _ in range(2)]
    barrier, outcomes = threading.Barrier(2), []

    def open_link(key):
        barrier.wait(10)
        try:
            outcomes.append(confirm_sign_up(key=key, password=f"{CHOSEN}-{key[:1]}", is_theirs=False).pk)
        except Problem as problem:
            outcomes.append(problem.code)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=open_link, args=(key,)) for key in keys]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert sorted(outcomes, key=str) == [User.objects.get().pk, "invalid_link"]
