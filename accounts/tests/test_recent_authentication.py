"""Asked again who one is: before a change of roles, and on the page to which calls lead."""

from __future__ import annotations

import time

import pytest
from django.test import Client

from accounts.models import EmailChange
from accounts.recent_authentication import is_recent
from accounts.selectors import roles_of
from accounts.tests.people import (
    PASSWORD,
    add_app,
    app_code,
    mails,
    make_admin,
    make_member,
    post,
    prove,
    text,
)

pytestmark = pytest.mark.django_db

ROLE = "/admin/utilisateurs/{}/role"
CONFIRM = "/espace-membre/confirmer"
SECURITY = "/espace-membre/securite"
NEW = "autre-figurine-2027"
ASKED = "Confirmez que c'est bien vous"


@pytest.fixture
def admin(client):
    user = make_admin()
    client.force_login(user)
    return user


@pytest.fixture
def person():
    return make_member("one@example.com")


def promote(client, person, **fields):
    return client.post(ROLE.format(person.pk), {"role": "staff", "seen": "user", "confirmed": "1", **fields})


def test_a_role_is_changed_after_the_password_was_typed_again(client, admin, person):
    page = promote(client, person)

    assert ASKED in text(page)
    for name, value in (("role", "staff"), ("seen", "user"), ("confirmed", "1")):
        assert f'name="{name}" value="{value}"' in text(page)
    assert f'action="{ROLE.format(person.pk)}"' in text(page)
    assert "no-store" in page["Cache-Control"]
    assert roles_of(person) == ["user"]

    wrong = promote(client, person, proof_password="wrong")
    assert "Mot de passe incorrect" in text(wrong)
    assert 'name="role" value="staff"' in text(wrong)
    assert "wrong" not in text(wrong).split("</form>")[0]
    assert roles_of(person) == ["user"]
    missing = text(promote(client, person, proof_password=""))
    assert ["Indiquez votre mot de passe." in missing, "Mot de passe incorrect" in missing] == [True, False]

    assert promote(client, person, proof_password=PASSWORD).status_code == 302
    assert roles_of(person) == ["staff"]


def test_a_role_is_changed_with_the_second_factor_where_there_is_one(client, admin, person):
    secret = add_app(admin)
    prove(client, admin, "password")

    assert 'name="proof_code"' in text(promote(client, person))
    assert ASKED in text(promote(client, person, proof_password=PASSWORD))
    assert ASKED in text(promote(client, person, proof_code="000000"))
    assert roles_of(person) == ["user"]

    assert promote(client, person, proof_code=app_code(secret)).status_code == 302
    assert roles_of(person) == ["staff"]


def test_signing_in_counts_for_ten_minutes(client, person, time_machine):
    other = make_member("two@example.com")
    make_admin()
    post(client, "signin", email="admin@example.com")
    assert promote(client, person).status_code == 302
    time_machine.move_to(time.time() + 601)

    assert ASKED in text(promote(client, other))
    assert roles_of(other) == ["user"]


def test_a_proof_that_a_clock_ahead_dated_counts_nothing_after_its_correction(
    client, rf, admin, time_machine
):
    prove(client, admin)
    request = rf.get("/")
    request.session, request.user = client.session, admin
    now = time.time()
    time_machine.move_to(now - 599)
    assert is_recent(request)
    time_machine.move_to(now - 601)
    assert not is_recent(request)


def test_the_proof_of_somebody_else_counts_nothing(client, rf, admin):
    other = make_member()
    prove(client, other)
    request = rf.get("/")
    request.session, request.user = client.session, admin

    assert not is_recent(request)


def test_five_wrong_passwords_and_not_even_the_right_one_after(client, admin, person):
    for number in range(5):
        assert promote(client, person, proof_password=f"guess-{number}").status_code == 200

    refused = promote(client, person, proof_password=PASSWORD)

    assert (refused.status_code, 0 < int(refused["Retry-After"]) <= 300) == (429, True)
    assert roles_of(person) == ["user"]


def test_the_page_leads_back_to_where_one_was(client, admin):
    page = text(client.get(CONFIRM, {"next": "/gestion/?e=1"}))
    assert '<input type="hidden" name="next" value="/gestion/?e=1">' in page

    assert ASKED in text(client.post(CONFIRM, {"next": "/gestion/?e=1", "proof_password": "wrong"}))
    done = client.post(CONFIRM, {"next": "/gestion/?e=1", "proof_password": PASSWORD})

    assert done["Location"] == "/gestion/?e=1"
    assert client.get(CONFIRM, {"next": "//evil.test"})["Location"] == "/espace-membre/securite"


@pytest.mark.parametrize(
    "credential",
    ["", "{", "[" * 100_000, "null", "[]", '{"id": 1}', '{"response": {"userHandle": "_"}}', '"x"'],
)
def test_what_is_no_passkey_is_refused_everywhere(client, admin, credential):
    add_app(admin)
    client.post("/auth/cle-d-acces/options")
    assert ASKED in text(client.post(CONFIRM, {"credential": credential}))
    prove(client, admin, "mfa")
    made = client.post("/espace-membre/securite/cle-d-acces", {"name": "x", "credential": credential})
    assert "Cette clé d'accès n'a pas pu être vérifiée. Réessayez." in text(made)

    stranger = Client()
    options = stranger.post("/auth/cle-d-acces/options").json()["publicKey"]
    assert (options["rpId"], options["userVerification"]) == ("localhost", "required")
    answer = stranger.post("/auth/cle-d-acces", {"credential": credential})
    assert answer["Location"] == "/auth"
    assert "Cette clé d'accès n'a pas pu être vérifiée." in text(stranger.get("/auth"))
    assert stranger.get("/api/me").json()["authenticated"] is False


CHANGES = {
    "password": (
        SECURITY,
        {"action": "password", "old_password": PASSWORD, "password": NEW, "password_confirmation": NEW},
        "/espace-membre/securite#mot-de-passe",
    ),
    "address": (
        "/espace-membre/adresse-e-mail",
        {"email": "nouvelle@example.com", "password": PASSWORD},
        "/espace-membre?tab=profile#adresse-e-mail",
    ),
}


@pytest.mark.parametrize("changed", CHANGES)
def test_the_password_alone_changes_neither_itself_nor_the_address_where_there_is_a_second_factor(
    client, changed
):
    address, fields, part = CHANGES[changed]
    member = make_member()
    secret = add_app(member)
    client.force_login(member)
    prove(client, member)

    def is_changed():
        member.refresh_from_db()
        return member.check_password(NEW) or EmailChange.objects.exists()

    asked = f'href="{CONFIRM}?next={part.replace("?", "%3F").replace("=", "%3D").replace("#", "%23")}"'
    pages = (client.get(part.split("#")[0]), client.post(address, fields))
    assert not is_changed()
    assert mails() == []
    for page in pages:
        assert asked in text(page)
        assert 'name="old_password"' not in text(page)
        assert 'name="password"' not in text(page)

    proved = client.post(CONFIRM, {"next": part, "proof_code": app_code(secret)})
    assert proved["Location"] == part
    wrong = client.post(address, {name: "x" if v == PASSWORD else v for name, v in fields.items()})
    assert "Mot de passe incorrect" in text(wrong)
    assert not is_changed()
    assert client.post(address, fields).status_code in (302, 303)
    assert is_changed()


def test_nobody_confirms_without_a_session(client):
    assert client.get(CONFIRM)["Location"] == f"/auth?next={CONFIRM}"
    assert client.post(CONFIRM, {"proof_password": PASSWORD})["Location"] == f"/auth?next={CONFIRM}"
