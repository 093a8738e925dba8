"""Days on which a bank kept an order at the workshop, which were asked of its journal each time."""

from datetime import timedelta

from django.db import migrations, models
from django.utils import timezone


def forwards(apps, schema_editor):
    alias = schema_editor.connection.alias
    disputes = apps.get_model("orders", "Dispute").objects.using(alias)
    events = apps.get_model("orders", "OrderEvent").objects.using(alias)
    orders = apps.get_model("orders", "Order").objects.using(alias)
    disputed = disputes.filter(closed_at__isnull=False).values("order")
    for order in orders.filter(status__in=("confirmed", "processing"), pk__in=disputed):
        changed = events.filter(order=order, name="delivery.promise_changed").order_by("created_at").last()
        since = order.created_at if changed is None else changed.created_at
        days = set()
        for dispute in disputes.filter(order=order, closed_at__gt=since):
            first = timezone.localdate(max(dispute.opened_at, since))
            days |= {
                first + timedelta(days=number)
                for number in range((timezone.localdate(dispute.closed_at) - first).days)
            }
        if days:
            orders.filter(pk=order.pk).update(excused_until=order.promised_by + timedelta(days=len(days)))


class Migration(migrations.Migration):
    dependencies = [("orders", "0020_explained_differences")]

    operations = [
        migrations.AddField(
            model_name="order",
            name="excused_until",
            field=models.DateField(
                editable=False, null=True, verbose_name="en retard après le, litiges compris"
            ),
        ),
        migrations.RunPython(forwards, migrations.RunPython.noop),
    ]
