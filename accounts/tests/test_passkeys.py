"""Passkeys, answered by a key of the test's own: who gets in, and what a stolen or foreign key does not open."""

from __future__ import annotations

import json
import re

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client

from accounts.models import User
from accounts.tests.passkeys import NEW, OPTIONS, SIGN_IN, Flag, Passkey
from accounts.tests.people import make_member, post, prove, signed_in, text

pytestmark = pytest.mark.django_db

REFUSED = "Cette clé d'accès n'a pas pu être vérifiée."
STEP = "/auth/seconde-etape"


@pytest.fixture(autouse=True)
def public_shop(settings):
    """The demonstration on one's own machine takes any address."""
    settings.MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = False


@pytest.fixture
def member() -> User:
    return make_member()


@pytest.fixture
def browser(member: User) -> Client:
    return browser_of(member)


def browser_of(user: User) -> Client:
    """Theirs, signed in, and just asked who they are."""
    client = Client()
    post(client, "signin", email=user.email)
    prove(client, user)
    return client


@pytest.fixture
def passkey(member: User, browser: Client) -> Passkey:
    """Of the member, stored by the page."""
    made = Passkey(member)
    assert add(browser, made).status_code == 302
    return made


def add(browser: Client, passkey: Passkey, **flags):
    return browser.post(NEW, {"name": "Clé", "credential": passkey.make(browser, **flags)})


def stored() -> int:
    return Authenticator.objects.filter(type="webauthn").count()


def enter(client: Client, credential: str) -> bool:
    """Tries to sign in with a passkey alone."""
    answer = client.post(SIGN_IN, {"credential": credential})
    if not signed_in(client):
        assert answer["Location"] == "/auth"
        assert REFUSED in text(client.get("/auth"))
    return signed_in(client)


def whose(client: Client) -> str:
    return str(client.session["_auth_user_id"])


# --- Making one --------------------------------------------------------------------------------------------


def test_a_passkey_signs_in_alone_and_is_both_factors(member, passkey):
    client = Client()
    assert enter(client, passkey.sign(client))
    assert whose(client) == str(member.pk)
    assert client.get("/espace-membre/securite").status_code == 200


def test_one_that_did_not_prove_its_owner_is_not_stored(member, browser):
    answer = add(browser, Passkey(member), flags=Flag.UP)
    assert REFUSED in text(answer)
    assert stored() == 0


@pytest.mark.parametrize("site", [{"origin": "https://evil.test"}, {"rp_id": "evil.test"}])
def test_one_made_for_another_site_is_not_stored(member, browser, site):
    assert REFUSED in text(add(browser, Passkey(member, **site)))
    assert stored() == 0


def test_one_made_for_another_browser_s_challenge_is_not_stored(member, browser):
    credential = Passkey(member).make(browser_of(member))
    browser.post(f"{NEW}/options")
    assert REFUSED in text(browser.post(NEW, {"name": "Clé", "credential": credential}))
    assert stored() == 0


def test_an_account_has_ten_at_most(member, browser):
    for _ in range(10):
        assert add(browser, Passkey(member)).status_code == 302
    assert "Ce compte a déjà dix clés d'accès." in text(add(browser, Passkey(member)))
    assert stored() == 10


def test_who_they_are_is_asked_again_before_one_is_stored(member, browser):
    credential = Passkey(member).make(browser)
    session = browser.session
    del session["account_authentication_methods"]
    session.save()
    answer = browser.post(NEW, {"name": "Clé", "credential": credential})
    assert answer["Location"] == "/espace-membre/confirmer?next=%2Fespace-membre%2Fsecurite%2Fcle-d-acces"
    assert stored() == 0


# --- Signing in --------------------------------------------------------------------------------------------


def test_a_stolen_key_without_its_pin_opens_nothing(passkey):
    client = Client()
    assert not enter(client, passkey.sign(client, Flag.UP))


def test_nor_with_the_challenge_of_a_second_step(passkey):
    """Of an account of the thief's own, whose second step might have asked for less."""
    thief = make_member("voleur@example.com")
    assert add(browser_of(thief), Passkey(thief)).status_code == 302
    client = Client()
    assert post(client, "signin", email=thief.email)["Location"].startswith(STEP)
    assert not enter(client, passkey.sign(client, Flag.UP))


@pytest.mark.parametrize("site", [{"origin": "https://evil.test"}, {"rp_id": "evil.test"}])
def test_a_signature_for_another_site_opens_nothing(passkey, site):
    client = Client()
    forged = Passkey(passkey.user, secret=passkey.secret, id=passkey.id, **site)
    assert not enter(client, forged.sign(client))


def test_a_signature_counts_once(passkey):
    client, other = Client(), Client()
    challenge = client.post(OPTIONS).json()["publicKey"]["challenge"]
    signature = passkey.sign_challenge(challenge)
    other.post(OPTIONS)
    assert not enter(other, signature)
    assert enter(client, signature)
    client.post("/auth/deconnexion")
    client.post(OPTIONS)
    assert not enter(client, signature)


def test_a_passkey_opens_its_owner_s_account_alone(passkey):
    victim = make_member("victime@example.com")
    client = Client()
    assert not enter(client, passkey.sign(client, user=victim))
    # Nor one that nobody stored, under the number of the key that is.
    forged = Passkey(passkey.user, id=passkey.id)
    assert not enter(client, forged.sign(client))


def test_a_blocked_account_stays_closed(member, passkey):
    User.objects.filter(pk=member.pk).update(is_active=False)
    client = Client()
    assert not enter(client, passkey.sign(client))


def test_a_passkey_that_was_removed_opens_nothing(passkey):
    Authenticator.objects.filter(type="webauthn").delete()
    client = Client()
    assert not enter(client, passkey.sign(client))


@pytest.mark.parametrize("part", ["signature", "authenticatorData", "clientDataJSON", "userHandle"])
def test_a_changed_answer_opens_nothing(passkey, part):
    client = Client()
    answer = json.loads(passkey.sign(client))
    value = answer["response"][part]
    answer["response"][part] = ("B" if value[0] == "A" else "A") + value[1:]
    assert not enter(client, json.dumps(answer))


# --- As the second step ------------------------------------------------------------------------------------


def test_it_is_asked_for_after_the_password_and_lets_in(member, passkey):
    client = Client()
    assert post(client, "signin")["Location"].startswith(STEP)
    assert not signed_in(client)
    client.post(STEP, {"credential": passkey.sign(client)})
    assert whose(client) == str(member.pk)


def test_another_person_s_passkey_is_no_second_step(passkey):
    other = make_member("autre@example.com")
    foreign = Passkey(other)
    assert add(browser_of(other), foreign).status_code == 302
    client = Client()
    post(client, "signin")
    for credential in (foreign.sign(client), foreign.sign(client, user=passkey.user)):
        answer = client.post(STEP, {"credential": credential})
        assert REFUSED in text(answer)
        assert not signed_in(client)


def test_who_is_asked_before_a_passkey_goes_may_choose_another_language(member, passkey, browser):
    browser.cookies.pop("sessionid")
    browser.force_login(member)
    page = text(browser.post(f"{NEW}/{Authenticator.objects.get(type='webauthn').pk}", {"action": "remove"}))
    assert "Confirmez que c'est bien vous" in page
    german = re.search(r'<a href="([^"]+)" hreflang="de"', page)[1]
    assert browser.get(german)["Location"] == "/de/kundenkonto/sicherheit"
    assert stored() == 1
