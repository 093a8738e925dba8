import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0010_sort_name_indexes"),
    ]

    # Names alone: the database has nothing to do.
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterModelOptions(
                    name="retiredpicture",
                    options={"verbose_name": "image retirée", "verbose_name_plural": "images retirées"},
                ),
                migrations.AlterField(
                    model_name="categorypicture",
                    name="category",
                    field=models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="picture",
                        to="catalog.category",
                        verbose_name="catégorie",
                    ),
                ),
                migrations.AlterField(
                    model_name="pictureimport",
                    name="attempts",
                    field=models.PositiveSmallIntegerField(default=0, verbose_name="essais"),
                ),
                migrations.AlterField(
                    model_name="pictureimport",
                    name="failure",
                    field=models.CharField(blank=True, default="", max_length=40, verbose_name="erreur"),
                ),
                migrations.AlterField(
                    model_name="pictureimport",
                    name="lease_until",
                    field=models.DateTimeField(null=True, verbose_name="réservée jusqu'à"),
                ),
                migrations.AlterField(
                    model_name="pictureimport",
                    name="next_attempt_at",
                    field=models.DateTimeField(
                        default=django.utils.timezone.now, verbose_name="prochain essai"
                    ),
                ),
                migrations.AlterField(
                    model_name="pictureimport",
                    name="position",
                    field=models.PositiveSmallIntegerField(default=0, verbose_name="ordre"),
                ),
                migrations.AlterField(
                    model_name="pictureimport",
                    name="product",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="picture_imports",
                        to="catalog.product",
                        verbose_name="produit",
                    ),
                ),
                migrations.AlterField(
                    model_name="pictureimport",
                    name="state",
                    field=models.CharField(
                        choices=[("queued", "En attente"), ("failed", "Échec")],
                        default="queued",
                        max_length=10,
                        verbose_name="état",
                    ),
                ),
                migrations.AlterField(
                    model_name="pictureimport",
                    name="url",
                    field=models.CharField(max_length=2000, verbose_name="adresse de la photo"),
                ),
                migrations.AlterField(
                    model_name="pictureimport",
                    name="variation",
                    field=models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="catalog.productvariation",
                        verbose_name="format",
                    ),
                ),
                migrations.AlterField(
                    model_name="productimage",
                    name="product",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="images",
                        to="catalog.product",
                        verbose_name="produit",
                    ),
                ),
                migrations.AlterField(
                    model_name="retiredpicture",
                    name="derivatives",
                    field=models.JSONField(default=dict, verbose_name="fichiers dérivés"),
                ),
                migrations.AlterField(
                    model_name="retiredpicture",
                    name="file",
                    field=models.FileField(max_length=120, upload_to="", verbose_name="fichier"),
                ),
                migrations.AlterField(
                    model_name="retiredpicture",
                    name="retired_at",
                    field=models.DateTimeField(default=django.utils.timezone.now, verbose_name="retirée le"),
                ),
                migrations.AlterField(
                    model_name="variant",
                    name="product",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="variants",
                        to="catalog.product",
                        verbose_name="produit",
                    ),
                ),
            ]
        )
    ]
