"""People of the staff, and the browser of somebody who is signed in."""

from __future__ import annotations

from django.test import Client

from accounts.models import User
from accounts.services import grant_role
from accounts.tests.people import make_member


def make_staff() -> User:
    user = make_member("atelier@example.com")
    grant_role(user=user, role="staff")
    user.refresh_from_db()
    return user


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client
