"""Lines and stock holds point to the variant that was sold."""

import django.db.models.deletion
from django.db import migrations, models


def point_to_variants(apps, schema_editor):
    """Lines by their format and finish. A hold that had taken from a format and from its product gives the product's
    units back: each variant draws on one number now."""
    Item, Hold = apps.get_model("orders", "OrderItem"), apps.get_model("orders", "StockHold")
    Product, Variant = apps.get_model("catalog", "Product"), apps.get_model("catalog", "Variant")
    for variant in Variant.objects.order_by("pk").iterator(500):
        same = {"product": variant.product_id, "variation": variant.variation_id}
        Item.objects.filter(**same, finish=variant.finish).update(variant=variant)
    for hold in Hold.objects.exclude(product=None).order_by("pk").iterator(500):
        lines = Item.objects.filter(order=hold.order_id, product=hold.product_id, variation=hold.variation_id)
        hold.variant_id = lines.exclude(variant=None).values_list("variant", flat=True).first()
        if hold.variation_id is not None and hold.variation_counted and hold.variant_id is not None:
            counted = Variant.objects.filter(pk=hold.variant_id, stock_quantity__isnull=False).exists()
            hold.level = "variant" if counted else ""
            if hold.product_counted and hold.state == "held":
                Product.objects.filter(pk=hold.product_id, stock_quantity__isnull=False).update(
                    stock_quantity=models.F("stock_quantity") + hold.quantity
                )
        elif hold.product_counted:
            hold.level = "product"
        hold.save(update_fields=["variant", "level"])
    _check_keys_now(schema_editor)


def point_to_variations(apps, schema_editor):
    """Back to formats."""
    for name in ("OrderItem", "StockHold"):
        for row in apps.get_model("orders", name).objects.exclude(variant=None).select_related("variant"):
            row.variation_id = row.variant.variation_id
            fields = ["variation"]
            if name == "StockHold":
                row.product_counted, row.variation_counted = row.level == "product", row.level == "variant"
                fields += ["product_counted", "variation_counted"]
            row.save(update_fields=fields)
    _check_keys_now(schema_editor)


def _check_keys_now(schema_editor):
    # PostgreSQL alters no table whose deferred checks are still to come.
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', "0002_variants"),
        ("orders", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name='orderitem',
            name='variant',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to='catalog.variant'),
        ),
        migrations.AddField(
            model_name='stockhold',
            name='level',
            field=models.CharField(blank=True, default='', editable=False, max_length=10),
        ),
        migrations.AddField(
            model_name='stockhold',
            name='variant',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to='catalog.variant', verbose_name='déclinaison'),
        ),
        migrations.RunPython(point_to_variants, point_to_variations),
        migrations.RemoveField(
            model_name='orderitem',
            name='variation',
        ),
        migrations.RemoveField(
            model_name='stockhold',
            name='product_counted',
        ),
        migrations.RemoveField(
            model_name='stockhold',
            name='variation',
        ),
        migrations.RemoveField(
            model_name='stockhold',
            name='variation_counted',
        ),
    ]
