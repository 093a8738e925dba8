"""The words by which staff find an order: one form for what is stored and what is typed, on every database."""

import unicodedata
from collections.abc import Iterable
from typing import Any

from orders.models import Invoice, Order, OrderItem, OrderSearchEntry, OrderTracking
from orders.models.carrier import as_one_word
from shop.core.searching import LETTERS


def search_words(text: str) -> list[str]:
    """Return the words of a text, each once: lower-case letters without accents and digits, nothing between them.

    `Léa@exemple.fr` is `leaexemplefr` and `F-2026-00001` is `f202600001`, so that a part is found as people type it.
    """
    folded = unicodedata.normalize("NFKD", text.casefold().translate(LETTERS))
    words = ("".join(filter(str.isalnum, word)) for word in folded.split())
    return list(dict.fromkeys(word for word in words if word))


def index_order(order: Order) -> None:
    """Write an order's words anew: id, e-mail, names, place, pieces as its customer and staff call them, tracking
    numbers, invoices. Four queries, three where the order's lines were read before.

    To be called in the transaction that changes any of them.
    """
    numbers = OrderTracking.objects.filter(order=order).exclude(tracking_number="")
    texts = [
        *_item_texts(order.items.all()),
        # As one word, however it was typed: so is any part of it found.
        *map(as_one_word, numbers.values_list("tracking_number", flat=True)),
        *Invoice.objects.filter(order=order).values_list("number", flat=True),
    ]
    _write(order, texts)


def index_placed_order(order: Order, items: Iterable[OrderItem]) -> None:
    """Write the words of an order that was placed in this transaction: it has nothing but its lines. One query."""
    _write(order, _item_texts(items))


def _item_texts(items: Iterable[OrderItem]) -> list[str]:
    return [
        text
        for item in items
        for text in (
            *(item.product_name, item.variation_name, item.sku),
            *(item.french_name, item.french_variation_name),
        )
    ]


def _write(order: Order, texts: Iterable[str]) -> None:
    OrderSearchEntry.objects.bulk_create(
        [OrderSearchEntry(order_id=order.pk, text=search_text(order, texts))],
        update_conflicts=True,
        unique_fields=["order"],
        update_fields=["text"],
    )


def search_text(order: Any, texts: Iterable[str]) -> str:
    """Return what is stored for an order and these texts about it. A migration passes the order of its own time."""
    own = (
        order.email,
        *(order.first_name, order.last_name, order.gift_recipient),
        *(order.postal_code, order.city, order.phone),
        *(order.billing_name, order.billing_company, order.billing_postal_code, order.billing_city),
    )
    words = dict.fromkeys(word for text in (*own, *texts) for word in search_words(text))
    return " ".join((order.pk.hex, *words))
