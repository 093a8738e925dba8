"""What of an order has left the workshop, and what has not."""

from orders.models import Order, Shipment
from orders.selectors.refund_rules import units_returned


def units_to_send(order: Order) -> dict[int, int]:
    """Return the units of each line that are still to be sent, by line id: those that were refunded are not. Two
    queries."""
    returned = units_returned(order)
    return {
        item.pk: max(item.quantity - item.sent_quantity - returned.get(item.pk, 0), 0)
        for item in order.items.all()
    }


def order_shipments(order: Order) -> list[Shipment]:
    """Return the parcels of an order, oldest first, undone ones too, with their lines. Three queries."""
    return list(order.shipments.select_related("actor").prefetch_related("lines__item"))


def parcels_for_page(order: Order) -> list[Shipment]:
    """Return the parcels that left, oldest first, with their lines, where their pieces are not simply all of the order;
    else none. Three queries."""
    parcels = list(
        order.shipments.filter(undone_at=None).order_by("sent_at", "pk").prefetch_related("lines__item")
    )
    if len(parcels) == 1 and order.all_goods_have_left:
        return []
    return parcels
