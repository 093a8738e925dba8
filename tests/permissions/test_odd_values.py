"""Every address, with the parameters named here, and every field of every call take values that nobody's browser sends:
none answers a 500.

Addresses and fields come from the URL configuration and the description of the API, so that new ones are tried too.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import Any

import pytest
from django.core.signals import request_finished
from django.db import close_old_connections, connection
from django.test import Client
from django.urls import reverse

from blog.models import Campaign
from shop.core.problems import CONTENT_TYPE
from tests.permissions.expected import ROUTES
from tests.permissions.matrix import Matrix, everything_undone, matrix, routes, values_of, world
from tests.permissions.odd_values import (
    PARAMETERS,
    SEEN,
    bodies,
    dotted,
    everywhere,
    places,
    put,
    shape,
    without,
)

__all__ = ["matrix", "world"]

pytestmark = [pytest.mark.long, pytest.mark.both_engines, pytest.mark.django_db]

# The calendar's ends have no moment in UTC, and no column holds thirty digits: each engine says so in its own way.
IN_ADDRESSES: tuple[str, ...] = ("0001-01-01", "9999-12-31", "9" * 30)
IN_BODIES: tuple[Any, ...] = ("0001-01-01", "9999-12-31", 10**30)
# Refused by the shop's own code, or by PostgreSQL alone, which keeps no NUL and no more letters than a column has.
if connection.vendor == "postgresql":
    IN_ADDRESSES += ("%00", "-1", "%D9%A3")
    IN_BODIES += ("\x00", {}, "x" * 20_000)


@dataclass(frozen=True, slots=True)
class Answer:
    """`refused`: the fields it complains of; `asked_for_parameters`: whether anything read those of the address."""

    status: int
    refused: frozenset[str]
    asked_for_parameters: bool


def answer_to(browser: Client, method: str, address: str, body: Any = None) -> Answer:
    with everything_undone():
        answer = browser.generic(
            method.upper(),
            address,
            b"" if body is None else json.dumps(body),
            content_type="application/json",
            headers={"idempotency-key": str(uuid.uuid4())},
        )
        if answer.streaming:
            # As the test client ends a request: the connection stays that of the test.
            request_finished.disconnect(close_old_connections)
            answer.close()
            request_finished.connect(close_old_connections)
    invalid = answer.status_code == 400 and answer.headers["Content-Type"] == CONTENT_TYPE
    return Answer(
        # 503: what is asked is switched off, and says so.
        200 if answer.status_code == 503 else answer.status_code,
        frozenset(answer.json().get("errors", ()) if invalid else ()),
        "GET" in answer.wsgi_request.__dict__,
    )


@pytest.fixture
def browser(matrix: Matrix) -> Client:
    """The one who may ask for everything; what breaks answers a 500, as visitors get it."""
    admin = matrix.world.browser("admin")
    admin.raise_request_exception = False
    return admin


def test_no_parameter_of_any_address_answers_500(matrix: Matrix, browser: Client) -> None:
    failed, reading = [], 0
    for name, _path, pattern in routes():
        if name in ROUTES:
            address = reverse(name, kwargs=values_of(matrix.world, pattern))
            for value in IN_ADDRESSES:
                query = "&".join(f"{parameter}={value}" for parameter in PARAMETERS)
                answer = answer_to(browser, "get", f"{address}?{query}")
                if answer.status >= 500:
                    failed.append((address, value))
                if answer.status == 405 or not answer.asked_for_parameters:
                    break
                reading += 1
    assert failed == []
    assert reading > 400


def test_no_field_of_any_call_answers_500(matrix: Matrix, browser: Client) -> None:
    """A value stands in all places at once, then in all but the refused ones, until it is taken or refused for another
    reason; then in each of the places left alone."""
    failed, asked, stored = [], set(), 0
    calls = bodies()
    assert calls.keys() <= {shape(path) for _name, path, _pattern in routes()}
    for name, path, pattern in routes():
        if not name.startswith("api-"):
            continue
        address = reverse(name, kwargs=values_of(matrix.world, pattern))
        for method, plausible in calls.get(shape(path), {}).items():

            def send(body: Any, method: str = method, address: str = address) -> Answer:
                answer = answer_to(browser, method, address, body)
                if answer.status >= 500:
                    failed.append((method, address, body))
                return answer

            taken = without(plausible, {*send(plausible).refused, *SEEN})
            body = taken if send(taken).status < 300 else plausible
            for value in IN_BODIES:
                send(everywhere(plausible, value))
                refused: frozenset[str] = frozenset()
                answer = send(everywhere(body, value))
                while answer.refused - refused:
                    refused |= answer.refused
                    answer = send(everywhere(body, value, refused))
                stored += answer.status < 300
                for place, part in places(body):
                    asked.add((method, address, place))
                    taken_before = answer.status < 300 and not isinstance(part, dict | list)
                    # It would be refused alone as well.
                    if not taken_before and dotted(place) not in refused:
                        send(put(body, place, value))
    assert failed == []
    assert len(asked) > 500
    assert stored > 60


@pytest.mark.postgres
def test_a_text_with_nul_is_refused_and_nothing_is_stored(matrix: Matrix, browser: Client) -> None:
    before = Campaign.objects.count()
    for answer in (browser.post("/admin/newsletter", {"title": "No\x00"}), browser.get("/blog?tag=%00")):
        assert answer.status_code == 400
    assert Campaign.objects.count() == before
