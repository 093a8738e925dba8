"""Mails to the owner when a ceiling comes near."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import translation

from orders.books.days import shop_day
from orders.books.turnover import Gauge, gauges, months_of
from shop.core.mail import queue_mail
from shop.core.models import ShopSettings
from shop.core.money import ZERO, amount_string


def alert_turnover(now: datetime) -> list[Gauge]:
    """One mail for each ceiling, level (70, 90, 100 %) and year, at the highest level reached.

    Returns the ceilings that have reached one.
    """
    number = shop_day(now).year
    turnover = sum((month.net for month in months_of(number)), ZERO)
    reached = [gauge for gauge in gauges(number, turnover=turnover) if gauge.level]
    with transaction.atomic():
        for gauge in reached:
            _mail(gauge, number)
    return reached


def _mail(gauge: Gauge, number: int) -> None:
    with translation.override("fr"):
        context = {
            "label": str(gauge.label),
            "explanation": str(gauge.explanation),
            "level": gauge.level,
            "year": number,
            "amount": amount_string(gauge.amount),
            "ceiling": amount_string(gauge.ceiling),
            "left": amount_string(gauge.left),
            "admin_url": settings.SITE_URL + reverse("books:index"),
        }
    queue_mail(
        kind="turnover_alert",
        to=ShopSettings.load().alert_address,
        language="fr",
        context=context,
        dedupe_key=f"turnover_alert:{gauge.code}:{number}:{gauge.level}",
    )
