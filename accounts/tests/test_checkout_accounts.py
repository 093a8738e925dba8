"""Signing up and in while ordering."""

from __future__ import annotations

import pytest
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore
from django.db import transaction

from accounts.models import User
from accounts.selectors import is_email_confirmed
from accounts.services import authenticate_at_checkout, sign_in_now, sign_up_at_checkout
from accounts.tests.people import PASSWORD, mails, make_member
from shop.core.problems import Problem

pytestmark = pytest.mark.django_db


def sign_up(**changes):
    values = {
        "email": "client@example.com",
        "password": PASSWORD,
        "first_name": "Zoé",
        "last_name": "O'Neil",
        "language": "es",
    }
    return sign_up_at_checkout(**{**values, **changes})


@pytest.fixture
def request_(rf):
    request = rf.post("/api/checkout")
    request.session = SessionStore()
    request.user = AnonymousUser()
    return request


def test_a_new_member():
    made = sign_up(email=" Client@Example.com")

    assert made.existed is False
    assert (made.user.email, made.user.first_name, made.user.last_name, made.user.language) == (
        "client@example.com",
        "Zoé",
        "O'Neil",
        "es",
    )
    assert made.user.check_password(PASSWORD)
    assert not is_email_confirmed(made.user)
    assert mails() == [("account_confirm_email", "client@example.com")]


def test_an_order_that_fails_leaves_no_member_and_no_mail():
    def order_that_fails():
        with transaction.atomic():
            sign_up()
            raise RuntimeError("the order failed")

    with pytest.raises(RuntimeError):
        order_that_fails()

    assert User.objects.count() == 0
    assert mails() == []


def test_a_known_address_gives_no_member_and_a_mail_to_its_owner():
    make_member()

    made = sign_up(password="another-password-2026")

    assert (made.user, made.existed) == (None, True)
    assert User.objects.get().check_password(PASSWORD)
    assert mails() == [("account_exists", "client@example.com")]


def test_weak_passwords():
    with pytest.raises(Problem) as refusal:
        sign_up(password="court")

    assert (refusal.value.status, refusal.value.code) == (400, "weak_password")
    assert refusal.value.errors == {"password": ["Mot de passe trop court. Minimum 8 caractères"]}
    assert User.objects.count() == 0


def test_names_count_as_guessable():
    with pytest.raises(Problem) as refusal:
        sign_up(first_name="Maximilienne", password="maximilienne")

    assert refusal.value.errors["password"][0].startswith("Le mot de passe est trop semblable au champ")


def test_signing_in(request_):
    user = make_member()

    assert authenticate_at_checkout(request_, email="CLIENT@example.com", password=PASSWORD) == user
    sign_in_now(request_, user)

    assert request_.session[SESSION_KEY] == str(user.pk)
    assert request_.user == user


def test_a_member_made_at_checkout_is_signed_in_at_once(request_):
    made = sign_up()
    sign_in_now(request_, made.user)

    assert request_.session[SESSION_KEY] == str(made.user.pk)


@pytest.mark.parametrize(
    ("email", "password", "code", "detail", "errors"),
    [
        ("client@example.com", "wrong", "invalid_credentials", "Email ou mot de passe incorrect", {}),
        ("nobody@example.com", PASSWORD, "invalid_credentials", "Email ou mot de passe incorrect", {}),
        ("not an address", PASSWORD, "invalid_credentials", "Email ou mot de passe incorrect", {}),
        ("client@example.com", "x" * 100_000, "invalid_credentials", "Email ou mot de passe incorrect", {}),
        (
            "client@example.com",
            "",
            "password_required",
            "Veuillez entrer votre mot de passe",
            {"password": ["Veuillez entrer votre mot de passe"]},
        ),
    ],
)
def test_refusals(request_, email, password, code, detail, errors):
    make_member()
    with pytest.raises(Problem) as refusal:
        authenticate_at_checkout(request_, email=email, password=password)

    assert (refusal.value.code, refusal.value.detail, refusal.value.status) == (code, detail, 400)
    assert refusal.value.errors == errors


def test_tries_at_checkout_and_on_auth_count_together(request_, client):
    make_member()
    for _ in range(5):
        with pytest.raises(Problem):
            authenticate_at_checkout(request_, email="client@example.com", password="wrong")

    with pytest.raises(Problem) as refusal:
        authenticate_at_checkout(request_, email="client@example.com", password=PASSWORD)
    assert (refusal.value.code, refusal.value.status) == ("too_many_attempts", 429)
    form = {"mode": "signin", "email": "client@example.com", "password": PASSWORD}
    assert client.post("/auth", form).status_code == 429


def test_an_unconfirmed_member_is_asked_to_confirm(request_):
    make_member(confirmed=False)
    with pytest.raises(Problem) as refusal:
        authenticate_at_checkout(request_, email="client@example.com", password=PASSWORD)

    assert refusal.value.code == "email_unconfirmed"
    assert mails() == [("account_confirm_email", "client@example.com")]
