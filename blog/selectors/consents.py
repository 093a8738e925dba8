"""The words that people agree to, and what they have agreed to."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext as _

from blog.models import ConsentAction, ConsentRecord, Purpose
from shop.core.models import ShopSettings

TEXT_VERSION: Final = "2026-11"
"""Of both texts: a new one whenever their meaning changes."""


def consent_text(purpose: Purpose) -> str:
    """Return what is shown beside the button or the box, in the active language. One query at most."""
    shop = ShopSettings.load().shop_name
    if purpose == Purpose.CART_REMINDERS:
        return _(
            "%(shop)s peut m'écrire une fois quand je laisse des pièces dans mon panier. J'arrête quand je veux, "
            "d'un clic dans chaque e-mail."
        ) % {"shop": shop}
    return _(
        "%(shop)s peut m'envoyer sa newsletter\u00a0: guides, nouvelles figurines, conseils de collection et "
        "promotions. Je me désinscris quand je veux, d'un clic dans chaque e-mail."
    ) % {"shop": shop}


def latest_consents(email: str) -> dict[str, ConsentRecord]:
    """Return the last yes or no of an address by purpose: neither a request that nobody confirmed nor a suspension is
    one. One query."""
    answers = (ConsentAction.CONFIRMED, ConsentAction.WITHDRAWN)
    records = ConsentRecord.objects.filter(subscriber__email=email, action__in=answers)
    return {record.purpose: record for record in records.order_by("created_at", "pk")}
