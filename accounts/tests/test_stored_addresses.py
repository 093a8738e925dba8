"""Accounts from before an address had one form are found again."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace

import pytest
from allauth.account.models import EmailAddress
from django.apps import apps
from django.db import connection

from accounts.models import User
from accounts.tests.people import make_member, post

pytestmark = [pytest.mark.django_db, pytest.mark.both_engines]


def store(user: User, email: str) -> User:
    """As an earlier version wrote it."""
    User.objects.filter(pk=user.pk).update(email=email)
    EmailAddress.objects.filter(user=user).update(email=email)
    return user


def migrate() -> None:
    forwards = import_module("accounts.migrations.0002_stored_addresses").forwards
    forwards(apps, SimpleNamespace(connection=connection))


@pytest.mark.parametrize(
    ("stored", "typed"),
    [
        ("zoe@épi.fr", "zoe@épi.fr"),
        ("zoe@épi.fr", "zoe@xn--pi-9ia.fr"),
        ('"zoe"@example.com', "zoe@example.com"),
    ],
)
def test_an_account_is_signed_in_to_under_its_address(client, stored, typed):
    store(make_member(), stored)
    assert post(client, "signin", email=typed).status_code == 200

    migrate()
    migrate()

    assert post(client, "signin", email=typed).status_code == 302
    assert client.get("/api/me").json()["authenticated"] is True


def test_one_of_two_accounts_of_a_mailbox_stays_as_it_was(client):
    make_member("zoe@xn--pi-9ia.fr")
    store(make_member(), "zoe@épi.fr")

    migrate()

    assert list(User.objects.order_by("pk").values_list("email", flat=True)) == [
        "zoe@xn--pi-9ia.fr",
        "zoe@épi.fr",
    ]
    assert list(EmailAddress.objects.order_by("pk").values_list("email", flat=True)) == [
        "zoe@xn--pi-9ia.fr",
        "zoe@épi.fr",
    ]
