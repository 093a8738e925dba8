from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("blog", "0006_covered_indexes"),
    ]

    # Names alone: the database has nothing to do.
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="campaign",
                    name="category_name",
                    field=models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        editable=False,
                        max_length=100,
                        verbose_name="nom de la collection",
                    ),
                ),
                migrations.AlterField(
                    model_name="campaign",
                    name="cursor",
                    field=models.BigIntegerField(
                        default=0, editable=False, verbose_name="dernier abonné servi"
                    ),
                ),
                migrations.AlterField(
                    model_name="campaign",
                    name="lease_until",
                    field=models.DateTimeField(editable=False, null=True, verbose_name="réservée jusqu'à"),
                ),
                migrations.AlterField(
                    model_name="campaigntext",
                    name="blocks",
                    field=models.JSONField(editable=False, null=True, verbose_name="contenu envoyé"),
                ),
            ]
        )
    ]
