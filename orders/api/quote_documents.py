"""Quotes as the API answers them: every figure from the quote, every text in the active language."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from catalog.models import Finish
from catalog.selectors.wording import quantities_label
from orders.pricing.installments import Installment
from orders.pricing.promotions import NextFree
from orders.pricing.quote import InstallmentOffer, Quote
from orders.selectors.mandate import mandate_text
from orders.selectors.promises import christmas_text
from orders.selectors.quotes import CartQuote, OfferHint, QuotedLine
from shop.core.dates import day_in_words, day_range_in_words
from shop.core.law import HOME_COUNTRY
from shop.core.money import ZERO, to_cents
from shop.core.postcodes import postcode_error, postcode_notice

# A hint names so many pieces of its offer.
NAMED_PIECES = 3


def quote_document(cart: CartQuote) -> dict[str, Any]:
    """Return the answer as `QuoteSerializer` describes it. Texts are in the active language.

    It is plain values in the order of the answer: a serializer that writes them again takes a seventh of the call.
    """
    quote = cart.quote
    return {
        "lines": [_line(line) for line in cart.lines],
        "item_count": quote.item_count,
        "original_total": _amount(quote.original_total),
        "promotion_savings": _amount(quote.promotion_savings),
        "subtotal": _amount(quote.subtotal),
        "country": cart.destination or HOME_COUNTRY,
        "shipping_zone": quote.zone_code,
        "customs_notice": quote.place.meets_customs,
        "postal_code_error": postcode_error(cart.country, cart.postal_code) if cart.postal_code else "",
        "postal_code_notice": postcode_notice(cart.country, cart.postal_code),
        "shipping_cost": _amount(quote.shipping_cost),
        "total": _amount(quote.total),
        "free_shipping_missing": _amount(quote.free_shipping_missing),
        "free_shipping_share": _share(quote),
        # Nothing is missing right after a completed group.
        "next_free": [
            _hint(hint) for hint in cart.hints if hint.pool.missing < hint.pool.buy + hint.pool.get
        ],
        "lead_time": _lead_time(quote),
        "installments": installments_document(quote.installments, quote.total),
    }


def installments_document(offer: InstallmentOffer, total: Decimal) -> dict[str, Any]:
    """Return the offer to pay in installments, with what the customer agrees to."""
    return {
        "available": offer.available,
        "minimum": _amount(offer.minimum),
        "plan": plan_document(offer.plan),
        "mandate": mandate_text(offer.plan, total) if offer.available else "",
    }


def plan_document(parts: Iterable[Installment]) -> list[dict[str, Any]]:
    """Return the dated parts of a plan."""
    return [
        {"due": part.due, "amount": _amount(part.amount), "due_text": day_in_words(part.due)}
        for part in parts
    ]


def _amount(value: Decimal | None) -> str | None:
    return None if value is None else f"{value:.2f}"


def _line(line: QuotedLine) -> dict[str, Any]:
    sellable = line.sellable
    image = sellable.image
    document: dict[str, Any] = {
        "key": line.key,
        "product_id": sellable.product_id,
        "variation_id": sellable.variation_id,
        "finish": sellable.finish or None,
        "name": sellable.name,
        "finish_label": Finish(sellable.finish).label if sellable.finish in Finish.values else "",
        "variation_name": sellable.variation_name,
        "category": sellable.category_name,
        "url": sellable.url,
        "image": {
            "url": image.url,
            "width": image.width,
            "height": image.height,
            "alt": image.alt,
            "srcset": next((srcset for mime, srcset in image.sources if mime == "image/webp"), ""),
        }
        if image
        else None,
        "promotion_label": sellable.promotion_badge,
        "quantity": line.quantity,
        "unit_price": _amount(sellable.unit_price),
        "original_price": _amount(sellable.original_price),
        "free_quantity": line.priced.free_quantity if line.priced else 0,
        "line_total": _amount(line.priced.line_total if line.priced else ZERO),
        "available": line.available,
        "available_quantity": line.available_quantity,
        "reserved": line.reserved,
    }
    if line.problem:
        document["problem"] = line.problem
        document["problem_detail"] = line.problem_detail
    return document


def _share(quote: Quote) -> int:
    missing = quote.free_shipping_missing
    if missing is None:
        return 0
    goal = to_cents(quote.subtotal + missing)
    return 100 if missing == ZERO or goal == 0 else to_cents(quote.subtotal) * 100 // goal


def _hint(hint: OfferHint) -> dict[str, Any]:
    pool, chosen = hint.pool, hint.suggestion
    label = quantities_label(pool.buy, pool.get)
    return {
        "label": label,
        "text": _hint_text(hint, label),
        "keys": list(pool.keys),
        "names": _names(hint),
        "missing": pool.missing,
        "suggestion": None
        if chosen is None
        else {
            "product_id": chosen.sellable.product_id,
            "variation_id": chosen.sellable.variation_id,
            "finish": chosen.sellable.finish or None,
            "name": chosen.sellable.name,
            "quantity": pool.missing,
        },
    }


def _names(hint: OfferHint) -> list[str]:
    """The pieces of an offer, each once."""
    return list(dict.fromkeys(line.sellable.name for line in hint.lines))


def _hint_text(hint: OfferHint, label: str) -> str:
    pool, names = hint.pool, _names(hint)
    values = {"count": pool.missing, "label": label, "free": pool.get}
    if len(names) == 1:
        return _hint_of_one(pool) % {**values, "piece": names[0]}
    pieces = ", ".join(names[:NAMED_PIECES]) + ("…" if len(names) > NAMED_PIECES else "")
    return _hint_of_several(pool) % {**values, "pieces": pieces}


def _hint_of_one(pool: NextFree) -> str:
    # At `missing <= get` the customer has paid for enough: what is still to be added costs nothing.
    if pool.missing <= pool.get:
        return ngettext(
            "Il vous manque votre pièce offerte\u00a0: ajoutez encore 1 × %(piece)s (%(label)s).",
            "Il vous manque vos %(count)d pièces offertes\u00a0: ajoutez encore %(count)d × %(piece)s (%(label)s).",
            pool.missing,
        )
    return ngettext(
        "Encore %(count)d × %(piece)s et une pièce est offerte (%(label)s).",
        "Encore %(count)d × %(piece)s et %(free)d pièces sont offertes (%(label)s).",
        pool.get,
    )


def _hint_of_several(pool: NextFree) -> str:
    if pool.missing <= pool.get:
        return ngettext(
            "Il vous manque votre pièce offerte\u00a0: ajoutez-la parmi %(pieces)s (%(label)s).",
            "Il vous manque vos %(count)d pièces offertes\u00a0: ajoutez-les parmi %(pieces)s (%(label)s).",
            pool.missing,
        )
    if pool.get == 1:
        return ngettext(
            "Encore %(count)d pièce parmi %(pieces)s et la moins chère est offerte (%(label)s).",
            "Encore %(count)d pièces parmi %(pieces)s et la moins chère est offerte (%(label)s).",
            pool.missing,
        )
    return _(
        "Encore %(count)d pièces parmi %(pieces)s et les %(free)d moins chères sont offertes (%(label)s)."
    )


def _lead_time(quote: Quote) -> dict[str, Any] | None:
    lead = quote.lead_time
    if lead is None:
        return None
    return {
        "days_min": lead.days_min,
        "days_max": lead.days_max,
        "earliest": lead.earliest,
        "latest": lead.latest,
        "text": day_range_in_words(lead.earliest, lead.latest),
        "christmas": christmas_text(quote.christmas_until),
    }
