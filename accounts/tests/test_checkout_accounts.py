"""Signing up and in while ordering."""

from __future__ import annotations

import uuid

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.hashers import check_password
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore
from django.db import transaction

from accounts.models import SignUp, User
from accounts.services import CheckoutSignUp, authenticate_at_checkout, sign_in_now
from accounts.sessions import end_all_sessions
from accounts.tests.people import PASSWORD, add_app, mails, make_member, sign_up
from shop.core.models import OutgoingMail
from shop.core.problems import Problem

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db]

ORDER = uuid.UUID(int=42)


@pytest.fixture
def request_(rf):
    request = rf.post("/api/checkout")
    request.session = SessionStore()
    request.user = AnonymousUser()
    return request


def ask(browser, **changes):
    """A sign-up with an order, up to the commit."""
    values = {
        "email": "client@example.com",
        "password": PASSWORD,
        "first_name": "Zoé",
        "last_name": "O'Neil",
        "language": "es",
    }
    asked = CheckoutSignUp(**{**values, **changes})
    asked.request(browser, order_id=ORDER, reference="0000002A")
    asked.remember(browser)


def test_a_sign_up_is_kept_until_its_address_is_proved(request_):
    ask(request_, email=" Client@Example.com")

    asked = SignUp.objects.get()
    assert (asked.email, asked.first_name, asked.last_name, asked.language) == (
        "client@example.com",
        "Zoé",
        "O'Neil",
        "es",
    )
    assert asked.orders == [{"id": str(ORDER), "reference": "0000002A"}]
    assert check_password(PASSWORD, asked.password)
    assert User.objects.count() == 0
    assert SESSION_KEY not in request_.session
    assert mails() == [("account_confirm_email", "client@example.com")]


def test_an_order_that_fails_leaves_no_sign_up_and_no_mail(request_):
    def order_that_fails():
        with transaction.atomic():
            ask(request_)
            raise RuntimeError("the order failed")

    with pytest.raises(RuntimeError):
        order_that_fails()

    assert SignUp.objects.count() == 0
    assert mails() == []


def test_a_known_address_changes_nothing_and_its_owner_is_told(request_):
    make_member()

    ask(request_, password="another-password-2026")

    assert User.objects.get().check_password(PASSWORD)
    assert mails() == [("account_exists", "client@example.com")]


def test_a_second_order_of_the_same_browser_replaces_its_sign_up_and_keeps_both_orders(request_):
    ask(request_)
    ask(request_, password="another-password-2026", first_name="Zoë")

    asked = SignUp.objects.get()
    assert (asked.first_name, len(asked.orders)) == ("Zoë", 2)
    assert check_password("another-password-2026", asked.password)
    # The link of the first mail is good for both.
    assert mails() == [("account_confirm_email", "client@example.com")]


def test_another_address_of_the_same_browser_is_another_sign_up(request_):
    ask(request_)
    ask(request_, email="other@example.com")

    assert SignUp.objects.count() == 2


@pytest.mark.parametrize(
    ("changes", "code", "field", "start"),
    [
        ({"password": "court"}, "weak_password", "password", "Mot de passe trop court. Minimum 8 caractères"),
        (
            {"first_name": "Maximilienne", "password": "maximilienne"},
            "weak_password",
            "password",
            "Le mot de passe est trop semblable au champ",
        ),
        ({"email": "x"}, "invalid_email", "email", "Veuillez entrer une adresse e-mail valide"),
    ],
)
def test_sign_ups_that_are_refused(request_, changes, code, field, start):
    with pytest.raises(Problem) as refusal:
        ask(request_, **changes)

    assert (refusal.value.status, refusal.value.code) == (400, code)
    assert refusal.value.errors[field][0].startswith(start)
    assert SignUp.objects.count() == 0


def test_who_has_a_second_factor_is_led_to_sign_in_first(request_):
    user = make_member()
    add_app(user)

    with pytest.raises(Problem) as refusal:
        authenticate_at_checkout(request_, email=user.email, password=PASSWORD, next_page="/checkout")

    assert (refusal.value.status, refusal.value.code) == (403, "second_factor_required")
    assert refusal.value.extra == {"signin_url": "/auth?next=%2Fcheckout"}
    assert SESSION_KEY not in request_.session
    # Only who knows the password learns that there is one.
    with pytest.raises(Problem) as wrong:
        authenticate_at_checkout(request_, email=user.email, password="wrong", next_page="/checkout")
    assert wrong.value.code == "invalid_credentials"


def test_signing_in(request_):
    user = make_member()

    assert (
        authenticate_at_checkout(
            request_, email="CLIENT@example.com", password=PASSWORD, next_page="/checkout"
        )
        == user
    )
    sign_in_now(request_, user)

    assert request_.session[SESSION_KEY] == str(user.pk)
    assert request_.user == user
    # It is listed, and ended with all others.
    assert UserSession.objects.get().session_key == request_.session.session_key
    end_all_sessions(user)
    assert not SessionStore().exists(request_.session.session_key)


@pytest.mark.parametrize(
    ("email", "password", "code", "detail", "errors"),
    [
        ("client@example.com", "wrong", "invalid_credentials", "E-mail ou mot de passe incorrect", {}),
        ("nobody@example.com", PASSWORD, "invalid_credentials", "E-mail ou mot de passe incorrect", {}),
        ("not an address", PASSWORD, "invalid_credentials", "E-mail ou mot de passe incorrect", {}),
        ("client@example.com", "x" * 100_000, "invalid_credentials", "E-mail ou mot de passe incorrect", {}),
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
        authenticate_at_checkout(request_, email=email, password=password, next_page="/checkout")

    assert (refusal.value.code, refusal.value.detail, refusal.value.status) == (code, detail, 400)
    assert refusal.value.errors == errors


def test_tries_at_checkout_and_on_auth_count_together(request_, client):
    make_member()
    for _ in range(5):
        with pytest.raises(Problem):
            authenticate_at_checkout(
                request_, email="client@example.com", password="wrong", next_page="/checkout"
            )

    with pytest.raises(Problem) as refusal:
        authenticate_at_checkout(
            request_, email="client@example.com", password=PASSWORD, next_page="/checkout"
        )
    assert (refusal.value.code, refusal.value.status) == ("too_many_attempts", 429)
    form = {"mode": "signin", "email": "client@example.com", "password": PASSWORD}
    assert client.post("/auth", form).status_code == 429


def test_who_signed_up_and_has_not_confirmed_is_asked_to(request_):
    sign_up()
    OutgoingMail.objects.all().delete()
    with pytest.raises(Problem) as refusal:
        authenticate_at_checkout(
            request_, email="client@example.com", password=PASSWORD, next_page="/checkout"
        )

    assert refusal.value.code == "email_unconfirmed"
    assert mails() == [("account_confirm_email", "client@example.com")]
