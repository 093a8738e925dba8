"""Former changes of roles go into the audit trail, and back to where they were when that is undone."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from accounts.tests.people import make_member
from shop.core.models import AuditEntry

pytestmark = pytest.mark.django_db

WHEN = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)
migration = import_module("accounts.migrations.0002_role_changes_in_audit_trail")


@pytest.fixture
def former() -> Any:
    """The table as it was; its columns are all that the migration reads."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE accounts_rolechange (id integer PRIMARY KEY AUTOINCREMENT, old_role varchar(10), "
            "new_role varchar(10), created_at datetime, changed_by_id bigint, user_id bigint)"
        )
    state = MigrationLoader(connection).project_state([("accounts", "0001_initial")])
    return state.apps.get_model("accounts", "RoleChange")


@pytest.fixture
def then(former: Any) -> Any:
    def get_model(app: str, name: str) -> Any:
        return former if name == "RoleChange" else apps.get_model(app, name)

    return SimpleNamespace(get_model=get_model)


def rows(former: Any) -> list[tuple[Any, ...]]:
    return list(
        former.objects.order_by("pk").values_list(
            "user_id", "old_role", "new_role", "changed_by_id", "created_at"
        )
    )


def test_each_change_becomes_an_entry_once_and_comes_back(former, then):
    chef, member = make_member("chef@example.com"), make_member()
    for old, new, by in (("", "staff", None), ("staff", "admin", chef.pk)):
        change = former.objects.create(user_id=member.pk, old_role=old, new_role=new, changed_by_id=by)
        former.objects.filter(pk=change.pk).update(created_at=WHEN.replace(day=change.pk))
    before = rows(former)

    for _ in range(2):
        migration.move(then, None)

    entries = AuditEntry.objects.order_by("created_at")
    assert set(entries.values_list("action", "subject_type", "subject_id")) == {
        ("role.changed", "accounts.user", str(member.pk))
    }
    assert list(entries.values_list("actor_id", "before", "after", "created_at")) == [
        (None, {"role": ""}, {"role": "staff"}, WHEN.replace(day=1)),
        (chef.pk, {"role": "staff"}, {"role": "admin"}, WHEN.replace(day=2)),
    ]
    former.objects.all().delete()
    migration.move_back(then, None)
    assert rows(former) == before


def test_a_change_of_somebody_who_is_gone_stays_in_the_trail_alone(former, then):
    AuditEntry.objects.create(
        action="role.changed",
        subject_type="accounts.user",
        subject_id="999",
        before={},
        after={"role": "admin"},
    )
    migration.move_back(then, None)
    assert rows(former) == []
    assert AuditEntry.objects.count() == 1
