"""The second step of a sign-in: which code opens it, once, and where it leads."""

from __future__ import annotations

import time

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.models import User
from accounts.services.second_factor import unused_recovery_codes
from accounts.tests.people import app_code, post, prove, signed_in, text
from accounts.tests.second_factor.factors import APP, SECURITY, STEP, WRONG, held
from shop.core.models import OutgoingMail

pytestmark = pytest.mark.django_db

LIMITED = "Trop de tentatives de connexion. Réessayez dans quelques minutes."


def test_the_right_password_alone_opens_nothing(half):
    assert not signed_in(half)
    assert half.get("/api/me").json()["authenticated"] is False
    for page in ("/espace-membre", SECURITY, APP):
        assert half.get(page)["Location"].startswith("/auth?next=")
    assert half.post(f"{SECURITY}/codes")["Location"].startswith("/auth?next=")
    assert "member" not in half.cookies
    assert "device" not in half.cookies


@pytest.mark.parametrize("step", [-1, 0, 1])
def test_the_code_of_now_and_those_beside_it_sign_in(half, member, secret, step):
    key = half.session.session_key
    done = half.post(STEP, {"code": app_code(secret, step)})

    assert (done.status_code, done["Location"]) == (302, "/")
    assert signed_in(half)
    assert half.session.session_key != key
    assert (half.cookies["member"].value, half.cookies["notice"].value) == ("1", "signed_in")


@pytest.mark.parametrize("step", [-2, 2])
def test_a_code_further_away_is_refused(half, secret, step):
    page = half.post(STEP, {"code": app_code(secret, step)})

    assert WRONG in text(page)
    assert not signed_in(half)


@pytest.mark.parametrize("code", ["", "abc", "1" * 500, "٠٠٠٠٠٠", "\0", "000000"])
def test_what_is_no_code_is_refused_and_may_be_typed_again(half, secret, code):
    assert WRONG in text(half.post(STEP, {"code": code}))
    assert half.post(STEP, {"code": app_code(secret)}).status_code == 302


def test_the_same_code_twice_is_refused(half, secret):
    code = app_code(secret)
    assert half.post(STEP, {"code": code}).status_code == 302
    again = Client()
    post(again, "signin")

    assert WRONG in text(again.post(STEP, {"code": f"{code[:3]}-{code[3:]}"}))
    assert not signed_in(again)


def test_the_same_code_twice_is_refused_while_the_cache_forgets(half, secret):
    code = app_code(secret)
    assert half.post(STEP, {"code": code}).status_code == 302
    cache.clear()
    again = Client()
    post(again, "signin")

    assert WRONG in text(again.post(STEP, {"code": code}))


def test_limits_hold_and_nothing_breaks_while_the_cache_is_away(client, member, secret, settings):
    nothing_kept = {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}
    settings.CACHES = {"default": nothing_kept, "shared": nothing_kept}
    post(client, "signin")
    code = app_code(secret)
    assert client.post(STEP, {"code": code}).status_code == 302
    again = Client()
    post(again, "signin")

    assert WRONG in text(again.post(STEP, {"code": code}))
    answers = [again.post(STEP, {"code": f"{number:06}"}).status_code for number in range(6)]
    assert answers == [200] * 4 + [429] * 2


def test_of_a_hundred_codes_five_are_looked_at(half, member, secret, monkeypatch, time_machine):
    looked = []
    monkeypatch.setattr(
        "accounts.services.second_factor.validate_totp_code", lambda _secret, code: bool(looked.append(code))
    )
    answers = [half.post(STEP, {"code": f"{number:06}"}).status_code for number in range(100)]

    assert answers == [200] * 5 + [429] * 95
    assert looked == [f"{number:06}" for number in range(5)]
    refused = half.post(STEP, {"code": unused_recovery_codes(member)[0]})
    assert LIMITED in text(refused)
    assert 0 < int(refused["Retry-After"]) <= 300
    monkeypatch.undo()
    time_machine.move_to(time.time() + 301)
    assert half.post(STEP, {"code": app_code(secret)}).status_code == 302


def test_a_recovery_code_signs_in_once(half, member):
    code = unused_recovery_codes(member)[3]
    assert half.post(STEP, {"code": code}).status_code == 302
    assert signed_in(half)
    again = Client()
    post(again, "signin")

    assert WRONG in text(again.post(STEP, {"code": code}))
    assert code not in unused_recovery_codes(member)
    assert len(unused_recovery_codes(member)) == 9


def test_the_second_step_ends_after_fifteen_minutes(half, secret, time_machine):
    time_machine.move_to(time.time() + 901)

    assert half.post(STEP, {"code": app_code(secret)})["Location"] == "/auth"
    assert "Recommencez." in text(half.get("/auth"))
    assert not signed_in(half)


def test_the_second_step_ends_when_the_password_changes_meanwhile(half, member, secret):
    member.set_password("another-figurine-2027")
    member.save()

    assert half.post(STEP, {"code": app_code(secret)})["Location"] == "/auth"
    assert not signed_in(half)


def test_who_was_blocked_meanwhile_does_not_get_in(half, member, secret):
    User.objects.filter(pk=member.pk).update(is_active=False)
    answer = half.post(STEP, {"code": app_code(secret)})

    assert answer["Location"] == "/auth"
    assert "notice" not in answer.cookies
    assert not OutgoingMail.objects.filter(kind="account_new_device").exists()
    assert half.get("/api/me").json()["authenticated"] is False


def test_without_a_password_before_it_the_second_step_leads_to_sign_in(client):
    assert client.get(STEP)["Location"] == "/auth"
    assert client.post(STEP, {"code": "123456"})["Location"] == "/auth"


FOREIGN = [
    *(
        "https://evil.test/",
        "//evil.test",
        "///evil.test",
        "/\\evil.test",
        "\\\\evil.test",
        "https:evil.test",
    ),
    *(
        "/%09/evil.test\t",
        "javascript:alert(1)",
        "data:text/html,x",
        "evil.test",
        "/\tevil",
        "http://localhost:8000/",
    ),
    *(" //evil.test", "/a\nb", "/" + "a" * 2001),
]


@pytest.mark.parametrize("target", FOREIGN)
def test_the_second_step_leads_to_pages_of_this_shop_only(client, member, secret, target):
    post(client, "signin", next=target)
    assert client.post(STEP, {"code": app_code(secret)})["Location"] == "/"

    prove(client, member, "mfa")
    confirm = client.get("/espace-membre/confirmer", {"next": target})
    assert confirm["Location"] == SECURITY
    client.get(SECURITY, {"next": target})
    assert "after_set_up" not in client.session


def test_the_second_step_leads_on_to_the_page_that_was_asked_for(client, secret):
    post(client, "signin", next="/panier")
    assert client.post(STEP, {"code": app_code(secret)})["Location"] == "/panier"


def test_a_lost_secret_key_refuses_codes_and_breaks_nothing(half, member, secret, settings):
    settings.SECRET_KEY_FALLBACKS = []
    stored = held(member).get(type="totp")
    stored.data["secret"] = "gAAAA-not-ours"
    stored.save()

    # Of what can't be read nothing is left, and anybody can compute the code of an empty secret.
    for code in (app_code(secret), app_code("")):
        assert WRONG in text(half.post(STEP, {"code": code}))
