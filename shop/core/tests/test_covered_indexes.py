"""No index of a foreign key is one that another index of its table begins with."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.models import Field, ForeignKey, Model

from shop.core.covered_indexes import drop_covered

pytestmark = pytest.mark.both_engines


def covered_keys() -> Iterator[Field]:
    """The foreign keys of our tables that a whole index begins with, but for those between two tables."""
    for model in apps.get_models():
        if apps.get_app_config(model._meta.app_label).path.startswith(str(settings.BASE_DIR / ".venv")):
            continue
        wholes = [
            row.fields
            for row in (*model._meta.indexes, *model._meta.constraints)
            if getattr(row, "fields", ()) and row.condition is None
        ]
        first = {fields[0] for fields in wholes}
        yield from (
            row for row in model._meta.local_fields if isinstance(row, ForeignKey) and row.name in first
        )


def own_indexes(model: type[Model], column: str) -> list[str]:
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, model._meta.db_table)
    return [
        name
        for name, row in found.items()
        if row["index"] and not row["unique"] and row["columns"] == [column]
    ]


@pytest.mark.django_db
def test_no_foreign_key_has_an_index_that_another_one_begins_with():
    keys = list(covered_keys())
    assert keys
    assert {str(key): own_indexes(key.model, key.column) for key in keys} == {str(key): [] for key in keys}


@pytest.mark.django_db(transaction=True)
def test_a_dropped_index_is_made_again_when_the_migration_is_taken_back():
    variant = apps.get_model("catalog", "Variant")
    name = "catalog_variant_product_id_8a21d193"
    step = drop_covered(name, "catalog_variant (product_id)")
    with connection.schema_editor(atomic=False) as editor:
        step.reverse_code(apps, editor)
        assert own_indexes(variant, "product_id") == [name]
        step.code(apps, editor)
    assert own_indexes(variant, "product_id") == []
