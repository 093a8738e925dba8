"""What staff delete while somebody has it in their cart: the checkout says so in their language, with the quote of now,
and makes nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from catalog.services.product_removal import trash_products
from catalog.services.products import delete_product, delete_variation, save_product
from catalog.services.promotions import delete_promotion
from catalog.tests.factories import make_promotion
from orders.models import Order, ShippingZone
from orders.tests.factories import checkout_body, line, make_finished_product, make_product, make_variation
from shop.core.content_version import delete_shown

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]

Case = tuple[dict[str, Any], Callable[[], object]]
CHANGED = "Der Gesamtbetrag Ihres Warenkorbs hat sich geändert. Prüfen Sie ihn vor der Zahlung."
UNAVAILABLE = "Einige Stücke in Ihrem Warenkorb können nicht mehr bestellt werden."


def promotion() -> Case:
    piece = make_product(price="60.00")
    return line(piece), partial(delete_promotion, promotion=make_promotion(piece, percent=50))


def zone() -> Case:
    home = ShippingZone.objects.get(code="france-europe")
    return line(make_product(price="20.00")), partial(delete_shown, home)


def variation() -> Case:
    piece = make_product(price="60.00")
    own = make_variation(piece, "18 cm", is_default=True)
    return line(piece, variation_id=own.pk), partial(delete_variation, variation=own)


def finish() -> Case:
    piece = make_finished_product()

    def stop() -> None:
        piece.painted_price = None
        save_product(product=piece)

    return line(piece, finish="painted"), stop


def trashed() -> Case:
    piece = make_product(price="60.00")
    return line(piece), partial(trash_products, product_ids=[piece.pk], actor=None)


def product() -> Case:
    piece = make_product(price="60.00")
    return line(piece), partial(delete_product, product=piece)


@pytest.mark.parametrize(
    ("case", "before", "after", "problem"),
    [
        (promotion, "39.99", "60.00", None),
        (zone, "29.99", "69.99", None),
        (variation, "60.00", "0.00", "Dieses Format ist für dieses Stück nicht mehr erhältlich."),
        (finish, "80.00", "0.00", "Diese Ausführung wird für dieses Stück nicht angeboten."),
        (trashed, "60.00", "0.00", "Dieses Stück ist nicht mehr im Katalog."),
        (product, "60.00", "0.00", "Dieses Stück ist nicht mehr im Katalog."),
    ],
)
def test_what_is_deleted_after_the_quote(
    fake_stripe: Any, shopper: Any, case: Callable[[], Case], before: str, after: str, problem: str | None
) -> None:
    wanted, delete = case()

    def quoted() -> dict[str, Any]:
        body = {"lines": [wanted], "country": "FR"}
        answer = shopper.client.post(
            "/api/cart/quote", body, "application/json", headers={"accept-language": "de"}
        )
        assert answer.status_code == 200
        return dict(answer.json())

    assert quoted()["total"] == before
    delete()
    now = quoted()
    assert (now["total"], now["lines"][0].get("problem_detail")) == (after, problem)
    answer = shopper.checkout(checkout_body([wanted], before), language="de")
    told = answer.json()
    expected = ("line_unavailable", UNAVAILABLE) if problem else ("total_changed", CHANGED)
    assert (answer.status_code, told["code"], told["detail"]) == (409, *expected)
    assert (told["quote"]["total"], told["quote"]["lines"]) == (after, now["lines"])
    assert not Order.objects.exists()
