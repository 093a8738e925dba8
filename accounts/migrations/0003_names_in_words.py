import uuid

import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_stored_addresses"),
    ]

    # Names alone: the database has nothing to do.
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="emailchange",
                    name="id",
                    field=models.UUIDField(
                        default=uuid.uuid4,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                        verbose_name="clé",
                    ),
                ),
                migrations.AlterField(
                    model_name="emailchange",
                    name="language",
                    field=models.CharField(
                        choices=[("fr", "Français"), ("en", "English"), ("es", "Español"), ("de", "Deutsch")],
                        default="fr",
                        max_length=5,
                        verbose_name="langue",
                    ),
                ),
                migrations.AlterField(
                    model_name="signup",
                    name="created_at",
                    field=models.DateTimeField(
                        db_index=True, default=django.utils.timezone.now, verbose_name="demandée le"
                    ),
                ),
                migrations.AlterField(
                    model_name="signup",
                    name="email",
                    field=models.EmailField(db_index=True, max_length=254, verbose_name="adresse e-mail"),
                ),
                migrations.AlterField(
                    model_name="signup",
                    name="first_name",
                    field=models.CharField(blank=True, max_length=150, verbose_name="prénom"),
                ),
                migrations.AlterField(
                    model_name="signup",
                    name="id",
                    field=models.UUIDField(
                        default=uuid.uuid4,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                        verbose_name="clé",
                    ),
                ),
                migrations.AlterField(
                    model_name="signup",
                    name="language",
                    field=models.CharField(
                        choices=[("fr", "Français"), ("en", "English"), ("es", "Español"), ("de", "Deutsch")],
                        default="fr",
                        max_length=5,
                        verbose_name="langue",
                    ),
                ),
                migrations.AlterField(
                    model_name="signup",
                    name="last_name",
                    field=models.CharField(blank=True, max_length=150, verbose_name="nom"),
                ),
                migrations.AlterField(
                    model_name="signup",
                    name="orders",
                    field=models.JSONField(
                        blank=True, default=list, verbose_name="commandes passées avec cette adresse"
                    ),
                ),
            ]
        )
    ]
