"""The size filter reads the heights of the variants that a product's page offers, from columns of the product."""

from decimal import Decimal

from django.db import migrations, models

SMALL_BELOW_CM, LARGE_FROM_CM = Decimal(12), Decimal(18)
FINISHES = ("painted", "unpainted")


def fill_heights(apps, schema_editor):
    Product = apps.get_model("catalog", "Product")
    products = Product.objects.select_related("category").prefetch_related("variations", "variants")
    for product in products.order_by("pk").iterator(500):
        finishes = [
            finish
            for finish in FINISHES
            if product.category.offers_finishes and getattr(product, f"{finish}_price") is not None
        ] or [""]
        formats = sorted(product.variations.all(), key=lambda row: (row.sort_order, row.pk))
        shown = {row.pk for row in formats} or {None}
        if formats and not product.category.offers_formats:
            shown = {next((row for row in formats if row.is_default), formats[0]).pk}
        heights = {
            product.height_cm if row.height_cm is None else row.height_cm
            for row in product.variants.all()
            if row.finish in finishes and row.variation_id in shown
        } - {None}
        if heights:
            Product.objects.filter(pk=product.pk).update(
                has_small=min(heights) < SMALL_BELOW_CM,
                has_medium=any(SMALL_BELOW_CM <= height < LARGE_FROM_CM for height in heights),
                has_large=max(heights) >= LARGE_FROM_CM,
            )


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0008_retired_pictures"),
    ]

    operations = [
        migrations.AddField("product", "has_small", models.BooleanField(default=False, editable=False, verbose_name="existe en petit")),
        migrations.AddField("product", "has_medium", models.BooleanField(default=False, editable=False, verbose_name="existe en moyen")),
        migrations.AddField("product", "has_large", models.BooleanField(default=False, editable=False, verbose_name="existe en grand")),
        migrations.RunPython(fill_heights, migrations.RunPython.noop),
        migrations.AddIndex(
            "product",
            models.Index(
                fields=[
                    "category", "is_available", "is_ready", "has_small", "has_medium", "has_large",
                    "running_promotion", "crossed_out", "painted_price", "unpainted_price", "price_from", "id",
                    "is_published",
                ],
                condition=models.Q(is_published=True),
                name="product_filters",
            ),
        ),
    ]
