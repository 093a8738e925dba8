"""The command that makes admins, and accounts in Django's admin."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from accounts.selectors import is_email_confirmed, roles_of
from accounts.tests.people import PASSWORD, make_admin, make_member

pytestmark = pytest.mark.django_db


def create_admin(email, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO())
    out = io.StringIO()
    call_command("create_admin", email, stdout=out)
    return out.getvalue()


def test_a_new_admin_gets_a_password_shown_once(monkeypatch, client):
    output = create_admin(" Chef@Example.com ", monkeypatch)

    password = output.splitlines()[0].removeprefix("Password of chef@example.com (shown once): ")
    assert len(password) == 20
    user = User.objects.get()
    assert user.check_password(password)
    assert roles_of(user) == ["admin"]
    assert is_email_confirmed(user)
    form = {"mode": "signin", "email": "chef@example.com", "password": password, "next": "/gestion/"}
    assert client.post("/auth", form)["Location"] == "/gestion/"
    assert client.get("/gestion/").status_code == 200


def test_a_member_becomes_admin_and_keeps_the_password(monkeypatch):
    user = make_member()

    output = create_admin("client@example.com", monkeypatch)

    user.refresh_from_db()
    assert output == "client@example.com is an administrator.\n"
    assert user.is_staff
    assert user.check_password(PASSWORD)


def test_an_account_of_no_proved_address_becomes_admin_with_a_password_of_its_own(monkeypatch):
    user = make_member(confirmed=False)

    output = create_admin("client@example.com", monkeypatch)

    user.refresh_from_db()
    password = output.splitlines()[0].removeprefix("Password of client@example.com (shown once): ")
    assert user.is_staff
    assert is_email_confirmed(user)
    assert user.check_password(password)
    assert not user.check_password(PASSWORD)


def test_an_address_that_is_none(monkeypatch):
    with pytest.raises(CommandError):
        create_admin("chef", monkeypatch)
    assert User.objects.count() == 0


def test_a_blocked_account_is_named_and_stays_blocked(monkeypatch):
    user = make_member()
    User.objects.update(is_active=False)
    with pytest.raises(
        CommandError, match=r"^The account of client@example\.com is blocked: unblock it first\.$"
    ):
        create_admin(user.email, monkeypatch)
    user.refresh_from_db()
    assert (user.is_active, user.is_staff) == (False, False)


def test_the_password_is_asked_until_it_is_good(monkeypatch):
    answers = iter(["court", "carmes-lyon-27", "different", "carmes-figurine-2027", "carmes-figurine-2027"])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("getpass.getpass", lambda _prompt: next(answers))
    errors = io.StringIO()
    call_command("create_admin", "chef@example.com", stdout=io.StringIO(), stderr=errors)

    assert errors.getvalue().splitlines() == [
        "Mot de passe trop court. Minimum 12 caractères",
        "The two passwords differ.",
    ]
    assert User.objects.get().check_password("carmes-figurine-2027")


def test_django_admin_has_no_sign_in_form_of_its_own(client):
    response = client.get("/gestion/login/?next=/gestion/accounts/user/")
    assert (response.status_code, response["Location"]) == (302, "/auth?next=%2Fgestion%2Faccounts%2Fuser%2F")
    make_admin()
    posted = client.post("/gestion/login/", {"username": "admin@example.com", "password": PASSWORD})
    assert posted["Location"] == "/auth?next=%2Fgestion%2F"
    assert client.get("/gestion/").status_code == 302


def test_a_member_is_refused_in_django_admin(client):
    client.force_login(make_member())

    assert client.get("/gestion/").status_code == 302
    assert client.get("/gestion/login/").status_code == 403


@pytest.mark.both_engines
def test_the_list_costs_a_fixed_number_of_queries(client, django_assert_num_queries):
    client.force_login(make_admin())
    for number in range(12):
        make_member(f"n{number}@example.com")

    # Session, user, two counts, the rows with their joins.
    with django_assert_num_queries(5):
        response = client.get("/gestion/accounts/user/")
    assert response.status_code == 200


def test_people_are_looked_up_and_changed_nowhere_in_django_admin(client):
    client.force_login(make_admin())
    user = make_member()
    page = f"/gestion/accounts/user/{user.pk}/change/"

    assert f'href="/admin/utilisateurs/{user.pk}"' in client.get(page).content.decode()
    assert client.post(page, {"email": "x@example.com", "is_active": ""}).status_code == 403
    user.refresh_from_db()
    assert (user.email, user.is_active) == ("client@example.com", True)
    assert client.post(f"/gestion/accounts/user/{user.pk}/delete/", {"post": "yes"}).status_code == 403
    assert client.get("/gestion/accounts/user/add/").status_code == 403
    assert client.get(f"/gestion/auth/user/{user.pk}/password/").status_code == 404
