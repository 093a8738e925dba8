import uuid

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("orders", "0015_reductions_account"),
    ]

    # Names alone: the database has nothing to do.
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterModelOptions(
                    name="invoicedocument",
                    options={
                        "verbose_name": "document d'une facture",
                        "verbose_name_plural": "documents des factures",
                    },
                ),
                migrations.AlterField(
                    model_name="cardchange",
                    name="checkout_session_id",
                    field=models.CharField(
                        blank=True,
                        max_length=255,
                        null=True,
                        unique=True,
                        verbose_name="page de paiement chez Stripe",
                    ),
                ),
                migrations.AlterField(
                    model_name="cardchange",
                    name="checkout_session_url",
                    field=models.TextField(blank=True, verbose_name="adresse de cette page"),
                ),
                migrations.AlterField(
                    model_name="cardchange",
                    name="customer_id",
                    field=models.CharField(blank=True, max_length=255, verbose_name="client chez Stripe"),
                ),
                migrations.AlterField(
                    model_name="cardchange",
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
                    model_name="cardchange",
                    name="order",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="card_changes",
                        to="orders.order",
                        verbose_name="commande",
                    ),
                ),
                migrations.AlterField(
                    model_name="contractdocument",
                    name="contract",
                    field=models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="document",
                        to="orders.contract",
                        verbose_name="contrat",
                    ),
                ),
                migrations.AlterField(
                    model_name="contractdocument",
                    name="created_at",
                    field=models.DateTimeField(default=django.utils.timezone.now, verbose_name="fait le"),
                ),
                migrations.AlterField(
                    model_name="contractdocument",
                    name="pdf",
                    field=models.BinaryField(verbose_name="fichier PDF"),
                ),
                migrations.AlterField(
                    model_name="discardedcard",
                    name="order",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="discarded_cards",
                        to="orders.order",
                        verbose_name="commande",
                    ),
                ),
                migrations.AlterField(
                    model_name="discardedcard",
                    name="payment_method_id",
                    field=models.CharField(max_length=255, unique=True, verbose_name="carte chez Stripe"),
                ),
                migrations.AlterField(
                    model_name="invoicedocument",
                    name="created_at",
                    field=models.DateTimeField(default=django.utils.timezone.now, verbose_name="fait le"),
                ),
                migrations.AlterField(
                    model_name="invoicedocument",
                    name="invoice",
                    field=models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="document",
                        to="orders.invoice",
                        verbose_name="facture ou avoir",
                    ),
                ),
                migrations.AlterField(
                    model_name="invoicedocument",
                    name="pdf",
                    field=models.BinaryField(verbose_name="fichier PDF"),
                ),
                migrations.AlterField(
                    model_name="invoicedraft",
                    name="order",
                    field=models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invoice_draft",
                        to="orders.order",
                        verbose_name="commande",
                    ),
                ),
                migrations.AlterField(
                    model_name="invoicedraft",
                    name="updated_at",
                    field=models.DateTimeField(auto_now=True, verbose_name="modifié le"),
                ),
                migrations.AlterField(
                    model_name="shipmentline",
                    name="shipment",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="lines",
                        to="orders.shipment",
                        verbose_name="expédition",
                    ),
                ),
                migrations.AlterField(
                    model_name="withdrawal",
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
                    model_name="withdrawal",
                    name="order",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="withdrawals",
                        to="orders.order",
                        verbose_name="commande",
                    ),
                ),
                migrations.AlterField(
                    model_name="withdrawal",
                    name="submission_key",
                    field=models.CharField(
                        editable=False, max_length=64, unique=True, verbose_name="clé du formulaire"
                    ),
                ),
                migrations.AlterField(
                    model_name="withdrawalline",
                    name="item",
                    field=models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="orders.orderitem",
                        verbose_name="ligne de commande",
                    ),
                ),
                migrations.AlterField(
                    model_name="withdrawalline",
                    name="withdrawal",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="lines",
                        to="orders.withdrawal",
                        verbose_name="rétractation",
                    ),
                ),
            ]
        )
    ]
