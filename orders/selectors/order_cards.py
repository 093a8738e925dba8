"""Orders as the member area lists them: a page of them, each with all that its card shows."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.urls import reverse

from catalog.selectors.reviews import review_states
from orders.access import payment_token
from orders.models import Order, OrderItem, OrderStatus, OrderTracking
from orders.selectors.installments import Calendar, calendars
from orders.selectors.invoices import DocumentEntry, document_path, documents_of_orders
from orders.selectors.money import taken_back
from orders.selectors.orders import product_path
from orders.selectors.refund_rules import units_returned
from orders.selectors.withdrawals import (
    WithdrawalPanel,
    cases_of_orders,
    returnable_lines,
    withdrawal_panel,
)
from shop.core.money import ZERO

PAGE_SIZE = 20


@dataclass(frozen=True, slots=True)
class OrderPiece:
    """A line of an order. `url` is the page of what was bought, "" without one.

    `review_url` leads to the form of a review, or to what became of the one in `review_state`; "" while the piece is on
    its way, and once it is no longer sold.
    """

    item: OrderItem
    url: str
    review_url: str
    review_state: str


@dataclass(frozen=True, slots=True)
class OrderDocument:
    entry: DocumentEntry
    url: str


@dataclass(frozen=True, slots=True)
class OrderCard:
    """An order with its parts read. `pay_url` is where what is open is paid, "" when nothing is."""

    order: Order
    pieces: list[OrderPiece]
    steps: list[OrderTracking]
    plan: Calendar | None
    pay_url: str
    documents: list[OrderDocument]
    withdrawal: WithdrawalPanel

    @property
    def latest_step(self) -> OrderTracking | None:
        """The latest step that was not undone, which carries what the customer looks for."""
        return next((step for step in self.steps if not step.undone), None)


def order_page(orders: QuerySet[Order], number: object) -> Page[Order]:
    """Return `PAGE_SIZE` orders of a list; a number that is none, or no page, gives the nearest one. Queries: the count
    and those of the list."""
    return Paginator(orders, PAGE_SIZE).get_page(number)  # type: ignore[arg-type]


def order_cards(orders: Sequence[Order], *, user_id: int) -> list[OrderCard]:
    """Return the cards of these orders of a member, whose parts are prefetched.

    Ten queries at most, however many orders: pauses, cards and credits of installments, documents, cases of withdrawal
    with their lines and what these are of, whose money banks took back, what was credited, and what the member wrote
    about the pieces.
    """
    ids = [order.pk for order in orders]
    plans = calendars(orders)
    documents = documents_of_orders(ids)
    cases = cases_of_orders(ids)
    taken = taken_back(ids)
    credited = units_returned(*orders)
    delivered = {
        item.product_id
        for order in orders
        if order.status == OrderStatus.DELIVERED
        for item in order.items.all()
        if item.product_id is not None
    }
    written = review_states(user_id=user_id, product_ids=delivered) if delivered else {}
    return [
        OrderCard(
            order=order,
            pieces=[_piece(order, item, written) for item in order.items.all()],
            steps=list(order.tracking.all()),
            plan=plans.get(order.pk),
            pay_url=_pay_url(order, plans),
            documents=[
                OrderDocument(entry, document_path(order, entry)) for entry in documents.get(order.pk, [])
            ],
            withdrawal=withdrawal_panel(
                order,
                cases.get(order.pk, []),
                all_credited=not returnable_lines(order, credited),
                taken_back=taken.get(order.pk, ZERO),
            ),
        )
        for order in orders
    ]


def _piece(order: Order, item: OrderItem, written: dict[int, str]) -> OrderPiece:
    product = item.product
    is_on_sale = product is not None and product.is_published
    state = "" if product is None else written.get(product.pk, "")
    may_review = order.status == OrderStatus.DELIVERED and is_on_sale
    return OrderPiece(
        item=item,
        url=product_path(item),
        review_url=reverse("catalog:review-write", args=[product.pk]) if product and may_review else "",
        review_state=state,
    )


def _pay_url(order: Order, plans: dict[uuid.UUID, Calendar]) -> str:
    plan = plans.get(order.pk)
    is_open = plan is not None and plan.open_count and order.is_paid
    return reverse("orders:pay", args=[payment_token(order)]) if is_open else ""
