import uuid

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("integrations", "0005_key_last_day"),
    ]

    # Names alone: the database has nothing to do.
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterModelOptions(
                    name="repeatedcall",
                    options={"verbose_name": "appel répété", "verbose_name_plural": "appels répétés"},
                ),
                migrations.AlterModelOptions(
                    name="webhookattempt",
                    options={
                        "ordering": ("-started_at", "-pk"),
                        "verbose_name": "tentative d'envoi",
                        "verbose_name_plural": "tentatives d'envoi",
                    },
                ),
                migrations.AlterModelOptions(
                    name="webhookdelivery",
                    options={
                        "ordering": ("-created_at", "-pk"),
                        "verbose_name": "envoi d'un webhook",
                        "verbose_name_plural": "envois des webhooks",
                    },
                ),
                migrations.AlterModelOptions(
                    name="webhookevent",
                    options={
                        "ordering": ("-created_at", "-pk"),
                        "verbose_name": "évènement d'un webhook",
                        "verbose_name_plural": "évènements des webhooks",
                    },
                ),
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
                    model_name="repeatedcall",
                    name="created_at",
                    field=models.DateTimeField(
                        db_index=True, default=django.utils.timezone.now, verbose_name="reçu le"
                    ),
                ),
                migrations.AlterField(
                    model_name="repeatedcall",
                    name="idempotency_key",
                    field=models.CharField(max_length=200, verbose_name="clé d'idempotence"),
                ),
                migrations.AlterField(
                    model_name="repeatedcall",
                    name="subject_id",
                    field=models.BigIntegerField(null=True, verbose_name="ligne trouvée ou faite"),
                ),
                migrations.AlterField(
                    model_name="webhookattempt",
                    name="delivery",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="log",
                        to="integrations.webhookdelivery",
                        verbose_name="envoi",
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
                migrations.AlterField(
                    model_name="webhookdelivery",
                    name="event",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="integrations.webhookevent",
                        verbose_name="évènement",
                    ),
                ),
                migrations.AlterField(
                    model_name="webhookdelivery",
                    name="lease_until",
                    field=models.DateTimeField(null=True, verbose_name="réservé jusqu'à"),
                ),
                migrations.AlterField(
                    model_name="webhookendpoint",
                    name="former_secret_until",
                    field=models.DateTimeField(
                        editable=False, null=True, verbose_name="ancien secret valable jusqu'à"
                    ),
                ),
                migrations.AlterField(
                    model_name="webhookevent",
                    name="dispatched_at",
                    field=models.DateTimeField(null=True, verbose_name="réparti le"),
                ),
                migrations.AlterField(
                    model_name="webhookevent",
                    name="endpoint",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="integrations.webhookendpoint",
                        verbose_name="webhook",
                    ),
                ),
                migrations.AlterField(
                    model_name="webhookevent",
                    name="id",
                    field=models.UUIDField(
                        default=uuid.uuid4,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                        verbose_name="clé",
                    ),
                ),
            ]
        )
    ]
