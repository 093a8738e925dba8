import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("orders", "0018_tracking_carrier")]

    operations = [
        migrations.RemoveConstraint("finding", "finding_once"),
        migrations.RemoveConstraint("finding", "finding_kind_known"),
        migrations.RenameModel("Finding", "Discrepancy"),
        migrations.RenameModel("InstalmentPause", "InstallmentPause"),
        migrations.AddConstraint("discrepancy", models.UniqueConstraint(fields=("kind", "provider_id"), name="discrepancy_once")),
        migrations.AddConstraint("discrepancy", models.CheckConstraint(condition=models.Q(("kind__in", ["money_without_order", "order_without_money", "amount_differs", "refund_differs", "dispute_differs", "payment_unmatched"])), name="discrepancy_kind_known")),
    ]
