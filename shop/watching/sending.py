"""Mails to the operator, handed to the mail server at once: they must get out when the outbox stands still."""

from __future__ import annotations

import logging

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend

from shop.core.models import ShopSettings
from shop.core.site import absolute_url

logger = logging.getLogger(__name__)

STATUS_PAGE = "/admin/etat"


def send_to_operator(subject: str, text: str) -> None:
    """Send a mail to `ALERT_EMAIL`, or to the workshop where that is empty. Raises OSError (SMTP errors are such)."""
    sheet = ShopSettings.load()
    message = EmailMessage(
        f"[{sheet.shop_name}] {subject}".replace("\n", " "),
        f"{text}\n\nL'état de la boutique : {absolute_url(STATUS_PAGE)}\n",
        settings.DEFAULT_FROM_EMAIL,
        settings.ALERT_EMAIL or [sheet.alert_address],
        connection=_connection(),
    )
    message.send()
    logger.info("the operator was mailed about an incident")


def _connection() -> BaseEmailBackend:
    """Return the mail server of alerts: one of their own (`ALERT_EMAIL_URL`), or that of all mails."""
    if not settings.ALERT_EMAIL_SERVER:
        return get_connection()
    server = settings.ALERT_EMAIL_SERVER
    return get_connection(
        server["EMAIL_BACKEND"],
        host=server["EMAIL_HOST"],
        port=server["EMAIL_PORT"],
        username=server["EMAIL_HOST_USER"],
        password=server["EMAIL_HOST_PASSWORD"],
        use_tls=server.get("EMAIL_USE_TLS", False),
        use_ssl=server.get("EMAIL_USE_SSL", False),
        timeout=settings.EMAIL_TIMEOUT,
    )
