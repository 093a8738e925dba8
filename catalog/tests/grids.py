"""A piece of two formats in two finishes, and the grid of its variants by calls."""

from __future__ import annotations

import pytest

from catalog.models import Product, Variant
from catalog.tests.factories import make_finish_category, make_product, make_variation, variant_of
from catalog.tests.staff import send


@pytest.fixture
def bear() -> Product:
    """Two formats in two finishes: four rows."""
    product = make_product(
        "Ours", category=make_finish_category(offers_formats=True), painted_price="50.00",
        unpainted_price="30.00", stock_quantity=7,
    )  # fmt: skip
    make_variation(product, "Petit", sort_order=0)
    make_variation(product, "Grand", sort_order=1, price_adjustment="20.00")
    return product


def grid(browser, product) -> dict:
    answer = send(browser, "get", f"/{product.pk}/variants")
    assert answer.status_code == 200, answer.json()
    return answer.json()


def put(browser, product, rows, **more):
    body = {"version": grid(browser, product)["version"], "rows": rows, **more}
    return send(browser, "put", f"/{product.pk}/variants", body)


def stored(product) -> list[dict]:
    return list(Variant.objects.filter(product=product).order_by("pk").values())


def variant(product, name: str, finish: str) -> Variant:
    return variant_of(product, product.variations.get(name_fr=name), finish)
