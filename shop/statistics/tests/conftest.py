"""Nothing counted by one test is seen by another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from shop.statistics.network_limit import network_limit
from shop.statistics.recorder import recorder
from shop.statistics.visits import forget_salts

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
Report = Callable[..., int]


@pytest.fixture(autouse=True)
def nothing_counted() -> None:
    network_limit.reset()
    recorder.discard()
    forget_salts()


@pytest.fixture
def report(client: Client) -> Report:
    """Send a beacon, to `/api/statistics/events` unless said otherwise; returns the status of the answer."""

    def send(body: Any, *, to: str = "/api/statistics/events", agent: str = BROWSER, **headers: str) -> int:
        answer = client.post(
            to, body, content_type="application/json", headers={"User-Agent": agent, **headers}
        )
        if answer.status_code == 204:
            assert answer.content == b""
        return answer.status_code

    return send
