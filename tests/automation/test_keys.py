"""Keys of programs: shown once, stored as a hash, counted, revoked."""

from __future__ import annotations

import re
from datetime import date, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from shop.core.models import AuditEntry
from shop.core.problems import Problem
from shop.integrations.keys import (
    READ_AND_WRITE,
    create_api_key,
    find_api_key,
    record_use,
    revoke_api_key,
)
from shop.integrations.models import ApiKey, Scope

pytestmark = pytest.mark.django_db
URL = "/functions/v1/product-automation"


def test_key_is_returned_once_and_stored_as_a_hash(boss: User):
    key = create_api_key(name="  Import   ERP ", scopes=READ_AND_WRITE, actor=boss)
    assert re.fullmatch(r"atelier_[0-9a-f]{12}_[A-Za-z0-9_-]{43}", key.text)
    row = ApiKey.objects.get()
    assert (row.name, row.created_by, row.scopes) == ("Import ERP", boss, ["products:read", "products:write"])
    secret = key.text.split("_", 2)[2]
    stored = " ".join(str(value) for value in ApiKey.objects.values_list().get())
    assert secret not in stored
    assert find_api_key(key.text) == row
    entry = AuditEntry.objects.get(action="api_key.created")
    assert (entry.actor_id, secret in str(entry.after), key.row.prefix in str(entry.after)) == (
        boss.pk,
        False,
        True,
    )


@pytest.mark.parametrize(
    ("name", "scopes", "errors"),
    [
        (" ", ["products:read"], {"name": ["Donnez un nom à la clé."]}),
        ("x" * 81, ["products:read"], {"name": ["80 caractères au plus."]}),
        ("A", [], {"scopes": ["Choisissez au moins un droit."]}),
        ("A", ["everything"], {"scopes": ["Choisissez au moins un droit."]}),
    ],
)
def test_key_without_a_name_or_a_right_is_refused(name: str, scopes: list[str], errors: Any):
    with pytest.raises(Problem) as refused:
        create_api_key(name=name, scopes=scopes, actor=None)
    assert refused.value.errors == errors
    assert not ApiKey.objects.exists()


def test_revoked_key_opens_nothing_and_stays_in_the_list(boss: User):
    key = create_api_key(name="A", scopes=READ_AND_WRITE, actor=boss)
    assert Client().get(URL, headers={"authorization": f"Bearer {key.text}"}).status_code == 200
    revoke_api_key(key_id=key.row.pk, actor=boss)
    revoke_api_key(key_id=key.row.pk, actor=boss)
    assert Client().get(URL, headers={"authorization": f"Bearer {key.text}"}).status_code == 401
    assert AuditEntry.objects.filter(action="api_key.revoked").count() == 1
    assert revoke_api_key(key_id=999, actor=boss) is None


def test_key_opens_until_the_end_of_its_last_day(boss: User, time_machine: Any):
    time_machine.move_to("2026-12-01T12:00:00+01:00", tick=False)
    key = create_api_key(name="A", scopes=READ_AND_WRITE, actor=boss, last_day=date(2026, 12, 2))
    assert AuditEntry.objects.get(action="api_key.created").after["last_day"] == "2026-12-02"
    with pytest.raises(Problem) as refused:
        create_api_key(name="B", scopes=READ_AND_WRITE, actor=boss, last_day=date(2026, 11, 30))
    assert refused.value.errors == {"last_day": ["Cette date est passée."]}
    assert ApiKey.objects.count() == 1

    def call() -> Any:
        return Client().get(URL, headers={"authorization": f"Bearer {key.text}"})

    # By the shop's clock, an hour ahead of UTC.
    time_machine.move_to("2026-12-02T22:59:59Z", tick=False)
    assert call().status_code == 200
    time_machine.move_to("2026-12-02T23:00:00Z", tick=False)
    answer = call()
    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_key")
    assert answer.json()["detail"] == "Clé d'API absente, inconnue, révoquée ou expirée."


def test_wrong_key_costs_the_same_queries_as_a_right_one(boss: User):
    key = create_api_key(name="A", scopes=READ_AND_WRITE, actor=boss)
    record_use(key.row)
    counts = {}
    for text in (key.text, key.text[:-1] + "_", "atelier_" + "0" * 12 + "_" + "a" * 43, "x", ""):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            find_api_key(text)
        counts[text] = len(queries)
    assert set(counts.values()) == {1}


def test_every_comparison_is_made_in_constant_time(boss: User, monkeypatch: pytest.MonkeyPatch):
    key = create_api_key(name="A", scopes=READ_AND_WRITE, actor=boss)
    compared = []
    monkeypatch.setattr(
        "shop.integrations.keys.constant_time_compare",
        lambda *pair: compared.append(pair) or pair[0] == pair[1],
    )
    for text in (key.text, "atelier_" + "0" * 12 + "_" + "a" * 43, "x"):
        find_api_key(text)
    assert [len(first) == len(second) == 64 for first, second in compared] == [True] * 3


def test_last_use_is_written_once_a_minute(boss: User, django_assert_num_queries: Any):
    row = create_api_key(name="A", scopes=READ_AND_WRITE, actor=boss).row
    with django_assert_num_queries(1):
        record_use(row)
    row.refresh_from_db()
    first = row.last_used_at
    with django_assert_num_queries(0):
        record_use(row)
    # The second was dated by a clock that was ahead.
    for ago in (timedelta(seconds=61), timedelta(days=-365)):
        ApiKey.objects.update(last_used_at=timezone.now() - ago)
        row.refresh_from_db()
        record_use(row)
        row.refresh_from_db()
        assert first <= row.last_used_at <= timezone.now()


def test_calls_of_one_key_are_limited_whatever_the_network(boss: User, settings: Any):
    settings.LIMITS = {"api-key": 3}
    first, second = (create_api_key(name=name, scopes=READ_AND_WRITE, actor=boss) for name in "AB")

    def call(text: str, number: int) -> Any:
        return Client(REMOTE_ADDR=f"198.51.100.{number}").get(
            URL, headers={"authorization": f"Bearer {text}"}
        )

    assert [call(first.text, number).status_code for number in range(4)] == [200, 200, 200, 429]
    assert call(second.text, 9).status_code == 200
    # Whoever knows how a key begins uses up none of its calls.
    for number in range(5):
        call(second.text[:-3] + f"{number:03}", number)
    assert call(second.text, 9).status_code == 200


def test_calls_of_one_network_are_limited_whatever_the_key(boss: User, settings: Any):
    settings.LIMITS = {"api-network": 3}
    answers = [
        Client(REMOTE_ADDR="198.51.100.7").get(URL, headers={"authorization": f"Bearer wrong-{number}"})
        for number in range(4)
    ]
    assert [answer.status_code for answer in answers] == [401, 401, 401, 429]
    assert int(answers[-1].headers["Retry-After"]) <= 60


def test_command_prints_the_key_alone():
    output = StringIO()
    call_command("create_api_key", "Import", stdout=output)
    row = find_api_key(output.getvalue().strip())
    assert row is not None
    assert (row.name, row.scopes, row.created_by) == ("Import", ["products:read", "products:write"], None)
    output = StringIO()
    call_command("create_api_key", "Lecture", "--read-only", "--until", "2099-12-31", stdout=output)
    row = find_api_key(output.getvalue().strip())
    assert row is not None
    assert (row.scopes, row.last_day) == ([Scope.READ_PRODUCTS], date(2099, 12, 31))
    with pytest.raises(CommandError, match="Donnez un nom"):
        call_command("create_api_key", " ")
