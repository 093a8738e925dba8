"""Which staff actions a change of an order's status is."""

from orders.models import PAID_STATUSES, Order
from shop.core.staff_actions import StaffAction


def status_actions(order: Order, status: str, refund: bool | None = None) -> tuple[StaffAction, ...]:
    """Every action that setting `status` asks for; whoever sets it may do all of them.

    The next step of the work is one. Calling an order off, or back, is another; and to say what becomes of its money,
    `refund` True or False, is to decide a refund.
    """
    moves_on = order.status in PAID_STATUSES and status in PAID_STATUSES
    actions = (
        (StaffAction.FULFIL_ORDER,) if moves_on else (StaffAction.FULFIL_ORDER, StaffAction.CANCEL_ORDER)
    )
    return actions if refund is None else (*actions, StaffAction.REFUND_ORDER)
