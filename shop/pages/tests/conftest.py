"""What tests of the pages start from."""

from shop.core.tests.pictures import media  # noqa: F401 - fixture
from shop.pages.tests.contact import own_storage  # noqa: F401 - fixture
