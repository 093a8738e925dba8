"""Orders at the workshop get their pieces on the board."""

from django.db import migrations
from django.db.models import Q

BATCH = 500


def _pieces(WorkPiece, item, lines, returned):
    """The units of a line: those in parcels, then those in stock, then those to be made; refunded ones come last."""
    sent = [line.shipment_id for line in lines for _unit in range(line.quantity)]
    in_stock = item.quantity - item.made_quantity
    here = max(item.quantity - len(sent) - returned, 0)
    for number in range(1, item.quantity + 1):
        shipment = sent[number - 1] if number <= len(sent) else None
        if shipment is not None:
            stage = "shipped"
        else:
            stage = "to_pack" if number <= in_stock else "to_print"
        yield WorkPiece(
            item_id=item.pk,
            number=number,
            stage=stage,
            shipment_id=shipment,
            is_cancelled=shipment is None and number > len(sent) + here,
        )


def write_pieces(apps, schema_editor):
    Order, OrderItem, ShipmentLine, WorkPiece, RefundLine = (
        apps.get_model("orders", name)
        for name in ("Order", "OrderItem", "ShipmentLine", "WorkPiece", "RefundLine")
    )
    moved = ("requested", "sent", "pending", "succeeded")
    took_effect = (
        Q(request__credit_note__isnull=False)
        | Q(request__voided__gt=0)
        | Q(request__refunds__state__in=moved)
    )
    keys = list(
        Order.objects.filter(status__in=("confirmed", "processing")).order_by("pk").values_list("pk", flat=True)
    )
    for start in range(0, len(keys), BATCH):
        some = keys[start : start + BATCH]
        parcels, returned = {}, {}
        for line in ShipmentLine.objects.filter(shipment__order__in=some, shipment__undone_at=None):
            parcels.setdefault(line.item_id, []).append(line)
        for line in RefundLine.objects.filter(took_effect, request__order__in=some).distinct():
            returned[line.item_id] = returned.get(line.item_id, 0) + line.quantity
        WorkPiece.objects.bulk_create(
            piece
            for item in OrderItem.objects.filter(order__in=some).order_by("pk")
            for piece in _pieces(WorkPiece, item, parcels.get(item.pk, []), returned.get(item.pk, 0))
        )


def nothing(apps, schema_editor):
    """The table goes with the migration before."""


class Migration(migrations.Migration):

    dependencies = [("orders", "0016_work_pieces")]

    operations = [migrations.RunPython(write_pieces, nothing, elidable=False)]
