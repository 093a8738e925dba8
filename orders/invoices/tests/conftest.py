"""A seller with real-looking registers, and paid orders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache

from orders.models import Order
from orders.tests.factories import make_order, pay_order
from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings

SELLER = {
    "shop_name": "L'Établi aux figurines",
    "trader_name": "Camille Fabre EI",
    "siret": "123 456 789 00012",
    "address": "14 rue des Tanneurs\n69001 Lyon\nFrance",
    "email": "bonjour@etabli.example",
    "phone": "+33 4 78 00 00 00",
    "publication_director": "Camille Fabre",
    "host_name": "Hébergeur",
    "host_address": "2 rue du Serveur, 75001 Paris",
    "host_phone": "+33 1 00 00 00 00",
    "mediator_name": "Médiateur",
    "mediator_address": "3 rue de la Paix, 75002 Paris",
    "mediator_url": "https://mediateur.example",
    "packaging_id": "FR123456_01ABCD",
    "oss_number": "FR12123456789",
    "workshop_email": "atelier@etabli.example",
}


def set_shop(**changes: Any) -> None:
    save_shop_settings(ShopSettings(**{**SELLER, **changes}))
    # A test's transaction never commits, which is when the copy is dropped.
    cache.clear()


@pytest.fixture(autouse=True)
def _seller(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("django_db") is not None:
        request.getfixturevalue("db")
        set_shop()


@pytest.fixture
def paid() -> Callable[..., Order]:
    """``paid((product, 2), country="DE", language="de")``: an order that its payment has confirmed."""
    return lambda *lines, **fields: pay_order(make_order(*lines, **fields))
