"""Buying again what an order held: which of its pieces can still be had, and for how much."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from orders.models import Order, OrderItem
from orders.models.order import choice_text
from orders.selectors.orders import product_path
from orders.selectors.quotes import QuotedLine, RequestedLine, quote_cart


@dataclass(frozen=True, slots=True)
class ReorderLine:
    """A line of an order, as it could be bought now: `quantity` units for `unit_price` each, none with a `problem` that
    says why. A `problem` beside a quantity says why it is less than was ordered. `name` and `detail` are today's in the
    active language, the order's where the piece is gone. `url` is its page, "" when it is no longer on sale."""

    item: OrderItem
    name: str
    detail: str
    requested: RequestedLine | None
    quantity: int
    unit_price: Decimal | None
    problem: str
    url: str

    @property
    def price_changed(self) -> bool:
        return self.unit_price is not None and self.unit_price != self.item.unit_price


def reorder_lines(order: Order) -> list[ReorderLine]:
    """Return what of an order, with its parts prefetched, can be bought again. Queries: those of `quote_cart`, and the
    variants."""
    items = list(order.items.select_related("product", "variant"))
    wanted = {item.pk: requested for item in items if (requested := _requested(item)) is not None}
    quoted = {_key(line): line for line in quote_cart(list(wanted.values())).lines} if wanted else {}
    return [_line(item, wanted.get(item.pk), quoted) for item in items]


def _requested(item: OrderItem) -> RequestedLine | None:
    """What a cart would ask for; None when that very piece no longer exists."""
    if item.product is None or not item.product.is_published:
        return None
    if item.variant is not None:
        return RequestedLine(item.product.pk, item.variant.variation_id, item.variant.finish, item.quantity)
    had_choice = item.finish or item.variation_name
    return None if had_choice else RequestedLine(item.product.pk, None, "", item.quantity)


def _key(line: QuotedLine) -> RequestedLine:
    asked = line.sellable.requested
    return RequestedLine(asked.product_id, asked.variation_id, asked.finish, line.quantity)


def _line(
    item: OrderItem, requested: RequestedLine | None, quoted: dict[RequestedLine, QuotedLine]
) -> ReorderLine:
    url = product_path(item)
    if requested is not None and (query := _choice(requested)):
        url = f"{url}?{query}"
    line = quoted.get(requested) if requested is not None else None
    if requested is None or line is None or not line.sellable.name:
        gone = _("Cette pièce n'est plus au catalogue.")
        return ReorderLine(item, item.product_name, item.detail, None, 0, None, gone, url)
    price = line.sellable.unit_price
    words = (line.sellable.name, choice_text(line.sellable.finish, line.sellable.variation_name))
    if line.available:
        return ReorderLine(item, *words, requested, requested.quantity, price, "", url)
    left = (line.available_quantity or 0) if price is not None and line.problem == "insufficient_stock" else 0
    return ReorderLine(item, *words, requested, left, price if left else None, line.problem_detail, url)


def _choice(requested: RequestedLine) -> str:
    """What makes a product's page open with this format and finish chosen."""
    choice = {"finition": requested.finish, "format": requested.variation_id or ""}
    return urlencode({name: value for name, value in choice.items() if value})
