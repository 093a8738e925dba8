"""The names of products as lists from A to Z compare them. A product that the version before writes meanwhile has its
own when it is next written."""

from django.db import migrations

from shop.core.schema_step import SchemaStep
from shop.core.searching import folded

LANGUAGES = ("fr", "en", "es", "de")
BATCH = 1000
LONGEST = 160

_READ = (
    f"SELECT id, {', '.join(f'name_{language}' for language in LANGUAGES)} FROM catalog_product"
    " WHERE id > %s ORDER BY id LIMIT %s"
)
_WRITE = f"UPDATE catalog_product SET {', '.join(f'sort_name_{language} = %s' for language in LANGUAGES)} WHERE id = %s"


def fill(apps, schema_editor):
    last = 0
    with schema_editor.connection.cursor() as cursor:
        while True:
            cursor.execute(_READ, [last, BATCH])
            rows = cursor.fetchall()
            if not rows:
                return
            names = ((pk, [name or french or "" for name in (french, *others)]) for pk, french, *others in rows)
            cursor.executemany(_WRITE, [[*(folded(name)[:LONGEST] for name in shown), pk] for pk, shown in names])
            last = rows[-1][0]


class Migration(migrations.Migration):
    # Beside sales: a row at a time.
    atomic = False

    dependencies = [("catalog", "0008_sort_names")]

    operations = [SchemaStep(fill, SchemaStep.noop)]
