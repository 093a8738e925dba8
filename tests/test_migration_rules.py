"""A migration that a selling shop does not bear is named, with what to do instead."""

from __future__ import annotations

import pytest
from django.db import migrations, models
from migration_rules import faults


def of(*operations: object, **attributes: object) -> list[str]:
    migration = migrations.Migration("0009_x", "orders")
    migration.operations = list(operations)
    for name, value in attributes.items():
        setattr(migration, name, value)
    return list(faults(migration))


SAFE = models.CharField(max_length=9, default="", db_default="")
UNSAFE = models.CharField(max_length=9, default="")
INDEX = models.Index(fields=("email",), name="x")


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (migrations.RemoveField("order", "email"), "the version before still asks for it"),
        (migrations.DeleteModel("Order"), "the version before still asks for it"),
        (migrations.RenameField("order", "email", "mail"), "the version before still asks for it"),
        (migrations.RenameModel("Order", "Sale"), "the version before still asks for it"),
        (migrations.AddField("zone", "note", UNSAFE), "Give it a db_default"),
        (migrations.AddIndex("order", INDEX), "Use AddIndexConcurrently"),
        (migrations.AlterField("order", "email", UNSAFE), "Look at its SQL"),
        (migrations.RunPython(lambda apps, editor: None), "there is no way back"),
    ],
)
def test_operation_that_a_selling_shop_does_not_bear_is_named(operation: object, words: str) -> None:
    (fault,) = of(operation)
    assert words in fault
    assert of(operation, stops_the_shop="the column is renamed in one release") == []


@pytest.mark.parametrize(
    "operation",
    [
        migrations.AddField("order", "note", SAFE),
        migrations.AddField("order", "note", models.CharField(max_length=9, null=True)),
        migrations.AddIndex("zone", INDEX),
        migrations.AlterField("zone", "name", UNSAFE),
        migrations.RunPython(lambda apps, editor: None, migrations.RunPython.noop),
    ],
)
def test_operation_that_is_safe_is_not_named(operation: object) -> None:
    assert of(operation) == []


def test_table_that_the_migration_makes_itself_may_be_changed() -> None:
    made = migrations.CreateModel("Order", [("id", models.BigAutoField(primary_key=True))])
    assert of(made, migrations.AddIndex("order", INDEX), migrations.AddField("order", "x", UNSAFE)) == []
