import django.db.models.deletion
from django.db import migrations, models

from shop.core.covered_indexes import drop_covered


class Migration(migrations.Migration):
    # Beside sales: PostgreSQL drops an index at leisure outside a transaction only.
    atomic = False

    dependencies = [
        ("integrations", "0003_staff_calls"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                drop_covered(
                    "integrations_repeatedcall_api_key_id_22581957", "integrations_repeatedcall (api_key_id)"
                ),
                drop_covered(
                    "integrations_webhookdelivery_endpoint_id_a6031765",
                    "integrations_webhookdelivery (endpoint_id)",
                ),
            ],
            state_operations=[
                migrations.AlterField(
                    model_name="repeatedcall",
                    name="api_key",
                    field=models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="integrations.apikey",
                        verbose_name="clé d'API",
                    ),
                ),
                migrations.AlterField(
                    model_name="webhookdelivery",
                    name="endpoint",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="integrations.webhookendpoint",
                        verbose_name="webhook",
                    ),
                ),
            ],
        ),
    ]
