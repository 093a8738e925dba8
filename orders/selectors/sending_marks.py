"""Why an order whose pieces are ready is not sent, as staff read it in their lists and on the sheets they print."""

import uuid
from collections.abc import Collection

from django.utils.translation import gettext as _

from orders.models import Order
from orders.selectors.money import held_by_banks
from orders.selectors.provider_words import review_in_words
from orders.selectors.withdrawals import keeping_from_leaving


def sending_marks(orders: Collection[Order]) -> dict[uuid.UUID, str]:
    """Return, by order, why it is not to be sent: a bank or a withdrawal keeps it, or somebody must look at its payment
    before; of others nothing. Two queries."""
    keys = [order.pk for order in orders]
    held = set(Order.objects.filter(held_by_banks(), pk__in=keys).values_list("pk", flat=True))
    withdrawn = set(keeping_from_leaving(keys).values_list("order", flat=True))
    marks = {}
    for order in orders:
        if order.pk in held:
            marks[order.pk] = _(
                "Ne pas expédier\u00a0: la banque du client conteste ou a repris son paiement"
            )
        elif order.pk in withdrawn:
            marks[order.pk] = _("Ne pas expédier\u00a0: le client s'est rétracté")
        elif order.review_reason:
            marks[order.pk] = _("À vérifier avant d'expédier\u00a0: %(reason)s") % {
                "reason": review_in_words(order.review_reason)
            }
    return marks
