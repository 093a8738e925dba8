import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from shop.core.covered_indexes import drop_covered


class Migration(migrations.Migration):
    # Beside sales: PostgreSQL drops an index at leisure outside a transaction only.
    atomic = False

    dependencies = [
        ("catalog", "0005_facets"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                drop_covered("catalog_favourite_user_id_321f4515", "catalog_favourite (user_id)"),
                drop_covered("catalog_pricepoint_product_id_910949e9", "catalog_pricepoint (product_id)"),
                drop_covered("catalog_review_product_id_e494243b", "catalog_review (product_id)"),
                drop_covered("catalog_review_user_id_743df0f5", "catalog_review (user_id)"),
                drop_covered("catalog_searchentry_product_id_f1dc48cb", "catalog_searchentry (product_id)"),
                drop_covered("catalog_variant_product_id_8a21d193", "catalog_variant (product_id)"),
            ],
            state_operations=[
                migrations.AlterField(
                    model_name="favourite",
                    name="user",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="favourites",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="membre",
                    ),
                ),
                migrations.AlterField(
                    model_name="pricepoint",
                    name="product",
                    field=models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="price_points",
                        to="catalog.product",
                        verbose_name="produit",
                    ),
                ),
                migrations.AlterField(
                    model_name="review",
                    name="product",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reviews",
                        to="catalog.product",
                        verbose_name="produit",
                    ),
                ),
                migrations.AlterField(
                    model_name="review",
                    name="user",
                    field=models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="reviews",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="membre",
                    ),
                ),
                migrations.AlterField(
                    model_name="searchentry",
                    name="product",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="search_entries",
                        to="catalog.product",
                    ),
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
            ],
        ),
    ]
