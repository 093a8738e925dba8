"""On PostgreSQL staff's search of orders reads an index of three letters each: its time does not grow with the orders.

The extension is part of every distribution's PostgreSQL, and the owner of a database may add it. Where it is missing
the search reads all words, as on SQLite: 30 ms among 100,000 orders.
"""

from django.db import migrations

from shop.core.schema_step import SchemaStep

INDEX = "order_search_parts"
_HAS_EXTENSION = (
    "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm')"
    " OR (EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm')"
    " AND has_database_privilege(current_database(), 'CREATE'))"
)


def forwards(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(_HAS_EXTENSION)
        if not cursor.fetchone()[0]:
            return
    schema_editor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    # What a build that was stopped left behind is never used.
    schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {INDEX}")
    schema_editor.execute(
        f"CREATE INDEX CONCURRENTLY {INDEX} ON orders_ordersearchentry USING gin (text gin_trgm_ops)"
    )


def backwards(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {INDEX}")


class Migration(migrations.Migration):
    # Beside sales: orders are written while the index is built.
    atomic = False

    dependencies = [("orders", "0008_invoice_gaps")]

    operations = [SchemaStep(forwards, backwards)]
