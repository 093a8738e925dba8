"""An order is never paid and `pending`; columns say where a closed order came from; payments may be suspended."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

PAID = ("confirmed", "processing", "shipped", "delivered")
ENDINGS = ("cancelled", "refunded")


def fill_columns(apps, schema_editor):
    """Paid orders that stand as `pending` go back to where they came from, closed ones learn where that was."""
    Order = apps.get_model("orders", "Order")
    for order in Order.objects.filter(status="pending", paid_at__isnull=False):
        order.status = former(order, after="pending") or by_dates(order)
        order.save(update_fields=["status"])
    for order in Order.objects.filter(status__in=ENDINGS):
        cancelled = changes(order, after="cancelled").last()
        if order.status == "cancelled" or former(order, after="refunded") == "cancelled":
            order.cancelled_at = order.updated_at if cancelled is None else cancelled.created_at
        if order.paid_at is not None:
            before = former(order, after=order.status)
            if before in ENDINGS:
                before = former(order, after="cancelled")
            order.status_before_closing = before if before in PAID else by_dates(order)
        order.save(update_fields=["cancelled_at", "status_before_closing"])
    # Archived before that was refused: somebody is still to do something about them.
    archived = Order.objects.filter(archived_at__isnull=False)
    archived.exclude(status__in=("delivered", *ENDINGS)).update(archived_at=None)
    archived.filter(payments__state__in=("scheduled", "due", "overdue")).update(archived_at=None)


def changes(order, *, after):
    """The journal's lines about a change to this status, oldest first."""
    names = {"refunded": ["order.refunded"]}.get(after, ["order.status_changed"])
    told = order.events.filter(name__in=names).order_by("created_at", "pk")
    return told if after == "refunded" else told.filter(data__after=after).exclude(data__before=after)


def former(order, *, after):
    """The status before the last change to `after`; "" when the journal does not tell."""
    line = changes(order, after=after).last()
    return "" if line is None else line.data.get("before", "")


def by_dates(order):
    if order.delivered_at is not None:
        return "delivered"
    return "confirmed" if order.shipped_at is None else "shipped"



class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0016_unpaid_holds'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='InstalmentPause',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('started_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='suspendues le')),
                ('started_by', models.CharField(choices=[('customer', 'Le client'), ('staff', "L'atelier")], max_length=8, verbose_name='suspendues par')),
                ('reason', models.CharField(blank=True, max_length=500, verbose_name='motif')),
                ('ended_at', models.DateTimeField(blank=True, null=True, verbose_name='reprises le')),
                ('ended_by', models.CharField(blank=True, choices=[('customer', 'Le client'), ('staff', "L'atelier"), ('dispatch', "L'expédition")], max_length=8, verbose_name='reprises par')),
            ],
            options={
                'verbose_name': 'suspension des échéances',
                'verbose_name_plural': 'suspensions des échéances',
                'ordering': ('started_at', 'pk'),
            },
        ),
        migrations.AddField(
            model_name='order',
            name='cancelled_at',
            field=models.DateTimeField(blank=True, null=True, verbose_name='annulée le'),
        ),
        migrations.AddField(
            model_name='order',
            name='retention_decision',
            field=models.CharField(blank=True, max_length=500, verbose_name="décision sur l'argent gardé"),
        ),
        migrations.AddField(
            model_name='order',
            name='retention_reason',
            field=models.CharField(blank=True, max_length=500, verbose_name="pourquoi l'argent est gardé"),
        ),
        migrations.AddField(
            model_name='order',
            name='status_before_closing',
            field=models.CharField(blank=True, choices=[('pending', 'En attente'), ('confirmed', 'Confirmée'), ('processing', 'En préparation'), ('shipped', 'Expédiée'), ('delivered', 'Livrée'), ('cancelled', 'Annulée'), ('refunded', 'Remboursée')], editable=False, max_length=12, verbose_name='statut avant la clôture'),
        ),
        migrations.AddField(
            model_name='ordertracking',
            name='undone',
            field=models.BooleanField(default=False, verbose_name='annulée depuis'),
        ),
        migrations.AddField(
            model_name='withdrawalcase',
            name='revocation_text',
            field=models.TextField(blank=True, max_length=5000, verbose_name='écrit du client qui y renonce'),
        ),
        migrations.AddField(
            model_name='withdrawalcase',
            name='revoked_on',
            field=models.DateField(blank=True, null=True, verbose_name='écrit du'),
        ),
        migrations.RunPython(fill_columns, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name='order',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'pending'), _negated=True), ('paid_at__isnull', True), _connector='OR'), name='order_pending_is_unpaid'),
        ),
        migrations.AddField(
            model_name='instalmentpause',
            name='actor',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='par'),
        ),
        migrations.AddField(
            model_name='instalmentpause',
            name='order',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='instalment_pauses', to='orders.order', verbose_name='commande'),
        ),
        migrations.AddConstraint(
            model_name='instalmentpause',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('order',), name='pause_one_open_an_order'),
        ),
    ]
