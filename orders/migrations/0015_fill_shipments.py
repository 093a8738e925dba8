"""What has left becomes a parcel; every order gets the words by which staff find it."""

from itertools import groupby

from django.db import migrations
from django.db.models import F, Q

from orders.search_index import search_text

BATCH = 1000


def _batches(keys):
    return (keys[start : start + BATCH] for start in range(0, len(keys), BATCH))


def write_parcels(apps, schema_editor):
    Order, OrderItem, Shipment, ShipmentLine, OrderTracking = (
        apps.get_model("orders", name)
        for name in ("Order", "OrderItem", "Shipment", "ShipmentLine", "OrderTracking")
    )
    left = Order.objects.filter(Q(shipped_at__isnull=False) | Q(delivered_at__isnull=False)).order_by("pk")
    for keys in _batches(list(left.values_list("pk", flat=True))):
        numbers = {
            row["order"]: row
            for row in OrderTracking.objects.filter(order__in=keys, status="shipped", undone=False)
            .exclude(tracking_number="")
            .order_by("created_at", "pk")
            .values("order", "carrier", "tracking_number", "actor")
        }
        parcels = [
            Shipment(
                order_id=order.pk,
                sent_at=order.shipped_at or order.delivered_at,
                created_at=order.shipped_at or order.delivered_at,
                carrier=said.get("carrier", ""),
                tracking_number=said.get("tracking_number", ""),
                actor_id=said.get("actor"),
            )
            for order in Order.objects.filter(pk__in=keys)
            for said in [numbers.get(order.pk, {})]
        ]
        written = {parcel.order_id: parcel for parcel in Shipment.objects.bulk_create(parcels)}
        items = OrderItem.objects.filter(order__in=keys)
        ShipmentLine.objects.bulk_create(
            ShipmentLine(shipment=written[order], item_id=item, quantity=quantity)
            for order, item, quantity in items.values_list("order", "pk", "quantity")
        )
        items.update(sent_quantity=F("quantity"))
        for parcel in written.values():
            Order.objects.filter(pk=parcel.order_id).update(first_sent_at=parcel.sent_at)


def write_words(apps, schema_editor):
    Order, OrderItem, OrderTracking, Invoice, OrderSearchEntry = (
        apps.get_model("orders", name)
        for name in ("Order", "OrderItem", "OrderTracking", "Invoice", "OrderSearchEntry")
    )
    keys = list(Order.objects.order_by("created_at", "pk").values_list("pk", flat=True))
    for some in _batches(keys):
        texts = {key: [] for key in some}
        columns = (
            (OrderItem, ("product_name", "variation_name", "sku")),
            (OrderTracking, ("tracking_number",)),
            (Invoice, ("number",)),
        )
        for model, names in columns:
            rows = model.objects.filter(order__in=some).order_by("order").values_list("order", *names)
            for order, found in groupby(rows, key=lambda row: row[0]):
                texts[order] += [text for row in found for text in row[1:]]
        orders = Order.objects.in_bulk(some)
        OrderSearchEntry.objects.bulk_create(
            OrderSearchEntry(order_id=key, text=search_text(orders[key], texts[key])) for key in some
        )


def nothing(apps, schema_editor):
    """The tables go with the migration before."""


class Migration(migrations.Migration):

    dependencies = [("orders", "0014_shipments")]

    operations = [
        migrations.RunPython(write_parcels, nothing, elidable=False),
        migrations.RunPython(write_words, nothing, elidable=False),
    ]
