"""What a promotion will do to prices, before it starts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.utils.translation import gettext as _

from catalog import pricing
from catalog.models import Product, Promotion, Variant
from catalog.pricing import Offer, ProductPromotion
from catalog.selectors.products import PriceHistory, price_histories
from catalog.selectors.promotions import concerned_products, promotions_of
from catalog.selectors.variants import variants_of

PREVIEWED = 50


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """One way to buy a product: its price now, without the promotion, and under it, the price that may be shown crossed
    out then, and a sentence where something is not as one may expect."""

    product: Product
    variant: str
    price_now: Decimal
    price_then: Decimal
    crossed_out: Decimal | None
    remark: str


@dataclass(frozen=True, slots=True)
class Preview:
    """The first products of a promotion at the moment `at`; `left_out` more are not listed."""

    at: datetime
    rows: tuple[PreviewRow, ...]
    left_out: int


def preview_of_promotion(promotion: Promotion, now: datetime) -> Preview:
    """What the prices will be when the promotion starts (now, when it has started or has no start), as if it were
    switched on. Six queries."""
    at = promotion.starts_at if promotion.starts_at is not None and promotion.starts_at > now else now
    # Those of the trash are in no list.
    concerned = concerned_products([promotion]).filter(trashed_at=None).select_related("category")
    concerned = concerned.order_by("-is_published", "pk")
    count = concerned.count()
    products = list(concerned[:PREVIEWED])
    keys = [product.pk for product in products]
    variants, histories, found = variants_of(keys), price_histories(keys), promotions_of(keys, now)
    chosen = set(promotion.products.filter(pk__in=keys).values_list("pk", flat=True)) | {promotion.product_id}
    rows: list[PreviewRow] = []
    for product in products:
        others = [each for each in found[product.pk] if each.promotion.pk != promotion.pk]
        own = ProductPromotion(_switched_on(promotion), product.pk in chosen)
        current = pricing.running_promotion(others, now)
        then = pricing.running_promotion([*others, own], at)
        history = histories[product.pk]
        rows += rows_of_product(product, variants[product.pk], current, then, promotion, history, at)
    return Preview(at, tuple(rows), count - len(products))


def rows_of_product(
    product: Product,
    variants: Iterable[Variant],
    current: Promotion | None,
    then: Promotion | None,
    promotion: Promotion,
    history: PriceHistory,
    at: datetime,
) -> Iterator[PreviewRow]:
    """Each way to buy the product, under its promotion of now and the one that it will have (`then`) at a moment;
    `promotion` is the one that is previewed."""
    rows = list(variants)
    before, after = pricing.offers(product, rows, current), pricing.offers(product, rows, then)
    return _rows(product, zip(before, after, strict=True), then, promotion, history, at)


def _switched_on(promotion: Promotion) -> Promotion:
    """The promotion itself, or a copy of one that is switched off or over as it would run."""
    copy = Promotion(
        **{field.attname: getattr(promotion, field.attname) for field in promotion._meta.concrete_fields}
    )
    copy.is_active = True
    return copy


def _rows(
    product: Product,
    pairs: Iterator[tuple[Offer, Offer]],
    then: Promotion | None,
    promotion: Promotion,
    history: PriceHistory,
    at: datetime,
) -> Iterator[PreviewRow]:
    for before, after in pairs:
        crossed_out = pricing.crossed_out_price(product, after, history, at)
        if then is None:
            remark = _("La promotion est terminée.")
        elif then.pk != promotion.pk:
            remark = _("Une autre promotion passe avant\u00a0: %(name)s.") % {"name": then.name}
        else:
            remark = _remark(after, crossed_out, history, at)
        yield PreviewRow(product, after.variant.label, before.price, after.price, crossed_out, remark)


def _remark(offer: Offer, crossed_out: Decimal | None, history: PriceHistory, at: datetime) -> str:
    if offer.price == offer.full_price:
        return ""
    prior = pricing.prior_price(history.get(offer.key, ()), offer.price, at)
    if prior is None:
        return _("Pas de prix barré\u00a0: les prix des 30 jours d'avant ne sont pas tous connus (L112-1-1).")
    if crossed_out is None:
        return _(
            "Pas de prix barré\u00a0: le prix n'a pas été plus haut pendant les 30 jours d'avant (L112-1-1)."
        )
    if crossed_out < offer.full_price:
        return _("Prix barré abaissé au plus bas des 30 jours d'avant (L112-1-1).")
    return ""
