"""What only the database can hold: prices that nobody rewrites, and an index for words inside texts."""

from django.db import Error, migrations, transaction

UNCHANGED_POSTGRESQL = """
CREATE FUNCTION catalog_pricepoint_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'prices over time are never changed or deleted' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER catalog_pricepoint_append_only BEFORE UPDATE OR DELETE ON catalog_pricepoint
    FOR EACH ROW EXECUTE FUNCTION catalog_pricepoint_refuse();
"""
CHANGED_POSTGRESQL = """
DROP TRIGGER IF EXISTS catalog_pricepoint_append_only ON catalog_pricepoint;
DROP FUNCTION IF EXISTS catalog_pricepoint_refuse();
"""
# SQLite knows no TRUNCATE: `manage.py flush` and the test runner empty tables with DELETE, so the trigger
# guards against changes only; deletion is refused by the model.
UNCHANGED_SQLITE = """
CREATE TRIGGER catalog_pricepoint_append_only BEFORE UPDATE ON catalog_pricepoint
BEGIN
    SELECT RAISE(ABORT, 'prices over time are never changed or deleted');
END
"""
CHANGED_SQLITE = "DROP TRIGGER IF EXISTS catalog_pricepoint_append_only"


def guard_prices(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    schema_editor.execute(UNCHANGED_POSTGRESQL if vendor == "postgresql" else UNCHANGED_SQLITE, params=None)


def release_prices(apps, schema_editor):
    vendor = schema_editor.connection.vendor
    schema_editor.execute(CHANGED_POSTGRESQL if vendor == "postgresql" else CHANGED_SQLITE, params=None)


def index_words(apps, schema_editor):
    """A trigram index where the server offers one; elsewhere the same search reads the texts themselves."""
    if schema_editor.connection.vendor != "postgresql":
        return
    try:
        with transaction.atomic(using=schema_editor.connection.alias):
            schema_editor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm", params=None)
    except Error:
        # Not shipped with this server, or this role may not install it.
        return
    schema_editor.execute(
        "CREATE INDEX catalog_product_words ON catalog_product USING gin (search_text gin_trgm_ops)"
        " WHERE is_published",
        params=None,
    )


def keep_words_inline(apps, schema_editor):
    """Search reads this column of many rows: beside the row it costs a fifth of what it costs in the side table."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE catalog_product ALTER search_text SET STORAGE MAIN", params=None)


def release_words(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE catalog_product ALTER search_text SET STORAGE EXTENDED", params=None)


def forget_words(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        # The extension stays: others may use it.
        schema_editor.execute("DROP INDEX IF EXISTS catalog_product_words", params=None)


class Migration(migrations.Migration):
    dependencies = [("catalog", "0001_initial")]

    operations = [
        migrations.RunPython(guard_prices, release_prices),
        migrations.RunPython(keep_words_inline, release_words),
        migrations.RunPython(index_words, forget_words),
    ]
