"""What order pages, mails and the admin's first page show: documents, withdrawal, codes in words, staff tasks."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils.translation import gettext as _

from catalog.selectors.product_detail import OfferChoice
from orders.access import access_token
from orders.journal import message_for_reader
from orders.models import Order, OrderItem, OrderStatus, OrderTracking, ShippingZone
from orders.pricing.quote import CartLine, price_cart
from orders.selectors import provider_words, withdrawals
from orders.selectors.invoices import document_path, documents_of, tax_notice
from orders.selectors.money import taken_back
from orders.selectors.orders import product_path
from orders.selectors.rules import load_pricing_rules, today
from orders.selectors.withdrawals import WithdrawalPanel, cases_of, returnable_lines
from orders.staff.base import order_url
from shop.core.languages import active_language
from shop.core.money import ZERO, format_amount

register = template.Library()
register.filter("order_url", order_url)


@register.simple_tag
def review_address(order: Order, item: OrderItem, token: str = "") -> str:
    """Where a piece of a delivered order is reviewed, with the order's token for who came by its signed link; "" for
    one that is not on sale. No query when `item.product` is loaded."""
    if order.status != OrderStatus.DELIVERED or item.product is None or not item.product.is_published:
        return ""
    if order.user_id is not None:
        return reverse("catalog:review-write", args=[item.product.pk])
    address = reverse("orders:review", args=[order.pk, item.product.pk])
    return f"{address}?{urlencode({'acces': token})}" if token else address


@register.simple_tag
def step_message(step: OrderTracking) -> dict[str, str]:
    """`text` and `language` of what a step of an order says to the reader of the page."""
    text, language = message_for_reader(step.order, step)
    return {"text": text, "language": language}


@register.inclusion_tag("orders/_documents.html")
def order_documents(order: Order, signed: bool = False) -> dict[str, Any]:
    """Links to the invoice and the credit notes, `signed` for who came by a signed link, and what is said of VAT.

    Two queries.
    """
    access = access_token(order) if signed else ""
    return {
        "tax_notice": tax_notice(order, active_language()),
        "documents": [
            {"entry": entry, "url": document_path(order, entry, access)} for entry in documents_of(order)
        ],
    }


register.simple_tag(product_path, name="product_address")
register.filter("decline_words", provider_words.decline_in_words)
register.filter("dispute_words", provider_words.dispute_in_words)
register.filter("refund_failure_words", provider_words.refund_failure_in_words)
register.filter("review_words", provider_words.review_in_words)


@register.simple_tag
def installment_note(offer: OfferChoice | None) -> str:
    """Return the parts in which one piece, sent to the shop's own country, may be paid; "" where it may not, and in a
    shop without delivery zones. Queries: those of `load_pricing_rules`."""
    if offer is None or not offer.available:
        return ""
    try:
        rules = load_pricing_rules()
    except ShippingZone.DoesNotExist:
        return ""
    days = offer.production_days
    line = CartLine(
        key="1",
        unit_price=offer.price,
        quantity=1,
        made_quantity=0,
        promotion=None,
        production_days_min=days.low,
        production_days_max=days.high,
    )
    parts = price_cart([line], destination=None, rules=rules, today=today()).installments
    return _installment_text([part.amount for part in parts.plan]) if parts.available else ""


def _installment_text(amounts: list[Decimal]) -> str:
    first, rest = amounts[0], amounts[1:]
    language = active_language()
    if len(set(amounts)) == 1:
        words = _("Ou %(count)d × %(amount)s sans frais, livraison en France comprise")
        return words % {"count": len(amounts), "amount": format_amount(first, language)}
    words = _("Ou %(first)s puis %(count)d × %(amount)s sans frais, livraison en France comprise")
    return words % {
        "first": format_amount(first, language),
        "count": len(rest),
        "amount": format_amount(rest[0], language),
    }


@register.simple_tag
def withdrawal_panel(order: Order) -> WithdrawalPanel:
    """What `orders/_withdrawal.html` shows. Five queries at most; none for an unpaid order."""
    if order.paid_at is None:
        return withdrawals.withdrawal_panel(order, [], all_credited=False, taken_back=ZERO)
    return withdrawals.withdrawal_panel(
        order,
        cases_of(order),
        all_credited=not returnable_lines(order),
        taken_back=taken_back([order.pk]).get(order.pk, ZERO),
    )
