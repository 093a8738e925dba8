"""Sending a mail to oneself, to see it in a mailbox."""

from __future__ import annotations

from django.db import transaction

from accounts.models import User
from orders.models import Order
from shop.core.mail import queue_mail
from shop.core.models import OutgoingMail
from shop.pages.selectors.mail_previews import preview_mail

TEST_KIND = "mail_test"


def send_test(*, kind: str, language: str, order: Order | None, actor: User) -> None:
    """Write a mail of a kind to the person who asks, drawn now, without its attachments; nobody else gets it.

    Raises KeyError for a kind that is none.
    """
    drawn = preview_mail(kind, language, order)
    with transaction.atomic():
        mail = queue_mail(
            kind=TEST_KIND, to=actor.email, language=language, context={}, reference=f"essai : {kind}"
        )
        if mail is not None:
            OutgoingMail.objects.filter(pk=mail.pk).update(
                subject=f"[Essai] {drawn.subject}"[:998], text=drawn.text, html=drawn.html
            )
