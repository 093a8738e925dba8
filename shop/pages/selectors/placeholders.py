"""The figures that texts may name: none of them is written into a text, so none can be wrong there."""

from __future__ import annotations

from decimal import Decimal

from babel.numbers import format_decimal
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from catalog.models import Product
from catalog.selectors.wording import default_production_days, production_text
from orders.selectors.delivery import DeliveryRow, shipping_table
from shop.core.fragment_cache import cached_content
from shop.core.languages import active_language
from shop.core.models import ShopSettings
from shop.core.money import format_amount
from shop.pages.markup import escape

# What a text may hold between double braces, with what it stands for.
PLACEHOLDERS = {
    "shop_name": gettext_lazy("nom de la boutique"),
    "email": gettext_lazy("adresse e-mail de la boutique"),
    "production_delay": gettext_lazy("délai de fabrication par défaut, en mots"),
    "lowest_price": gettext_lazy("prix de la pièce la moins chère"),
    "shipping_table": gettext_lazy("tableau des frais de livraison"),
}


def placeholder_values() -> dict[str, str]:
    """Return every placeholder with its value in the active language, escaped for Markdown.

    At most five queries (settings, zones, stops, territories, lowest price), cached for a minute.
    """
    return cached_content(lambda: _read(active_language()), "placeholders")


def shipping_markdown(language: str) -> str:
    """Return the delivery zones as a Markdown table. Three queries."""
    # The word for one country is the forms'.
    head = [_("Zone"), pgettext("several", "Pays"), _("Livraison"), _("Offerte à partir de")]
    rows = [
        [
            escape(row.name),
            escape(", ".join(row.countries) or _all_others(row)),
            _rates(row, language),
            format_amount(row.free_from, language) if row.free_from is not None else "–",
        ]
        for row in shipping_table()
    ]
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _all_others(row: DeliveryRow) -> str:
    if not row.not_served:
        return _("Tous les autres")
    return _("Tous les autres, sauf\u00a0: %(countries)s") % {"countries": ", ".join(row.not_served)}


def _rates(row: DeliveryRow, language: str) -> str:
    """« 19,99 € jusqu'à 1 kg, 39,99 € au-delà »; the rate alone where weight doesn't count."""
    steps = [
        _("%(rate)s jusqu'à %(weight)s\u00a0kg")
        % {
            "rate": format_amount(rate, language),
            "weight": format_decimal(Decimal(grams) / 1000, locale=language),
        }
        for grams, rate in row.steps
    ]
    beyond = format_amount(row.rate, language)
    return ", ".join([*steps, _("%(rate)s au-delà") % {"rate": beyond}]) if steps else beyond


def _read(language: str) -> dict[str, str]:
    shop = ShopSettings.load()
    # 0 stands for a product of which nothing is on sale.
    priced = Product.objects.filter(is_published=True, price_from__gt=0)
    # Of what can be bought, as long as something can.
    lowest = priced.order_by("-is_available", "price_from").values_list("price_from", flat=True).first()
    return {
        "shop_name": escape(shop.shop_name),
        "email": escape(shop.email),
        "production_delay": production_text(default_production_days()),
        "lowest_price": format_amount(lowest if lowest is not None else Decimal(0), language),
        "shipping_table": shipping_markdown(language),
    }
