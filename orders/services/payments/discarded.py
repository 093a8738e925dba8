"""Having the provider delete the cards that orders have no more use for."""

import logging

from django.utils import timezone

from orders.models import DiscardedCard
from orders.stripe import gateway

logger = logging.getLogger(__name__)

BATCH = 200


def delete_discarded_cards(payment_method_id: str | None = None) -> int:
    """Delete one discarded card, or all that still wait, at the provider. Returns how many are gone now.

    A card that the provider no longer has counts as deleted. Raises GatewayUnavailable: what was not reached stays.
    """
    waiting = DiscardedCard.objects.filter(deleted_at=None)
    if payment_method_id is not None:
        waiting = waiting.filter(payment_method_id=payment_method_id)
    deleted = 0
    for card in waiting.order_by("discarded_at")[:BATCH]:
        gateway.forget_card(card.payment_method_id)
        deleted += DiscardedCard.objects.filter(pk=card.pk, deleted_at=None).update(deleted_at=timezone.now())
    return deleted
