"""Mails to the customer of an order and to the workshop: a row each, written with the change that causes it."""

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from django.urls import reverse
from django.utils import timezone

from orders.models import Order
from orders.selectors.mail_contexts import order_context, seller_context
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.mail import queue_mail
from shop.core.mail_content import Attachment
from shop.core.models import ShopSettings
from shop.core.site import absolute_url

logger = logging.getLogger(__name__)


def mail_customer(
    order: Order,
    kind: str,
    context: dict[str, Any] | None = None,
    *,
    once: object,
    attachments: Sequence[Attachment] = (),
    not_before: datetime | None = None,
) -> None:
    """Queue a mail in the order's language, one for each `once`. Order and seller are added to its context."""
    queue_mail(
        kind=kind,
        to=order.email,
        language=order.language,
        context={
            "order": order_context(order, order.language),
            "seller": seller_context(),
            **(context or {}),
        },
        dedupe_key=f"{kind}:{once}",
        reference=order.reference,
        attachments=attachments,
        not_before=not_before,
    )


def mail_workshop(
    kind: str, context: dict[str, Any], *, once: object, order: Order | None = None, reference: str = ""
) -> None:
    """Queue a mail in French to the shop's alert address, one for each `once`. An `order` is added to its context."""
    if order is not None:
        context = {**context, "order": order_context(order, SOURCE_LANGUAGE)}
        reference = reference or order.reference
    queue_mail(
        kind=kind,
        to=ShopSettings.load().alert_address,
        language=SOURCE_LANGUAGE,
        context=context,
        dedupe_key=f"{kind}:{once}",
        reference=reference,
    )


def order_admin_url(order: Order, view_name: str = "staff-order") -> str:
    """Return the absolute address of a page about the order, for staff."""
    return absolute_url(reverse(view_name, args=[order.pk]))


def alert_clock(where: Literal["webhook", "invoice"], *, seconds: int) -> None:
    """Log that the server's clock is wrong by so many seconds, and mail it once a day and place.

    `webhook`: the provider's events have another time (negative: ahead of the shop). `invoice`: the clock is before
    the date of the last invoice.
    """
    logger.error("the clock is wrong (%s): %s s", where, seconds)
    context = {"where": where, "minutes": max(1, round(abs(seconds) / 60))}
    mail_workshop("clock_alert", context, once=f"{where}:{timezone.localdate()}")
