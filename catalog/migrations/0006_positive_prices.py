from decimal import Decimal

import django.core.validators
from django.db import migrations, models
from django.db.models import Q


def _check_keys(schema_editor):
    """PostgreSQL alters no table while foreign keys of changed rows wait to be checked."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def drop_free_prices(apps, schema_editor):
    """What was sold for nothing is no price: the choice loses it, and a product without any leaves the catalogue."""
    Product = apps.get_model("catalog", "Product")
    for field in ("original_price", "painted_price", "unpainted_price"):
        Product.objects.filter(**{field: 0}).update(**{field: None})
    Product.objects.filter(price=0).update(price="0.01", is_published=False)
    free = apps.get_model("catalog", "ProductVariation").objects.filter(price_override=0)
    apps.get_model("catalog", "Variant").objects.filter(variation__in=free).update(in_stock=False)
    free.update(price_override=None)
    _check_keys(schema_editor)


def copy_single_prices(apps, schema_editor):
    """A reduced product of one price is reduced to it; the others get theirs when they are saved next."""
    Product = apps.get_model("catalog", "Product")
    Product.objects.filter(crossed_out__isnull=False, price_from=models.F("price_to")).update(
        reduced_price=models.F("price_from")
    )
    _check_keys(schema_editor)


def _positive(field):
    return Q(**{f"{field}__gt": 0}) | Q(**{f"{field}__isnull": True})


class Migration(migrations.Migration):
    dependencies = [("catalog", "0005_search")]

    operations = [
        migrations.RunPython(drop_free_prices, migrations.RunPython.noop),
        migrations.AddField(
            model_name="product",
            name="reduced_price",
            field=models.DecimalField(
                decimal_places=2, editable=False, max_digits=10, null=True, verbose_name="prix réduit (€)"
            ),
        ),
        migrations.RunPython(copy_single_prices, migrations.RunPython.noop),
        *(
            migrations.RemoveConstraint(model_name=model, name=name)
            for model, name in (
                ("product", "product_price_not_negative"),
                ("product", "product_original_not_negative"),
                ("product", "product_painted_not_negative"),
                ("product", "product_unpainted_not_negative"),
                ("productvariation", "variation_override_not_negative"),
            )
        ),
        *(
            migrations.AddConstraint(
                model_name=model, constraint=models.CheckConstraint(condition=condition, name=name)
            )
            for model, condition, name in (
                ("product", Q(price__gt=0), "product_price_positive"),
                ("product", _positive("original_price"), "product_original_positive"),
                ("product", _positive("painted_price"), "product_painted_positive"),
                ("product", _positive("unpainted_price"), "product_unpainted_positive"),
                ("productvariation", _positive("price_override"), "variation_override_positive"),
            )
        ),
        migrations.AlterField(
            model_name='product',
            name='original_price',
            field=models.DecimalField(blank=True, decimal_places=2, help_text='Affiché barré, plafonné au prix le plus bas des 30 jours avant la baisse (L112-1-1).', max_digits=10, null=True, validators=[django.core.validators.MinValueValidator(Decimal('0.01'), 'Le prix doit être supérieur à 0,00\xa0€.')], verbose_name="prix d'origine (€)"),
        ),
        migrations.AlterField(
            model_name='product',
            name='painted_price',
            field=models.DecimalField(blank=True, decimal_places=2, max_digits=10, null=True, validators=[django.core.validators.MinValueValidator(Decimal('0.01'), 'Le prix doit être supérieur à 0,00\xa0€.')], verbose_name='prix peint (€)'),
        ),
        migrations.AlterField(
            model_name='product',
            name='price',
            field=models.DecimalField(decimal_places=2, max_digits=10, validators=[django.core.validators.MinValueValidator(Decimal('0.01'), 'Le prix doit être supérieur à 0,00\xa0€.')], verbose_name='prix de base (€)'),
        ),
        migrations.AlterField(
            model_name='product',
            name='unpainted_price',
            field=models.DecimalField(blank=True, decimal_places=2, max_digits=10, null=True, validators=[django.core.validators.MinValueValidator(Decimal('0.01'), 'Le prix doit être supérieur à 0,00\xa0€.')], verbose_name='prix non peint (€)'),
        ),
        migrations.AlterField(
            model_name='productvariation',
            name='price_override',
            field=models.DecimalField(blank=True, decimal_places=2, help_text="Remplace le prix du produit et l'écart.", max_digits=10, null=True, validators=[django.core.validators.MinValueValidator(Decimal('0.01'), 'Le prix doit être supérieur à 0,00\xa0€.')], verbose_name='prix fixe (€)'),
        ),
    ]
