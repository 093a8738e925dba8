"""What tests read of mails as they leave the shop."""

from __future__ import annotations

from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default

from django.core import mail

from shop.core.mail_delivery import deliver
from shop.core.models import OutgoingMail


def deliver_all(**chosen: object) -> list[EmailMessage]:
    """Deliver the mails that match and give them back as a mail program parses them."""
    begin = len(mail.outbox)
    for row in OutgoingMail.objects.filter(**chosen).order_by("pk"):
        deliver(row.pk)
    return [BytesParser(policy=default).parsebytes(sent.message().as_bytes()) for sent in mail.outbox[begin:]]


def every_part(message: EmailMessage) -> str:
    """All of it, decoded: every header, every body, every attachment with its name."""
    parts = [f"{name}: {value}" for name, value in message.items()]
    for part in message.walk():
        if not part.is_multipart():
            parts += [str(part.get_filename()), part.get_payload(decode=True).decode("utf-8", "replace")]
    return "\n".join(parts)
