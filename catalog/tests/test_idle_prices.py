"""A base price that nothing on sale has: a bulk change and a file say so before it is written."""

from __future__ import annotations

from decimal import Decimal

import pytest

from catalog.models import Product
from catalog.tests.factories import (
    change_variant,
    make_category,
    make_finish_category,
    make_product,
    make_variation,
    variant_of,
)
from catalog.tests.staff import send

pytestmark = pytest.mark.django_db

BASE = "prix de base (€)"
IDLE = f"{BASE}, sans effet\u00a0: chaque déclinaison a son propre prix"


def finished(**prices: str) -> Product:
    return make_product(category=make_finish_category(), **prices)


def formatted(**fields: str) -> Product:
    product = make_product(category=make_category("bust", offers_formats=True))
    make_variation(product, **fields)
    return product


def priced_by_itself() -> Product:
    product = formatted()
    change_variant(variant_of(product, product.variations.get()), price=Decimal("12.00"))
    return product


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: finished(painted_price="50.00", unpainted_price="30.00"), IDLE),
        (lambda: formatted(price_override="45.00"), IDLE),
        (priced_by_itself, IDLE),
        (lambda: formatted(price_adjustment="5.00"), BASE),
        (lambda: make_product(painted_price="50.00"), BASE),
    ],
)
def test_price_that_nothing_on_sale_has_says_so(admin, make, said):
    product = make()
    body = {"ids": [product.pk], "action": "update", "fields": {"price": "60.00"}, "dry_run": True}
    [bulk] = send(admin, "post", "/bulk", body).json()["changes"]
    text = f"numéro;prix\n{product.pk};60,00\n"
    [line] = send(admin, "post", "/import", {"csv": text, "dry_run": True}).json()["lines"]
    shown = [{"field": "price", "label": said, "before": "40,00", "after": "60,00"}]
    assert (bulk["changes"], line["changes"]) == (shown, shown)


def test_price_is_judged_by_the_finishes_that_the_same_change_leaves(admin):
    product = finished(painted_price="50.00")
    for column, said in (("prix peint", BASE), ("prix non peint", IDLE)):
        text = f"numéro;prix;{column}\n{product.pk};60,00;{'' if column == 'prix peint' else '30,00'}\n"
        [line] = send(admin, "post", "/import", {"csv": text, "dry_run": True}).json()["lines"]
        assert line["changes"][0]["label"] == said
