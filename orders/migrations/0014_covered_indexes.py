import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from shop.core.covered_indexes import drop_covered


class Migration(migrations.Migration):
    # Beside sales: PostgreSQL drops an index at leisure outside a transaction only.
    atomic = False

    dependencies = [
        ("orders", "0013_refunds_of_sent_pieces"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                drop_covered("orders_attempt_payment_id_09614f6b", "orders_attempt (payment_id)"),
                drop_covered("orders_order_user_id_e9b59eb1", "orders_order (user_id)"),
                drop_covered("orders_payment_order_id_bdccf250", "orders_payment (order_id)"),
                drop_covered("orders_refundline_request_id_db2295b3", "orders_refundline (request_id)"),
                drop_covered("orders_shipmentline_shipment_id_fa484a42", "orders_shipmentline (shipment_id)"),
                drop_covered("orders_shippingratestep_zone_id_294e878d", "orders_shippingratestep (zone_id)"),
                drop_covered(
                    "orders_withdrawalline_withdrawal_id_90edbf3b", "orders_withdrawalline (withdrawal_id)"
                ),
                drop_covered("orders_workpiece_item_id_9bb3e50a", "orders_workpiece (item_id)"),
            ],
            state_operations=[
                migrations.AlterField(
                    model_name="attempt",
                    name="payment",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="attempts",
                        to="orders.payment",
                        verbose_name="paiement",
                    ),
                ),
                migrations.AlterField(
                    model_name="order",
                    name="user",
                    field=models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="orders",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="membre",
                    ),
                ),
                migrations.AlterField(
                    model_name="payment",
                    name="order",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="payments",
                        to="orders.order",
                        verbose_name="commande",
                    ),
                ),
                migrations.AlterField(
                    model_name="refundline",
                    name="request",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="lines",
                        to="orders.refundrequest",
                    ),
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
                    model_name="shippingratestep",
                    name="zone",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rate_steps",
                        to="orders.shippingzone",
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
                migrations.AlterField(
                    model_name="workpiece",
                    name="item",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pieces",
                        to="orders.orderitem",
                        verbose_name="ligne",
                    ),
                ),
            ],
        ),
    ]
