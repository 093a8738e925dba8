"""What a step would mail, rendered and taken back: the step is carried out in a transaction that is undone."""

from collections.abc import Callable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max

from orders.models import Order
from shop.core.mail_content import resolve_content
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail


@dataclass(frozen=True, slots=True)
class MailPreview:
    """A mail as it would be sent."""

    to: str
    language: str
    subject: str
    text: str
    html: str


def preview_mails(order: Order, act: Callable[[], object]) -> list[MailPreview]:
    """Return the mails about an order that `act` would write. Nothing of what it does stays.

    Call it outside any transaction, with something that speaks to nobody but the database. Raises what `act` raises.
    """
    with transaction.atomic():
        last = OutgoingMail.objects.aggregate(last=Max("pk"))["last"] or 0
        act()
        written = OutgoingMail.objects.filter(reference=order.reference, pk__gt=last).order_by("pk")
        previews = [_preview(mail) for mail in written if resolve_content(mail)]
        transaction.set_rollback(True)
    return previews


def _preview(mail: OutgoingMail) -> MailPreview:
    rendered = render(mail)
    return MailPreview(mail.to, mail.language, rendered.subject, rendered.text, rendered.html)
