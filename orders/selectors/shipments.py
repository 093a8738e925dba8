"""What of an order has left the workshop, and what has not."""

from collections.abc import Iterable

from django.db.models import Exists, OuterRef, Q, QuerySet, Sum

from orders.models import Order, OrderItem, OrderTracking, RefundLine, Shipment
from orders.selectors.refund_debts import took_effect


def units_to_send(order: Order) -> dict[int, int]:
    """Return the units of each line that are still to be sent, by line id: those that were refunded here are not. Two
    queries."""
    items = list(order.items.all())
    kept = units_kept_here(order, items)
    return {item.pk: max(item.quantity - item.sent_quantity - kept[item.pk], 0) for item in items}


def units_kept_here(order: Order, items: Iterable[OrderItem]) -> dict[int, int]:
    """Return the units of each line that were refunded instead of sent, by line id. One query.

    Those that were sent are not among them: of a declared withdrawal whose pieces came back, are on their way or were
    asked for, and of a refund for which staff said so.
    """
    case = "request__withdrawal__case"
    was_sent = (
        Q(was_sent=True)
        | Q(**{f"{case}__goods_received_at__isnull": False})
        | Q(**{f"{case}__shipping_proof_at__isnull": False})
    )
    lines = RefundLine.objects.filter(took_effect("request__"), request__order=order)
    rows = lines.values("item").annotate(
        units=Sum("quantity"), sent=Sum("quantity", filter=was_sent, default=0)
    )
    refunded = {row["item"]: (row["units"], row["sent"]) for row in rows}
    kept = {}
    for item in items:
        units, sent = refunded.get(item.pk, (0, 0))
        kept[item.pk] = units - min(sent, item.sent_quantity)
    return kept


def steps_with_parcels() -> QuerySet[OrderTracking]:
    """Return the steps of orders with the parcels that they are about. `leads_to_parcel` are those whose number is that
    of a parcel on its way: it was not corrected since, nor its dispatch undone. Before any parcel left, all are."""
    written = Shipment.objects.filter(order=OuterRef("order"), created_at__lte=OuterRef("created_at"))
    on_its_way = Shipment.objects.filter(
        order=OuterRef("order"),
        undone_at=None,
        carrier=OuterRef("carrier"),
        tracking_number=OuterRef("tracking_number"),
    )
    return OrderTracking.objects.select_related("shipment").annotate(
        leads_to_parcel=Exists(on_its_way) | ~Exists(written)
    )


def order_shipments(order: Order) -> list[Shipment]:
    """Return the parcels of an order, oldest first, undone ones too, with their lines. Three queries."""
    return list(order.shipments.select_related("actor").prefetch_related("lines__item"))


def parcels_for_page(order: Order) -> list[Shipment]:
    """Return the parcels that left, oldest first, with their lines, where their pieces are not simply all of the order;
    else none. Three queries."""
    parcels = list(
        order.shipments.filter(undone_at=None).order_by("sent_at", "pk").prefetch_related("lines__item")
    )
    if len(parcels) == 1:
        sent = {line.item_id: line.quantity for line in parcels[0].lines.all()}
        if sent == {item.pk: item.quantity for item in order.items.all()}:
            return []
    return parcels
