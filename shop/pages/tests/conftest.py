"""What tests of the pages start from."""

import pytest

from shop.core.tests.pictures import media  # noqa: F401 - fixture
from shop.pages.tests.contact import own_storage  # noqa: F401 - fixture
from shop.pages.tests.whole_shop import WholeShop, make_whole_shop


@pytest.fixture(scope="module")
def whole_shop(module_rows: None) -> WholeShop:
    return make_whole_shop()
