"""Telling the workshop that the books are not whole."""

from datetime import datetime

from django.utils import timezone

from orders.books.audit import AuditReport
from shop.core.mail import ALERT_LINES, queue_mail
from shop.core.models import ShopSettings


def mail_audit(report: AuditReport, now: datetime) -> None:
    """To the workshop, in French, once a day while something is wrong; nothing when all is well."""
    if report.is_whole:
        return
    queue_mail(
        kind="books_audit_alert",
        to=ShopSettings.load().alert_address,
        language="fr",
        context={
            "faults": [
                {"check": fault.check, "subject": fault.subject, "detail": fault.detail}
                for fault in report.faults[:ALERT_LINES]
            ],
            "count": len(report.faults),
            "more": max(0, len(report.faults) - ALERT_LINES),
        },
        dedupe_key=f"books_audit_alert:{timezone.localdate(now)}",
    )
