"""Mails to the workshop about its books: a ceiling that comes near, an audit that found faults."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone, translation

from orders.books.audit import AuditReport
from orders.books.turnover import TaxCeiling, months_of, tax_ceilings
from shop.core.mail import ALERT_LINES, queue_mail
from shop.core.models import ShopSettings
from shop.core.money import ZERO, amount_string
from shop.core.shop_days import shop_day

LATE_BOOKINGS = timedelta(days=14)


def alert_turnover(now: datetime) -> list[TaxCeiling]:
    """Send one mail for each ceiling, level (70, 90, 100 %) and year, at the highest level reached.

    Returns the ceilings that have reached one. In January the year before is looked at too: money of its last days may
    be booked late.
    """
    years = sorted({shop_day(now - LATE_BOOKINGS).year, shop_day(now).year})
    return [ceiling for number in years for ceiling in _reached(number)]


def _reached(number: int) -> list[TaxCeiling]:
    turnover = sum((month.net for month in months_of(number)), ZERO)
    reached = [ceiling for ceiling in tax_ceilings(number, turnover=turnover) if ceiling.level]
    with transaction.atomic():
        for ceiling in reached:
            _mail(ceiling, number)
    return reached


def _mail(ceiling: TaxCeiling, number: int) -> None:
    with translation.override("fr"):
        context = {
            "label": str(ceiling.label),
            "explanation": str(ceiling.explanation),
            "level": ceiling.level,
            "year": number,
            "amount": amount_string(ceiling.amount),
            "ceiling": amount_string(ceiling.ceiling),
            "left": amount_string(ceiling.left),
            "admin_url": settings.SITE_URL + reverse("books:index"),
        }
    queue_mail(
        kind="turnover_alert",
        to=ShopSettings.load().alert_address,
        language="fr",
        context=context,
        dedupe_key=f"turnover_alert:{ceiling.code}:{number}:{ceiling.level}",
    )


def mail_audit(report: AuditReport, now: datetime) -> None:
    """Send the faults to the workshop, in French, once a day; nothing when there are none."""
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
