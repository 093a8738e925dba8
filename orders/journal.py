"""Writing down what happened to an order, in the transaction in which it happens."""

from typing import TYPE_CHECKING, Any

from orders.models import Order, OrderEvent, OrderTracking

if TYPE_CHECKING:
    from accounts.models import User


def record_event(order: Order, name: str, *, actor: "User | None" = None, **data: Any) -> OrderEvent:
    """Add a line to the journal. `name` is dotted (`order.paid`); `data` must be JSON."""
    return OrderEvent.objects.create(order=order, name=name, actor=actor, data=data)


def record_tracking(
    order: Order,
    *,
    message: str = "",
    tracking_number: str = "",
    carrier: str = "",
    actor: "User | None" = None,
) -> OrderTracking:
    """Add an entry with the order's present status to what its customer sees."""
    return OrderTracking.objects.create(
        order=order,
        status=order.status,
        message=message,
        tracking_number=tracking_number,
        carrier=carrier,
        actor=actor,
    )
