"""Mails to the workshop about its books: a ceiling that comes near, an audit that found faults."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.urls import reverse
from django.utils import timezone, translation

from orders.books.audit import AuditReport
from orders.books.turnover import TaxCeiling, tax_ceilings
from orders.mails import mail_workshop
from shop.core.dates import shop_day
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.mail import ALERT_LINES
from shop.core.money import amount_string
from shop.core.site import absolute_url

LATE_BOOKINGS = timedelta(days=14)


def alert_turnover(now: datetime) -> list[TaxCeiling]:
    """Send one mail for each ceiling, level (70, 90 %, passed) and year, at the highest level reached.

    Returns the ceilings that have reached one. In January the year before is looked at too: money of its last days may
    be booked late.
    """
    years = sorted({shop_day(now - LATE_BOOKINGS).year, shop_day(now).year})
    return [ceiling for number in years for ceiling in _reached(number)]


def _reached(number: int) -> list[TaxCeiling]:
    reached = [ceiling for ceiling in tax_ceilings(number) if ceiling.level]
    with transaction.atomic():
        for ceiling in reached:
            _mail(ceiling, number)
    return reached


def _mail(ceiling: TaxCeiling, number: int) -> None:
    with translation.override(SOURCE_LANGUAGE):
        context = {
            "label": str(ceiling.label),
            "explanation": str(ceiling.explanation),
            "level": ceiling.level,
            "year": number,
            "amount": amount_string(ceiling.amount),
            "ceiling": amount_string(ceiling.ceiling),
            "left": amount_string(ceiling.left),
            "admin_url": absolute_url(reverse("staff-books")),
        }
    mail_workshop("turnover_alert", context, once=f"{ceiling.code}:{number}:{ceiling.level}")


def mail_audit(report: AuditReport, now: datetime) -> None:
    """Send the faults to the workshop, in French, once a day; nothing when there are none."""
    if report.is_whole:
        return
    context = {
        "faults": [
            {"check": fault.check, "subject": fault.subject, "detail": fault.detail}
            for fault in report.faults[:ALERT_LINES]
        ],
        "count": len(report.faults),
        "more": max(0, len(report.faults) - ALERT_LINES),
    }
    mail_workshop("books_audit_alert", context, once=timezone.localdate(now))
