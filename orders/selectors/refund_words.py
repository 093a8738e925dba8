"""Why money goes back, why a returned piece of a promotion brings less than its price."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from django.utils import translation
from django.utils.translation import gettext as _

from orders.models import AttemptKind, OrderItem, Refund, RefundReason, RefundRequest, Withdrawal
from shop.core.languages import active_language
from shop.core.money import format_amount

_ROUNDING = Decimal("0.01")


def default_reason(withdrawal: Withdrawal | None) -> str:
    """Return why money is credited where staff wrote nothing, in the active language; it is stored in the order's."""
    if withdrawal is None:
        return _("Demande de remboursement")
    return _("Rétractation %(reference)s") % {"reference": withdrawal.reference}


def cancelled_reason() -> str:
    """Return the same of an order that is cancelled."""
    return _("Commande annulée")


def reason_for_reader(request: RefundRequest, order_language: str) -> tuple[str, str]:
    """Return why money is credited, and in which language: staff's words in the order's, the shop's own in the active
    one. `request` comes with its declaration."""
    with translation.override(order_language):
        stored = _own_reasons(request.withdrawal)
    if request.reason not in stored:
        return request.reason, order_language
    shown = dict(zip(stored, _own_reasons(request.withdrawal), strict=True))
    return shown[request.reason], active_language()


def _own_reasons(withdrawal: Withdrawal | None) -> tuple[str, str]:
    return default_reason(withdrawal), cancelled_reason()


def promotion_share_text(
    item: OrderItem, *, quantity: int, amount: Decimal, paid: Mapping[int, Decimal]
) -> str:
    """Return the sentence in the active language; "" where the price is given back, or less for another reason.

    `amount` is what `quantity` units bring, `paid` what was paid for each line (`paid_amounts`).
    """
    full = item.unit_price * quantity
    share = paid[item.pk] * quantity / item.quantity
    if amount >= full or abs(amount - share) > _ROUNDING:
        return ""
    language = active_language()
    return _(
        "Achetée dans une offre\u00a0: la réduction est répartie sur toutes les pièces de l'offre, offertes "
        "comprises. La part du prix payé est de %(amount)s au lieu de %(full)s."
    ) % {"amount": format_amount(amount, language), "full": format_amount(full, language)}


def automatic_refund_text(refund: Refund) -> str:
    """Return the sentence that tells the customer why, in the active language; "" for a refund that was decided."""
    if refund.reason == RefundReason.DUPLICATE:
        return _("La commande avait déjà été payée : votre second paiement vous est rendu.")
    if is_of_installment_not_owed(refund):
        return _("Cette échéance n'est plus à payer.")
    if refund.reason == RefundReason.UNAVAILABLE:
        return _("Une pièce n'était plus disponible quand le paiement est arrivé.")
    return ""


def is_of_installment_not_owed(refund: Refund) -> bool:
    """Return whether a later installment was collected that was given up or changed meanwhile: its order stands, and no
    piece is missing."""
    return refund.reason == RefundReason.UNAVAILABLE and refund.attempt.kind != AttemptKind.CHECKOUT
