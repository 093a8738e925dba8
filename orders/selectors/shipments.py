"""What of an order has left the workshop, and what has not."""

from collections.abc import Iterable

from django.db.models import Exists, OuterRef, QuerySet, Sum

from orders.models import Order, OrderItem, OrderTracking, RefundLine, Shipment
from orders.selectors.refund_debts import took_effect


def units_to_send(order: Order) -> dict[int, int]:
    """Return the units of each line that are still to be sent, by line id: those that were refunded here are not. Two
    queries."""
    items = list(order.items.all())
    kept = units_kept_here(order, items)
    return {item.pk: max(item.quantity - item.sent_quantity - kept[item.pk], 0) for item in items}


def units_kept_here(order: Order, items: Iterable[OrderItem]) -> dict[int, int]:
    """Return the units of each line that were refunded instead of sent, by line id; once the order has left, all that
    stayed, whatever became of their refund. One query.

    Those that had been sent are not among them: of a declared withdrawal whose pieces came back, are on their way or
    were asked for, and of a refund for which staff said so.
    """
    if order.all_goods_have_left:
        return {item.pk: item.quantity - item.sent_quantity for item in items}
    credited = _credited_units(order)
    kept = {}
    for item in items:
        units, sent = credited.get(item.pk, (0, 0))
        # Two decisions count the same unit where the one before had failed whole when the other was made.
        kept[item.pk] = units - min(sent, item.sent_quantity)
    return kept


def units_at_customer(order: Order) -> dict[int, int]:
    """Return the units of each line that were sent and not credited since, by line id; below 0 where parcels of
    credited ones are no longer on their way. Two queries."""
    credited = _credited_units(order)
    sent = OrderItem.objects.filter(order=order).values_list("pk", "sent_quantity")
    return {pk: quantity - credited.get(pk, (0, 0))[1] for pk, quantity in sent}


def _credited_units(order: Order) -> dict[int, tuple[int, int]]:
    """How many units of a line are credited, and how many of them had been sent."""
    lines = RefundLine.objects.filter(took_effect("request__"), request__order=order)
    rows = lines.values("item").annotate(units=Sum("quantity"), sent=Sum("sent_quantity"))
    return {row["item"]: (row["units"], row["sent"]) for row in rows}


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
