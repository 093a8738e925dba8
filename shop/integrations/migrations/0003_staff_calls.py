import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("integrations", "0002_refund_event"),
    ]

    operations = [
        migrations.AlterField(
            model_name="repeatedcall",
            name="api_key",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="integrations.apikey",
            ),
        ),
        migrations.AddConstraint(
            model_name="repeatedcall",
            constraint=models.UniqueConstraint(
                condition=models.Q(("api_key", None)),
                fields=("idempotency_key",),
                name="repeated_staff_call_once",
            ),
        ),
    ]
