"""The workshop is told that the server's clock is wrong."""

import logging
from typing import Literal

from django.utils import timezone

from shop.core.mail import queue_mail
from shop.core.models import ShopSettings

logger = logging.getLogger(__name__)


def alert_clock(where: Literal["webhook", "invoice"], *, seconds: int) -> None:
    """Log a difference of so many seconds, and mail it once a day and place.

    `webhook`: the provider's messages are dated otherwise (negative: ahead of the shop). `invoice`: the clock stands
    before the date of the last invoice.
    """
    logger.error("the clock is wrong (%s): %s s", where, seconds)
    queue_mail(
        kind="clock_alert",
        to=ShopSettings.load().alert_address,
        language="fr",
        context={"where": where, "minutes": max(1, round(abs(seconds) / 60))},
        dedupe_key=f"clock_alert:{where}:{timezone.localdate()}",
    )
