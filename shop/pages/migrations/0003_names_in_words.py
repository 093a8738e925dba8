import uuid

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("pages", "0002_cart_reminders"),
    ]

    # Names alone: the database has nothing to do.
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterModelOptions(
                    name="contactimage",
                    options={
                        "ordering": ("pk",),
                        "verbose_name": "image d'une demande",
                        "verbose_name_plural": "images des demandes",
                    },
                ),
                migrations.AlterModelOptions(
                    name="contactreply",
                    options={
                        "ordering": ("created_at", "pk"),
                        "verbose_name": "réponse à un message",
                        "verbose_name_plural": "réponses aux messages",
                    },
                ),
                migrations.AlterField(
                    model_name="contactimage",
                    name="request",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="images",
                        to="pages.contactrequest",
                        verbose_name="demande de contact",
                    ),
                ),
                migrations.AlterField(
                    model_name="contactreply",
                    name="key",
                    field=models.UUIDField(editable=False, unique=True, verbose_name="clé de l'e-mail"),
                ),
                migrations.AlterField(
                    model_name="contactreply",
                    name="request",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="replies",
                        to="pages.contactrequest",
                        verbose_name="demande de contact",
                    ),
                ),
                migrations.AlterField(
                    model_name="dataexport",
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
