"""Tracking numbers that were typed in groups are found as one word, also those of orders from before."""

from django.db import migrations
from django.db.models import F, Value
from django.db.models.functions import Concat

from orders.models.carrier import as_one_word
from orders.search_index import search_words


def forwards(apps, schema_editor):
    alias = schema_editor.connection.alias
    trackings, entries = (
        apps.get_model("orders", name).objects.using(alias) for name in ("OrderTracking", "OrderSearchEntry")
    )
    numbers = trackings.exclude(tracking_number="").values_list("order", "tracking_number")
    for order, number in numbers.order_by("pk"):
        if as_one_word(number) == number:
            continue
        for word in search_words(as_one_word(number)):
            # One statement: the shop goes on writing words of orders.
            lacking = entries.filter(order=order).exclude(text__contains=word)
            lacking.update(text=Concat(F("text"), Value(f" {word}")))


class Migration(migrations.Migration):
    # Beside sales: a row at a time.
    atomic = False

    dependencies = [("orders", "0016_names_in_words")]

    operations = [migrations.RunPython(forwards, migrations.RunPython.noop)]
