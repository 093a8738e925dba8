"""Short sentences made from the figures of a product, in the visitor's language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from catalog.models import Product, Promotion, Variant
from catalog.selectors.availability import LOW_STOCK
from shop.core.dates import day_in_words, unbroken
from shop.core.languages import SOURCE_LANGUAGE, active_language
from shop.core.models import ShopSettings
from shop.core.money import format_amount

WEEK = 7

_DECIMAL_SEPARATOR = re.compile(r"(?<=\d)[.,](?=\d)")


@dataclass(frozen=True, slots=True)
class ProductionDays:
    """How long the workshop needs, at least and at most."""

    low: int
    high: int


def default_production_days() -> ProductionDays:
    """The delay of what has none of its own. One query when the shop's settings are not cached."""
    shop = ShopSettings.load()
    return ProductionDays(shop.default_production_days_min, shop.default_production_days_max)


def production_days(product: Product, variant: Variant | None, default: ProductionDays) -> ProductionDays:
    """The variant's own delay where it has one, else the product's, else the shop's."""
    for row in (variant, product):
        if row is not None and row.production_days_min is not None and row.production_days_max is not None:
            return ProductionDays(row.production_days_min, row.production_days_max)
    return default


def promotion_badge(promotion: Promotion | None) -> str:
    """The mark on a card, a page and a cart's line: « 2 ACHETÉS 1 OFFERT », « PROMO », or nothing without one."""
    if promotion is None:
        return ""
    quantities = promotion.quantities
    if quantities is None:
        return reduction_badge()
    bought = ngettext("%(count)d ACHETÉ", "%(count)d ACHETÉS", quantities.buy) % {"count": quantities.buy}
    free = ngettext("%(count)d OFFERT", "%(count)d OFFERTS", quantities.get) % {"count": quantities.get}
    return f"{bought} {free}"


def reduction_badge() -> str:
    """The mark of whatever costs less than it did."""
    return _("PROMO")


def promotion_label(promotion: Promotion | None, *, with_figure: bool = True) -> str:
    """« 2 achetés, 1 offert », « PROMO −20 % », or nothing without a running promotion. Without the figure of a
    reduction (`catalog.pricing.is_true_figure`) it is « PROMO »."""
    if promotion is None:
        return ""
    quantities = promotion.quantities
    if quantities is not None:
        return quantities_label(quantities.buy, quantities.get)
    if not with_figure:
        return reduction_badge()
    if promotion.percent is not None:
        return _("PROMO −%(percent)s\u00a0%%") % {"percent": promotion.percent}
    assert promotion.amount is not None
    return _("PROMO −%(amount)s") % {"amount": amount_text(promotion.amount)}


def quantities_label(buy: int, get: int) -> str:
    """« 2 achetés, 1 offert »."""
    bought = ngettext("%(count)d acheté", "%(count)d achetés", buy) % {"count": buy}
    free = ngettext("%(count)d offert", "%(count)d offerts", get) % {"count": get}
    return _("%(bought)s, %(free)s") % {"bought": bought, "free": free}


def stock_text(quantity: int | None) -> str:
    """« Dernière pièce », « Plus que 2 en stock »; nothing for what is made to order, sold out or there in numbers."""
    if quantity == 1:
        # Maybe of ten: nothing says that a piece is the only one of its kind.
        return _("Dernière pièce")
    if quantity is not None and 1 < quantity <= LOW_STOCK:
        return _("Plus que %(count)d en stock") % {"count": quantity}
    return ""


def promotion_text(promotion: Promotion | None, *, with_figure: bool = True) -> str:
    """What the promotion means and until when, or nothing without one; of a reduction without its figure only until
    when."""
    if promotion is None:
        return ""
    text = promotion_label(promotion)
    quantities = promotion.quantities
    if quantities is not None:
        text = ngettext(
            "%(label)s\u00a0: la pièce la moins chère du lot est offerte.",
            "%(label)s\u00a0: les %(count)d pièces les moins chères du lot sont offertes.",
            quantities.get,
        ) % {"label": text, "count": quantities.get}
    elif not with_figure:
        text = ""
    if promotion.ends_at is None:
        return text
    until = _("Jusqu'au %(day)s.") % {"day": unbroken(day_in_words(last_day(promotion.ends_at)))}
    return f"{text}. {until}" if text and quantities is None else f"{text} {until}".strip()


def last_day(ends_at: datetime) -> date:
    """The last day of something that ends just before a moment."""
    return timezone.localdate(ends_at - timedelta(microseconds=1))


def production_text(days: ProductionDays) -> str:
    """« 2 à 4 semaines », « 10 jours »."""
    low, high = days.low, days.high
    if low >= WEEK and low % WEEK == 0 and high % WEEK == 0:
        weeks_low, weeks_high = low // WEEK, high // WEEK
        if weeks_low == weeks_high:
            return ngettext("%(count)d semaine", "%(count)d semaines", weeks_high) % {"count": weeks_high}
        return _("%(low)d à %(high)d semaines") % {"low": weeks_low, "high": weeks_high}
    if low == high:
        return ngettext("%(count)d jour", "%(count)d jours", high) % {"count": high}
    return _("%(low)d à %(high)d jours") % {"low": low, "high": high}


def measures_text(written: str) -> str:
    """Dimensions or a weight with the decimal separator of the visitor's language, whichever staff wrote."""
    return _DECIMAL_SEPARATOR.sub("." if active_language() == "en" else ",", written)


def amount_text(value: Decimal) -> str:
    """The amount as the visitor reads it: « 49,99 € »."""
    return format_amount(value, active_language())


def column_languages() -> list[str]:
    """The languages of which a translated text must be read, in the order of their columns: the active one, and those
    it falls back to."""
    wanted = {active_language(), *settings.MODELTRANSLATION_FALLBACK_LANGUAGES}
    return [code for code in settings.MODELTRANSLATION_LANGUAGES if code in wanted]


def language_of_text(row: Product, *names: str) -> str:
    """Return French where a page in another language shows a text in it, as nobody has translated it: of the first of
    these fields that has words; else "". Screen readers take the voice of that language for it (WCAG 3.1.2)."""
    name = next((name for name in names if getattr(row, name)), "")
    return SOURCE_LANGUAGE if name and not getattr(row, f"{name}_{active_language()}") else ""


def teaser(product: Product) -> str:
    """The first line of the description, "" without one."""
    return next((line.strip() for line in (product.description or "").splitlines() if line.strip()), "")


def empty_message(*, search: str, category: str, filtered: bool = False) -> str:
    """What an empty list says. `search` is what was typed, `category` the name of the chosen one, or `""`."""
    if filtered:
        return _("Aucune figurine ne correspond à ces filtres.")
    if search and category:
        return _("Aucune figurine trouvée pour «\u00a0%(search)s\u00a0» dans la catégorie %(category)s") % {
            "search": search,
            "category": category,
        }
    if search:
        return _("Aucune figurine trouvée pour «\u00a0%(search)s\u00a0»") % {"search": search}
    if category:
        return _("Aucune figurine trouvée dans la catégorie «\u00a0%(category)s\u00a0».") % {
            "category": category
        }
    return _("Aucune figurine disponible pour le moment.")
