from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from accounts.models import User
from accounts.tests.people import make_admin
from shop.integrations.endpoints import create_endpoint
from shop.integrations.models import CHOSEN_KINDS, WebhookEndpoint
from tests.automation.receivers import Receiver, receiver


@pytest.fixture
def server() -> Iterator[Receiver]:
    with receiver() as running:
        yield running


@pytest.fixture
def boss(db: None) -> User:
    return make_admin()


@pytest.fixture
def endpoint(settings: Any, server: Receiver, boss: User) -> WebhookEndpoint:
    """One that asks for everything, on this machine."""
    settings.DEBUG = True
    return create_endpoint(url=server.url, description="ERP", kinds=CHOSEN_KINDS, actor=boss).row


@pytest.fixture
def work(queued_tasks: Any, run_on_commit: Any) -> Callable[[], None]:
    """The workers, until nothing is left to do."""

    def run() -> None:
        while queued_tasks.calls:
            task, args, kwargs = queued_tasks.calls.pop(0)
            with run_on_commit():
                task.run(*args, **kwargs)

    return run
