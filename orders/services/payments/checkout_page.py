"""What a hosted payment page shows and where it leads, by what it collects."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.conf import settings
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from orders.access import payment_page_url
from orders.models import OPEN_PAYMENTS, Attempt, AttemptKind, Order, OrderItem, PaymentMode, StoredCard
from orders.stripe.facts import PageLine
from shop.core.money import to_cents

RETURN_QUERY = "session_id={CHECKOUT_SESSION_ID}"
"""What the provider fills in on the way back, so that the shop knows which page its customer comes from."""

LEFT_QUERY = "payment=left"
"""What tells the cart that its visitor comes from a payment page they have left."""


@dataclass(frozen=True, slots=True)
class Page:
    """`keeps_card`: the card pays the installments that are left; it stays with `customer_id`, or with a new
    customer."""

    lines: list[PageLine]
    success_url: str
    cancel_url: str
    keeps_card: bool = False
    customer_id: str = ""
    notice: str = ""


def describe_page(attempt: Attempt, items: Sequence[OrderItem] | None) -> Page:
    """Return the page of an attempt, in its order's language. The same attempt always gives the same page."""
    order = attempt.payment.order
    with translation.override(order.language):
        if attempt.kind == AttemptKind.LINK:
            return _link_page(order, attempt)
        result = f"{settings.SITE_URL}{reverse('orders:payment-result')}?{RETURN_QUERY}"
        cart = f"{settings.SITE_URL}{reverse('orders:cart')}?{LEFT_QUERY}"
        if order.payment_mode == PaymentMode.INSTALLMENTS:
            return Page(
                lines=[_part_line(order, attempt)],
                success_url=f"{result}&installments=true",
                cancel_url=cart,
                keeps_card=True,
                notice=order.mandate_text,
            )
        return Page(lines=page_lines(order, items), success_url=result, cancel_url=cart)


def _link_page(order: Order, attempt: Attempt) -> Page:
    own = payment_page_url(order)
    card = StoredCard.objects.filter(order=order).first()
    others = order.payments.filter(state__in=OPEN_PAYMENTS).exclude(pk=attempt.payment_id)
    keeps_card = not attempt.pays_off and others.exists()
    return Page(
        lines=[_part_line(order, attempt)],
        success_url=f"{own}?{RETURN_QUERY}",
        cancel_url=own,
        keeps_card=keeps_card,
        customer_id=card.customer_id if card else "",
        notice=_("La carte que vous utilisez ici remplace l'ancienne pour les échéances qui restent.")
        if keeps_card
        else "",
    )


def _part_line(order: Order, attempt: Attempt) -> PageLine:
    texts = {
        "reference": order.reference,
        "position": attempt.payment.position,
        "count": attempt.payment.count,
    }
    if attempt.pays_off:
        return PageLine(_("Commande %(reference)s, solde") % texts, attempt.amount_cents, 1)
    return PageLine(
        _("Commande %(reference)s, échéance %(position)d/%(count)d") % texts, attempt.amount_cents, 1
    )


def page_lines(order: Order, items: Sequence[OrderItem] | None = None) -> list[PageLine]:
    """Return the order as rows of the payment page; they add up to its total. Offered units are a row at 0."""
    with translation.override(order.language):
        rows: list[PageLine] = []
        for item in order.items.all() if items is None else items:
            name = _row_name(item)
            paid = item.quantity - item.free_quantity
            if paid:
                rows.append(PageLine(name, to_cents(item.unit_price), paid))
            if item.free_quantity:
                rows.append(PageLine(_("%(piece)s (OFFERT)") % {"piece": name}, 0, item.free_quantity))
        if order.shipping_cost > Decimal("0"):
            rows.append(PageLine(_("Livraison"), to_cents(order.shipping_cost), 1))
        return rows


def _row_name(item: OrderItem) -> str:
    return f"{item.product_name} – {item.detail}" if item.detail else item.product_name
