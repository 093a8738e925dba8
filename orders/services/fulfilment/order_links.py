"""The link to an order, mailed again to the address that it was placed with."""

from __future__ import annotations

from django.utils import translation

from orders.access import access_token, order_url
from orders.models import Order
from orders.selectors.withdrawals import withdrawal_path
from shop.core import limits
from shop.core.mail import queue_mail
from shop.core.mail_content import MailContent
from shop.core.models import OutgoingMail
from shop.core.site import absolute_url


def request_order_link(*, reference: str, email: str, caller: str, language: str) -> None:
    """Queue the mail with the link of an order, whether or not there is one of that reference and address.

    The caller can't tell, not even by a clock: the same is done for every pair, and `order_link_content` finds out at
    delivery. `reference` is in capitals, `caller` the network address that asked. Raises Problem 429 `throttled`.
    """
    limits.enforce(limits.TRACKING_NETWORK, caller)
    queue_mail(
        kind="order_link_request",
        to=email,
        language=language,
        context={"reference": reference},
        # With its order it goes, whatever the address of that is by then.
        reference=reference,
    )


def order_link_content(mail: OutgoingMail) -> MailContent | None:
    """Return the mail for an address that asked for an order's link: the link, when the order is its own."""
    order = Order.objects.filter(reference=mail.context["reference"], email__iexact=mail.to).first()
    if order is None or not limits.consume_mail(limits.TRACKING_MAIL, mail.to):
        return None
    with translation.override(mail.language):
        withdrawal_url = absolute_url(withdrawal_path(order, access_token(order)))
    return MailContent(
        "order_link",
        {
            "reference": order.reference,
            "first_name": order.first_name,
            "url": order_url(order, mail.language),
            # The foot of every mail about an order has it (L221-21).
            "order": {"withdrawal_url": withdrawal_url},
        },
    )
