"""A member with an app, beside somebody else's, and half a minute that does not end."""

from __future__ import annotations

import time

import pytest

from accounts.tests.people import add_app, make_member, post
from accounts.tests.second_factor.factors import STEP


@pytest.fixture(autouse=True)
def within_a_step(time_machine):
    """No code changes while a test types it."""
    time_machine.move_to(int(time.time()) // 30 * 30 + 5)


@pytest.fixture
def member():
    # Somebody else's second factor, found first wherever nobody asks whose it is.
    add_app(make_member("autre@example.com"))
    return make_member()


@pytest.fixture
def secret(member):
    return add_app(member)


@pytest.fixture
def half(client, member, secret):
    """A browser that sent the right password and waits at the second step."""
    assert post(client, "signin")["Location"] == STEP
    return client
