"""Mail backends of machines without a mail server."""

from collections.abc import Sequence

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend


class KeptMailBackend(BaseEmailBackend):
    """Sends nothing: the outbox row keeps what was rendered, and ``/_mails`` shows it in DEBUG."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        return len(email_messages)
