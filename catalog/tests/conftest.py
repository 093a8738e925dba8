"""What tests of the catalogue start from."""

from __future__ import annotations

import pytest
from django.test import Client

from catalog.models import Product
from catalog.tests.factories import make_product
from catalog.tests.grids import bear  # noqa: F401 - fixture
from catalog.tests.pages import shop  # noqa: F401 - fixture
from catalog.tests.programs import program  # noqa: F401 - fixture
from catalog.tests.promotions import planned  # noqa: F401 - fixture
from catalog.tests.reviews import bought  # noqa: F401 - fixture
from catalog.tests.staff import staff_browser
from shop.core.tests.pictures import media  # noqa: F401 - fixture


@pytest.fixture
def admin() -> Client:
    """The browser of somebody who may do everything."""
    return staff_browser()


@pytest.fixture
def product() -> Product:
    return make_product("Golem")
