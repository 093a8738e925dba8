"""The journals of orders that were erased before lose the cards of their customers, which are all that these lines hold."""

from django.db import migrations


def forwards(apps, schema_editor):
    events = apps.get_model("orders", "OrderEvent").objects.using(schema_editor.connection.alias)
    cards = events.filter(name__in=("card.kept", "card.change_dropped"))
    cards.filter(order__personal_data_erased_at__isnull=False).update(data={})


class Migration(migrations.Migration):
    # Beside sales: nothing writes a line of such an order any more.
    atomic = False

    dependencies = [("orders", "0017_tracking_words")]

    operations = [migrations.RunPython(forwards, migrations.RunPython.noop)]
