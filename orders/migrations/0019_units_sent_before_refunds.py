"""How many units of a refunded line had been sent, instead of whether they had.

The column `was_sent` stays in the table: the version before goes on writing it. The next release drops it.
"""

from django.db import migrations, models
from django.db.models import F, OuterRef, Q, Subquery
from django.db.models.functions import Least


def forwards(apps, schema_editor):
    lines = apps.get_model("orders", "RefundLine").objects.using(schema_editor.connection.alias)
    items = apps.get_model("orders", "OrderItem").objects.using(schema_editor.connection.alias)
    case = "request__withdrawal__case"
    had_left = (
        Q(was_sent=True)
        | Q(**{f"{case}__goods_received_at__isnull": False})
        | Q(**{f"{case}__shipping_proof_at__isnull": False})
    )
    sent = Subquery(items.filter(pk=OuterRef("item")).values("sent_quantity"))
    lines.filter(pk__in=lines.filter(had_left).values("pk")).update(sent_quantity=Least(F("quantity"), sent))


class Migration(migrations.Migration):
    dependencies = [("orders", "0018_erased_cards")]

    operations = [
        migrations.AddField(
            model_name="refundline",
            name="sent_quantity",
            field=models.PositiveIntegerField(db_default=0, default=0, verbose_name="dont déjà expédiés"),
        ),
        migrations.RunPython(forwards, migrations.RunPython.noop),
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveField(model_name="refundline", name="was_sent")]
        ),
    ]
