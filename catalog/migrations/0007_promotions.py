"""Promotions with dates. What a product's own columns said becomes its own undated promotion, and back."""

import django.core.validators
import django.db.models.deletion
from decimal import Decimal
from django.db import migrations, models


FIXED = {"buy_2_get_1": (2, 1), "buy_3_get_1": (3, 1), "buy_4_get_3": (4, 3)}


def move_to_rows(apps, schema_editor):
    Promotion = apps.get_model("catalog", "Promotion")
    Product = apps.get_model("catalog", "Product")
    for product in Product.objects.exclude(promotion_type="").order_by("pk").iterator(500):
        stored = (product.promotion_buy_quantity, product.promotion_get_quantity)
        buy, get = FIXED.get(product.promotion_type, stored)
        own = Promotion.objects.create(
            name=(product.name_fr or product.name)[:120], type=product.promotion_type, buy_quantity=buy,
            get_quantity=get, is_active=product.promotion_active, product=product,
        )
        if own.is_active:
            Product.objects.filter(pk=product.pk).update(running_promotion=own)
    _check_keys_now(schema_editor)


def move_to_columns(apps, schema_editor):
    """Back: only a product's own promotion that offers pieces fits its columns."""
    Product = apps.get_model("catalog", "Product")
    own = apps.get_model("catalog", "Promotion").objects.filter(product__isnull=False, buy_quantity__isnull=False)
    for promotion in own.order_by("pk"):
        Product.objects.filter(pk=promotion.product_id).update(
            promotion_active=promotion.is_active, promotion_type=promotion.type,
            promotion_buy_quantity=promotion.buy_quantity, promotion_get_quantity=promotion.get_quantity,
        )
    Product.objects.update(running_promotion=None)
    _check_keys_now(schema_editor)


def _check_keys_now(schema_editor):
    # PostgreSQL alters no table whose deferred checks are still to come.
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class Migration(migrations.Migration):

    dependencies = [
        ("catalog", "0006_positive_prices"),
    ]

    operations = [
        migrations.CreateModel(
            name='Promotion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text="Pour l'équipe\u00a0: il n'est jamais affiché.", max_length=120, verbose_name='nom interne')),
                ('type', models.CharField(choices=[('buy_2_get_1', '2 achetés, 1 offert'), ('buy_3_get_1', '3 achetés, 1 offert'), ('buy_4_get_3', '4 achetés, 3 offerts'), ('buy_n_get_m', 'Quantités libres'), ('percent', 'Réduction en pourcentage'), ('amount', "Réduction d'un montant")], max_length=20, verbose_name='type')),
                ('buy_quantity', models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='quantité achetée')),
                ('get_quantity', models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='quantité offerte')),
                ('percent', models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(99)], verbose_name='réduction (%)')),
                ('amount', models.DecimalField(blank=True, decimal_places=2, max_digits=10, null=True, validators=[django.core.validators.MinValueValidator(Decimal('0.01'))], verbose_name='réduction (€)')),
                ('starts_at', models.DateTimeField(blank=True, help_text='Vide\u00a0: dès maintenant.', null=True, verbose_name='début')),
                ('ends_at', models.DateTimeField(blank=True, help_text='Vide\u00a0: sans fin.', null=True, verbose_name='fin')),
                ('is_active', models.BooleanField(default=True, help_text="Décochée, elle ne s'applique pas, quelles que soient ses dates.", verbose_name='active')),
                ('next_boundary', models.DateTimeField(db_index=True, editable=False, null=True)),
            ],
            options={
                'verbose_name': 'promotion',
                'verbose_name_plural': 'promotions',
                'ordering': ('-starts_at', '-pk'),
            },
        ),
        migrations.AddField(
            model_name='promotion',
            name='categories',
            field=models.ManyToManyField(blank=True, related_name='promotions', to='catalog.category', verbose_name='catégories'),
        ),
        migrations.AddField(
            model_name='promotion',
            name='product',
            field=models.OneToOneField(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='own_promotion', to='catalog.product', verbose_name='produit'),
        ),
        migrations.AddField(
            model_name='promotion',
            name='products',
            field=models.ManyToManyField(blank=True, related_name='promotions', to='catalog.product', verbose_name='produits'),
        ),
        migrations.AddField(
            model_name='product',
            name='running_promotion',
            field=models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='catalog.promotion', verbose_name='promotion en cours'),
        ),
        migrations.RunPython(move_to_rows, move_to_columns),
        migrations.RemoveConstraint(
            model_name='product',
            name='product_promotion_known',
        ),
        migrations.RemoveConstraint(
            model_name='product',
            name='product_promotion_buys_one',
        ),
        migrations.RemoveConstraint(
            model_name='product',
            name='product_promotion_gives_one',
        ),
        migrations.RemoveConstraint(
            model_name='product',
            name='product_promotion_gives_less',
        ),
        migrations.RemoveConstraint(
            model_name='product',
            name='product_promotion_complete',
        ),
        migrations.RemoveField(
            model_name='product',
            name='promotion_active',
        ),
        migrations.RemoveField(
            model_name='product',
            name='promotion_buy_quantity',
        ),
        migrations.RemoveField(
            model_name='product',
            name='promotion_get_quantity',
        ),
        migrations.RemoveField(
            model_name='product',
            name='promotion_type',
        ),
        migrations.AddConstraint(
            model_name='promotion',
            constraint=models.CheckConstraint(condition=models.Q(('type__in', ['buy_2_get_1', 'buy_3_get_1', 'buy_4_get_3', 'buy_n_get_m', 'percent', 'amount'])), name='promotion_type_known'),
        ),
        migrations.AddConstraint(
            model_name='promotion',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('buy_quantity__isnull', True), ('get_quantity__isnull', True), ('amount__isnull', True), ('percent__gte', 1), ('percent__lte', 99)), models.Q(('buy_quantity__isnull', True), ('get_quantity__isnull', True), ('amount__gt', 0), ('percent__isnull', True)), models.Q(('amount__isnull', True), ('buy_quantity__gte', 1), ('get_quantity__gte', 1), ('get_quantity__lte', models.F('buy_quantity')), ('percent__isnull', True)), _connector='OR'), name='promotion_one_kind'),
        ),
        migrations.AddConstraint(
            model_name='promotion',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('type', 'percent'), _negated=True), ('percent__isnull', False), _connector='OR'), name='promotion_has_percent'),
        ),
        migrations.AddConstraint(
            model_name='promotion',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('type', 'amount'), _negated=True), ('amount__isnull', False), _connector='OR'), name='promotion_has_amount'),
        ),
        migrations.AddConstraint(
            model_name='promotion',
            constraint=models.CheckConstraint(condition=models.Q(('type__in', ('percent', 'amount')), ('buy_quantity__isnull', False), _connector='OR'), name='promotion_has_quantities'),
        ),
        migrations.AddConstraint(
            model_name='promotion',
            constraint=models.CheckConstraint(condition=models.Q(('starts_at__isnull', True), ('ends_at__isnull', True), ('ends_at__gt', models.F('starts_at')), _connector='OR'), name='promotion_dates_ordered'),
        ),
        migrations.AddConstraint(
            model_name='promotion',
            constraint=models.CheckConstraint(condition=models.Q(('product__isnull', True), models.Q(('ends_at__isnull', True), ('starts_at__isnull', True)), _connector='OR'), name='promotion_own_undated'),
        ),
    ]
