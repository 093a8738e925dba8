"""French names for lines of other languages whose orders are still at the workshop, as the catalogue has them today.

Lines of orders that have left keep the names of their language alone.
"""

from django.db import migrations
from django.db.models import F, Value
from django.db.models.functions import Concat

from orders.search_index import search_words


def forwards(apps, schema_editor):
    alias = schema_editor.connection.alias
    items, entries = (
        apps.get_model("orders", name).objects.using(alias) for name in ("OrderItem", "OrderSearchEntry")
    )
    at_work = items.filter(
        order__status__in=("pending", "confirmed", "processing"), french_name="", french_variation_name=""
    )
    for item in at_work.exclude(order__language="fr").select_related("product", "variant__variation"):
        variation = item.variant and item.variant.variation
        found = (
            ("french_name", item.product and item.product.name_fr, item.product_name),
            ("french_variation_name", variation and variation.name_fr, item.variation_name),
        )
        names = {column: french for column, french, own in found if french and french != own}
        if not names:
            continue
        items.filter(pk=item.pk).update(**names)
        # One statement: the shop goes on writing words of orders.
        words = "".join(f" {word}" for name in names.values() for word in search_words(name))
        entries.filter(order=item.order_id).update(text=Concat(F("text"), Value(words)))


class Migration(migrations.Migration):
    # Beside sales: a row at a time.
    atomic = False

    dependencies = [
        ("orders", "0010_french_names"),
        ("catalog", "0001_initial"),
    ]

    operations = [migrations.RunPython(forwards, migrations.RunPython.noop)]
