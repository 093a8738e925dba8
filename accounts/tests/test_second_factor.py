"""The second factor: added, asked for at sign-in, used once, lost."""

from __future__ import annotations

import re
import time

import pytest
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import User
from accounts.services.second_factor import (
    check_code,
    remove_factor,
    rename_passkey,
    unused_recovery_codes,
)
from accounts.tests.people import (
    PASSWORD,
    add_app,
    app_code,
    mails,
    make_admin,
    make_member,
    post,
    prove,
    signed_in,
    text,
)
from shop.core.models import AuditEntry, OutgoingMail
from shop.core.problems import Problem

pytestmark = pytest.mark.django_db

STEP = "/auth/seconde-etape"
SECURITY = "/espace-membre/securite"
APP = f"{SECURITY}/application"
WRONG = "Code incorrect ou déjà utilisé"
LIMITED = "Trop de tentatives de connexion. Réessayez dans quelques minutes."


@pytest.fixture(autouse=True)
def within_a_step(time_machine):
    """No code changes while a test types it."""
    time_machine.move_to(int(time.time()) // 30 * 30 + 5)


@pytest.fixture
def member():
    # Somebody else's second factor, found first wherever nobody asks whose it is.
    add_app(make_member("autre@example.com"))
    return make_member()


def held(user):
    return Authenticator.objects.filter(user=user)


@pytest.fixture
def secret(member):
    return add_app(member)


@pytest.fixture
def half(client, member, secret):
    """A browser that sent the right password and waits at the second step."""
    assert post(client, "signin")["Location"] == STEP
    return client


def audit(subject):
    return list(
        AuditEntry.objects.filter(subject_id=str(subject.pk)).values_list("action", "before", "after")
    )


def test_from_the_image_to_the_first_code(client, member):
    client.force_login(member)
    prove(client, member)

    page = text(client.get(APP))
    assert 'src="data:image/svg+xml;base64,' in page
    secret = re.search(r'class="secret">([A-Z2-7 ]+)<', page)[1].replace(" ", "")
    assert f"secret={secret}" in page
    # Nothing counts before its code was typed.
    assert WRONG in text(client.post(APP, {"code": "000000"}))
    assert not held(member).exists()

    code = app_code(secret)
    done = client.post(APP, {"code": f" {code[:3]} {code[3:]} "})

    assert done["Location"] == f"{SECURITY}/codes"
    codes = unused_recovery_codes(member)
    assert len(codes) == 10
    shown = text(client.get(f"{SECURITY}/codes"))
    assert all(code in shown for code in codes)
    download = client.get(f"{SECURITY}/codes/fichier")
    assert download["Content-Disposition"] == 'attachment; filename="codes-de-secours.txt"'
    assert download.content.decode().split("\r\n")[2:12] == codes
    assert audit(member) == [("second_factor.added", {}, {"type": "totp"})]
    assert mails() == [("account_second_factor", "client@example.com")]
    stored = str(list(held(member).values_list("data", flat=True)))
    assert secret not in stored


def test_recovery_codes_are_shown_for_ten_minutes_and_in_no_other_session(
    client, member, secret, time_machine
):
    client.force_login(member)
    prove(client, member, "mfa")
    old = unused_recovery_codes(member)
    assert client.get(f"{SECURITY}/codes")["Location"] == SECURITY

    assert client.post(f"{SECURITY}/codes")["Location"] == f"{SECURITY}/codes"

    new = unused_recovery_codes(member)
    assert set(old).isdisjoint(new)
    assert new[0] in text(client.get(f"{SECURITY}/codes"))
    other = Client()
    other.force_login(member)
    assert other.get(f"{SECURITY}/codes")["Location"] == SECURITY
    assert other.get(f"{SECURITY}/codes/fichier")["Location"] == SECURITY
    time_machine.move_to(time.time() + 601)
    assert client.get(f"{SECURITY}/codes")["Location"] == SECURITY


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
    half.post(STEP, {"code": app_code(secret)})

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


def test_removing_the_app_takes_the_recovery_codes_along(client, member, secret):
    client.force_login(member)
    prove(client, member, "mfa")

    client.post(f"{SECURITY}/codes")

    assert client.post(APP, {"action": "remove"})["Location"] == SECURITY

    assert not held(member).exists()
    assert client.get(f"{SECURITY}/codes")["Location"] == SECURITY
    assert audit(member) == [
        ("second_factor.removed", {"type": "totp"}, {}),
        ("second_factor.codes_replaced", {}, {}),
    ]
    assert mails() == [("account_second_factor", "client@example.com")] * 2
    assert post(Client(), "signin")["Location"] == "/"


def test_a_second_app_is_not_added(client, member, secret):
    client.force_login(member)
    prove(client, member, "mfa")

    assert client.get(APP)["Location"] == SECURITY
    client.get(f"{SECURITY}/cle-d-acces")
    session = client.session
    session["mfa.totp.secret"] = "JBSWY3DPEHPK3PXP"
    session.save()
    assert client.post(APP, {"code": app_code("JBSWY3DPEHPK3PXP")})["Location"] == SECURITY
    assert held(member).filter(type="totp").count() == 1


def test_an_open_session_alone_changes_no_second_factor(client, member, secret):
    client.force_login(member)

    for address, body in ((APP, {"action": "remove"}), (f"{SECURITY}/codes", {})):
        page = client.post(address, body)
        assert "Confirmez que c'est bien vous" in text(page)
    assert client.get(f"{SECURITY}/cle-d-acces")["Location"] == (
        "/espace-membre/confirmer?next=%2Fespace-membre%2Fsecurite%2Fcle-d-acces"
    )
    options = client.post(f"{SECURITY}/cle-d-acces/options")
    assert (options.status_code, options.json()["code"]) == (403, "reauthentication_required")
    assert held(member).count() == 2


def test_a_lost_secret_key_refuses_codes_and_breaks_nothing(half, member, secret, settings):
    settings.SECRET_KEY_FALLBACKS = []
    stored = held(member).get(type="totp")
    stored.data["secret"] = "gAAAA-not-ours"
    stored.save()

    # Of what can't be read nothing is left, and anybody can compute the code of an empty secret.
    for code in (app_code(secret), app_code("")):
        assert WRONG in text(half.post(STEP, {"code": code}))


def test_a_passkey_is_no_code_and_is_renamed_and_removed_alone(member, secret):
    first, second = (
        held(member).create(user=member, type="webauthn", data={"name": name, "credential": {}})
        for name in ("Maison", "Clé")
    )
    with pytest.raises(Problem) as refused:
        check_code(member, "000000")
    assert refused.value.code == "incorrect_code"
    assert check_code(member, app_code(secret)).type == "totp"

    rename_passkey(member, second.pk, " Bureau ")
    rename_passkey(member, second.pk, " ")
    names = [row.data["name"] for row in held(member).filter(type="webauthn").order_by("pk")]
    assert names == ["Maison", "Bureau"]
    with pytest.raises(Problem) as refused:
        rename_passkey(User.objects.get(email="autre@example.com"), second.pk, "Volée")
    assert refused.value.status == 404
    remove_factor(member, "webauthn", second.pk)
    assert list(held(member).filter(type="webauthn")) == [first]
    assert len(unused_recovery_codes(member)) == 10


def test_who_lost_everything_is_helped_by_a_server_command(member, secret, capsys):
    call_command("reset_second_factor", "CLIENT@example.com")
    assert capsys.readouterr().out == "2 removed from client@example.com.\n"
    assert (held(member).count(), Authenticator.objects.count()) == (0, 2)
    assert audit(member) == [("second_factor.reset", {"types": ["recovery_codes", "totp"]}, {})]
    assert OutgoingMail.objects.get().context["change"] == "reset"

    call_command("reset_second_factor", "client@example.com")
    assert capsys.readouterr().out == "client@example.com had none.\n"
    assert OutgoingMail.objects.count() == 1
    with pytest.raises(CommandError):
        call_command("reset_second_factor", "nobody@example.com")


# --- Staff ------------------------------------------------------------------------------------------
def test_staff_without_a_second_factor_are_led_to_set_it_up_and_may_nothing_before(client, settings):
    settings.STAFF_SECOND_FACTOR = True
    admin = make_admin()

    done = post(client, "signin", email="admin@example.com", next="/gestion/")

    assert done["Location"] == "/espace-membre/securite?next=%2Fgestion%2F"
    page = text(client.get(done["Location"]))
    assert "Une seconde étape est nécessaire" in page
    closed = client.get("/gestion/", follow=True)
    assert closed.redirect_chain[-1] == ("/espace-membre/securite?next=%2Fgestion%2F", 302)
    refused = client.get("/api/admin/orders")
    assert (refused.status_code, refused.json()["code"]) == (403, "second_factor_missing")
    assert refused.json()["setup_url"] == SECURITY
    # Members' own pages stay open to them.
    assert client.get("/espace-membre").status_code == 200

    client.get(APP)
    secret = client.session["mfa.totp.secret"]
    assert client.post(APP, {"code": app_code(secret)})["Location"] == f"{SECURITY}/codes"
    assert 'href="/gestion/"' in text(client.get(f"{SECURITY}/codes"))
    assert client.get("/gestion/").status_code == 200
    assert client.get("/api/admin/orders").status_code == 200

    call_command("reset_second_factor", admin.email)
    assert client.get("/api/admin/orders").status_code == 401


def test_staff_need_none_where_the_setting_is_off(client, settings):
    settings.STAFF_SECOND_FACTOR = False
    make_admin()

    assert post(client, "signin", email="admin@example.com", next="/gestion/")["Location"] == "/gestion/"
    assert client.get("/gestion/").status_code == 200


def test_a_public_page_and_a_visitor_cost_no_query_more(client, settings, django_assert_num_queries):
    settings.STAFF_SECOND_FACTOR = True
    with django_assert_num_queries(0):
        client.get("/api/me")


def test_a_member_costs_no_query_more(client, member, settings, django_assert_num_queries):
    settings.STAFF_SECOND_FACTOR = True
    client.force_login(member)
    client.get("/api/me")
    # Session, person, role, favourites, the version of the cart.
    with django_assert_num_queries(5):
        client.get("/api/me")


def test_the_password_is_not_asked_for_where_there_is_a_second_factor(client, member, secret):
    client.force_login(member)
    page = text(client.post(APP, {"action": "remove"}))
    assert 'name="proof_code"' in page
    assert "proof_password" not in page

    client.post(APP, {"action": "remove", "proof_password": PASSWORD})
    assert held(member).count() == 2
    done = client.post(APP, {"action": "remove", "proof_code": app_code(secret)})
    assert done["Location"] == SECURITY
    assert not held(member).exists()
