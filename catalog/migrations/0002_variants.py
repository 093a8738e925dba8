"""One row a format and finish: what is sold. Numbers of units move from the formats to these rows."""

import django.core.validators
import django.db.models.deletion
from decimal import Decimal
from django.db import migrations, models


FINISHES = ("painted", "unpainted")


def fill_variants(apps, schema_editor):
    """A row for each format and finish on sale. A format's units go to its first finish, and none to the others: what
    was counted once must not be sold twice."""
    Variant = apps.get_model("catalog", "Variant")
    Product = apps.get_model("catalog", "Product")
    formats = {}
    for variation in apps.get_model("catalog", "ProductVariation").objects.order_by("sort_order", "pk"):
        formats.setdefault(variation.product_id, []).append(variation)
    for product in Product.objects.select_related("category").order_by("pk").iterator(500):
        offered = [
            finish
            for finish in FINISHES
            if product.category.offers_finishes and getattr(product, f"{finish}_price") is not None
        ] or [""]
        rows = []
        for variation in formats.get(product.pk, [None]):
            for position, finish in enumerate(offered):
                row = Variant(product=product, variation=variation, finish=finish)
                if variation is not None:
                    row.in_stock = variation.in_stock
                    row.sku = variation.sku if position == 0 else ""
                    if variation.stock_quantity is not None:
                        row.stock_quantity = variation.stock_quantity if position == 0 else 0
                rows.append(row)
        Variant.objects.bulk_create(rows)
        numbers = [
            product.stock_quantity if row.stock_quantity is None else row.stock_quantity
            for row in rows
            if row.in_stock and product.in_stock and product.is_published
        ]
        Product.objects.filter(pk=product.pk).update(
            is_available=any(number != 0 for number in numbers), is_ready=any(numbers)
        )
    _check_keys_now(schema_editor)


def empty_variants(apps, schema_editor):
    """Back: a format counts the units of all its finishes."""
    for variation in apps.get_model("catalog", "ProductVariation").objects.order_by("pk"):
        rows = list(variation.variants.order_by("finish"))
        numbers = [row.stock_quantity for row in rows if row.stock_quantity is not None]
        variation.in_stock = any(row.in_stock for row in rows)
        variation.sku = next((row.sku for row in rows if row.sku), "")
        variation.stock_quantity = sum(numbers) if numbers else None
        variation.save()
    apps.get_model("catalog", "Variant").objects.all().delete()
    _check_keys_now(schema_editor)


def _check_keys_now(schema_editor):
    # PostgreSQL alters no table whose deferred checks are still to come.
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class Migration(migrations.Migration):

    dependencies = [
        ("catalog", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name='Variant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('finish', models.CharField(blank=True, choices=[('painted', 'Peint'), ('unpainted', 'Non peint')], default='', max_length=10, verbose_name='finition')),
                ('sku', models.CharField(blank=True, default='', max_length=80, verbose_name='référence')),
                ('price', models.DecimalField(blank=True, decimal_places=2, help_text='Vide\xa0: celui de la finition et du format.', max_digits=10, null=True, validators=[django.core.validators.MinValueValidator(Decimal('0.01'), 'Le prix doit être supérieur à 0,00\xa0€.')], verbose_name='prix propre (€)')),
                ('in_stock', models.BooleanField(default=True, verbose_name='disponible')),
                ('stock_quantity', models.PositiveIntegerField(blank=True, help_text='Vide\xa0: celle du produit.', null=True, verbose_name='quantité en stock')),
                ('weight_grams', models.PositiveIntegerField(blank=True, help_text='Vide\xa0: celui du produit.', null=True, verbose_name='poids emballé (g)')),
                ('production_days_min', models.PositiveSmallIntegerField(blank=True, help_text='Vide\xa0: le délai du produit.', null=True, verbose_name='fabrication, minimum (jours)')),
                ('production_days_max', models.PositiveSmallIntegerField(blank=True, null=True, verbose_name='fabrication, maximum (jours)')),
                ('dimensions', models.CharField(blank=True, default='', help_text='Vide\xa0: celles du produit.', max_length=80, verbose_name='dimensions')),
                ('height_cm', models.DecimalField(blank=True, decimal_places=1, max_digits=6, null=True, validators=[django.core.validators.MinValueValidator(Decimal('0.1'))], verbose_name='hauteur (cm)')),
                ('weight', models.CharField(blank=True, default='', max_length=40, verbose_name='poids')),
            ],
            options={
                'verbose_name': 'déclinaison',
                'verbose_name_plural': 'déclinaisons',
                'ordering': ('variation__sort_order', 'variation', 'finish'),
            },
        ),
        migrations.AddField(
            model_name='product',
            name='is_available',
            field=models.BooleanField(default=False, editable=False, verbose_name='achetable'),
        ),
        migrations.AddField(
            model_name='product',
            name='is_ready',
            field=models.BooleanField(default=False, editable=False, verbose_name='prêt à partir'),
        ),
        migrations.AddField(
            model_name='variant',
            name='product',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='variants', to='catalog.product'),
        ),
        migrations.AddField(
            model_name='variant',
            name='variation',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='variants', to='catalog.productvariation', verbose_name='format'),
        ),
        migrations.AddConstraint(
            model_name='variant',
            constraint=models.UniqueConstraint(fields=('product', 'variation', 'finish'), name='variant_once'),
        ),
        migrations.AddConstraint(
            model_name='variant',
            constraint=models.UniqueConstraint(condition=models.Q(('variation__isnull', True)), fields=('product', 'finish'), name='variant_plain_once'),
        ),
        migrations.AddConstraint(
            model_name='variant',
            constraint=models.UniqueConstraint(condition=models.Q(('sku', ''), _negated=True), fields=('sku',), name='variant_sku_unique', violation_error_message="Cette référence est déjà celle d'une autre déclinaison."),
        ),
        migrations.AddConstraint(
            model_name='variant',
            constraint=models.CheckConstraint(condition=models.Q(('finish__in', ['', 'painted', 'unpainted'])), name='variant_finish_known'),
        ),
        migrations.AddConstraint(
            model_name='variant',
            constraint=models.CheckConstraint(condition=models.Q(('price__isnull', True), models.Q(('price__gt', 0), ('variation__isnull', False)), _connector='OR'), name='variant_price_of_a_format', violation_error_message='Sans format, le prix est celui du produit.'),
        ),
        migrations.AddConstraint(
            model_name='variant',
            constraint=models.CheckConstraint(condition=models.Q(('height_cm__gt', 0), ('height_cm__isnull', True), _connector='OR'), name='variant_height_positive'),
        ),
        migrations.AddConstraint(
            model_name='variant',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('production_days_max__isnull', True), ('production_days_min__isnull', True)), models.Q(('production_days_max__isnull', False), ('production_days_min__isnull', False), ('production_days_min__lte', models.F('production_days_max'))), _connector='OR'), name='variant_production_ordered', violation_error_message="Indiquez les deux délais, le plus court d'abord, ou aucun."),
        ),
        migrations.RunPython(fill_variants, empty_variants),
        migrations.RemoveConstraint(
            model_name='productvariation',
            name='variation_sku_unique',
        ),
        migrations.RemoveConstraint(
            model_name='productvariation',
            name='variation_stock_not_negative',
        ),
        migrations.RemoveField(
            model_name='productvariation',
            name='in_stock',
        ),
        migrations.RemoveField(
            model_name='productvariation',
            name='sku',
        ),
        migrations.RemoveField(
            model_name='productvariation',
            name='stock_quantity',
        ),
    ]
