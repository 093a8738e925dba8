"""A reduction at the end of November, and what is charged, listed and recorded around it."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
import time_machine

from catalog.models import PricePoint, Product
from catalog.selectors.cards import build_cards, read_cards_of
from catalog.selectors.sellables import SellableKey, find_sellables
from catalog.tests.factories import make_product, make_promotion
from shop.core import boundaries

START = datetime(2026, 11, 27, 8, 0, tzinfo=UTC)
END = datetime(2026, 11, 30, 23, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)
LONG_AGO = START - timedelta(days=60)


def at(moment: datetime):
    return time_machine.travel(moment, tick=False)


@pytest.fixture
def planned(monkeypatch):
    """A piece at 100.00 for sixty days, and 20 % off its category at the end of November."""
    # What is not committed is no new version of the content: the next boundary of another test would still be known.
    monkeypatch.setattr(boundaries, "_known", None)
    with at(LONG_AGO):
        product = make_product(price="100.00")
        promotion = make_promotion(categories=[product.category], starts_at=START, ends_at=END)
    return product, promotion


def charged(product: Product, moment: datetime) -> Decimal:
    key = SellableKey(product.pk, None, "")
    return find_sellables([key], now=moment)[key].unit_price


def listed(product: Product):
    [card] = build_cards(read_cards_of([product.pk]))
    return str(card.price), card.original_price and str(card.original_price), card.badge


def history(product: Product) -> list[tuple[str, datetime]]:
    points = PricePoint.objects.filter(product_id=product.pk).order_by("starts_at", "pk")
    return [(str(point.amount), point.starts_at) for point in points]
