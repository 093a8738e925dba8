"""When each product was first published: with its creation, which is where lists show it. Nothing for a draft that the
public never saw: the shop has recorded no price of it."""

from django.db import migrations

from shop.core.schema_step import SchemaStep

BATCH = 1000

_READ = "SELECT id FROM catalog_product WHERE id > %s ORDER BY id LIMIT %s"
_WRITE = (
    "UPDATE catalog_product SET published_at = CASE WHEN is_published OR was_published"
    " OR EXISTS (SELECT 1 FROM catalog_pricepoint WHERE product_id = catalog_product.id)"
    " THEN created_at END WHERE id BETWEEN %s AND %s"
)


def fill(apps, schema_editor):
    last = 0
    with schema_editor.connection.cursor() as cursor:
        while True:
            cursor.execute(_READ, [last, BATCH])
            keys = [key for (key,) in cursor.fetchall()]
            if not keys:
                return
            last = keys[-1]
            cursor.execute(_WRITE, [keys[0], last])


class Migration(migrations.Migration):
    # Beside sales: a batch at a time.
    atomic = False

    dependencies = [("catalog", "0012_published_at")]

    operations = [SchemaStep(fill, SchemaStep.noop)]
