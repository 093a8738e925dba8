"""A Monday at noon, a provider that answers, and somebody who may file."""

from __future__ import annotations

import pytest
import time_machine

from accounts.models import Role
from accounts.services.roles import grant_role
from orders.tests.factories import make_seller
from orders.tests.filing.letters import NOON
from orders.tests.memory_provider import MemoryProvider


@pytest.fixture(autouse=True)
def _monday():
    with time_machine.travel(NOON, tick=False):
        yield


@pytest.fixture(autouse=True)
def _provider(monkeypatch):
    make_seller()
    MemoryProvider().install(monkeypatch)


@pytest.fixture
def operator(django_user_model):
    user = django_user_model.objects.create_superuser("chef@example.com", "x")
    grant_role(user=user, role=Role.ADMIN)
    return user


@pytest.fixture
def admin(client, operator):
    client.force_login(operator)
    return client
