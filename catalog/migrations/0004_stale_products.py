"""On PostgreSQL the staff's list of stale translations reads an index: rows are wide, and most have none."""

from django.db import migrations

from shop.core.schema_step import SchemaStep

FORWARDS = (
    "CREATE INDEX product_staff_stale ON catalog_product (created_at DESC, id DESC) "
    "WHERE archived_at IS NULL AND trashed_at IS NULL AND NOT (stale_texts = '[]'::jsonb)",
)
BACKWARDS = (
    "DROP INDEX IF EXISTS product_staff_stale",
)


def forwards(apps, schema_editor):
    _run(schema_editor, FORWARDS)


def backwards(apps, schema_editor):
    _run(schema_editor, BACKWARDS)


def _run(schema_editor, statements):
    if schema_editor.connection.vendor == "postgresql":
        for statement in statements:
            schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("catalog", "0003_safety")]

    operations = [SchemaStep(forwards, backwards)]
