"""Orders for their pages, and who bought what. Members see paid orders; refunded and closed ones under « Historique ».

Archiving takes an order out of staff's lists only: its customer keeps the page.
"""

import uuid
from collections.abc import Collection
from typing import TYPE_CHECKING

from django.db.models import F, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone

from catalog.selectors.addresses import product_url
from catalog.selectors.purchases import Purchase
from orders.models import (
    PAID_STATUSES,
    Attempt,
    AttemptState,
    Order,
    OrderItem,
    OrderStatus,
    StockHold,
    StockHoldState,
)
from orders.selectors.shipments import steps_with_parcels

if TYPE_CHECKING:
    from accounts.models import User


def member_orders(user: "User") -> QuerySet[Order]:
    """Return paid orders of a member, newest first. Five queries: orders, lines, their products, tracking, payments."""
    return _with_parts(Order.objects.filter(user=user, status__in=PAID_STATUSES))


def member_history(user: "User") -> QuerySet[Order]:
    """Return refunded orders, and cancelled ones that had been paid."""
    given_back = Q(status=OrderStatus.REFUNDED) | Q(status=OrderStatus.CANCELLED, ledger__isnull=False)
    return _with_parts(Order.objects.filter(given_back, user=user).distinct())


def member_order(user: "User", order_id: uuid.UUID) -> Order | None:
    """Return one order of this member; None for a foreign or unknown one, and for one that was never paid."""
    seen = Q(status__in=PAID_STATUSES) | Q(status=OrderStatus.REFUNDED) | Q(ledger__isnull=False)
    return _with_parts(Order.objects.filter(seen, user=user, pk=order_id).distinct()).first()


def order_for_page(order_id: uuid.UUID) -> Order | None:
    """Return an order with everything its page shows; whether the visitor may see it is decided by the caller. None as
    well for one whose customer had their data erased."""
    return _with_parts(Order.objects.filter(pk=order_id, personal_data_erased_at=None)).first()


def order_bought_with(checkout_session_id: str) -> Order | None:
    """Return the paid order of a payment page that is known to be paid, as `order_for_page` does. Whether the visitor
    may see it is decided by the caller. One query more than the order's; none for ""."""
    if not checkout_session_id:
        return None
    paid = Attempt.objects.filter(checkout_session_id=checkout_session_id, state=AttemptState.SUCCEEDED)
    orders = Order.objects.filter(
        pk__in=paid.values("payment__order"), status__in=PAID_STATUSES, personal_data_erased_at=None
    )
    return _with_parts(orders).first()


def unpaid_page(order: Order) -> Attempt | None:
    """Return the attempt on whose page an order that was never paid can still be paid; None once that page is closed,
    and while a bank or staff look at a payment. One query, none for any other order."""
    if order.status != OrderStatus.PENDING:
        return None
    pages = Attempt.objects.filter(payment__order=order, state=AttemptState.SENT, closing_at=None)
    open_now = pages.filter(expires_at__gt=timezone.now()).exclude(checkout_session_url="")
    return open_now.select_related("payment").first()


def find_purchase(user_id: int, product_id: int) -> Purchase | None:
    """Return the member's latest paid order of the product that was neither cancelled nor refunded, one that they have
    received before one that is on its way. Two queries."""
    order = (
        Order.objects.filter(
            user_id=user_id, status__in=PAID_STATUSES, paid_at__isnull=False, items__product_id=product_id
        )
        .order_by(F("delivered_at").desc(nulls_last=True), "-paid_at")
        .first()
    )
    if order is None or order.paid_at is None:
        return None
    bought = order.items.filter(product_id=product_id).values_list("variant_id", flat=True).first()
    return Purchase(order.reference, timezone.localdate(order.delivered_at or order.paid_at), bought)


def purchase_in(order: Order, product_id: int) -> Purchase | None:
    """Return the purchase of a product by an order that was delivered and is paid; None for any other. One query."""
    if order.status != OrderStatus.DELIVERED or order.delivered_at is None:
        return None
    item = order.items.filter(product_id=product_id).first()
    if item is None:
        return None
    return Purchase(order.reference, timezone.localdate(order.delivered_at), item.variant_id)


def shown_pictures(names: Collection[str]) -> set[str]:
    """Return those of these files that lines of orders show. One query."""
    return set(OrderItem.objects.filter(picture__in=names).values_list("picture", flat=True))


def held_units() -> Coalesce:
    """Return, of the variant of a query, the units of its own number that orders hold which are not paid yet."""
    held = StockHold.objects.filter(variant=OuterRef("pk"), level="variant", state=StockHoldState.HELD)
    return Coalesce(Subquery(held.order_by().values("variant").values(units=Sum("quantity"))), 0)


def product_path(item: OrderItem) -> str:
    """Return the address of the page of what was bought in the active language, "" where the product is gone or not on
    sale. No query when `item.product` is loaded."""
    product = item.product
    return product_url(product) if product is not None and product.is_published else ""


def order_path(order: Order) -> str:
    """Return the address of the order's page in the active language."""
    return reverse("orders:order", args=[order.pk])


def _with_parts(orders: QuerySet[Order]) -> QuerySet[Order]:
    steps = Prefetch("tracking", steps_with_parcels())
    return orders.prefetch_related("items__product", steps, "payments").order_by("-created_at", "-pk")
