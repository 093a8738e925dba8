"""Where tests of the kernel store files."""

from shop.core.tests.pictures import media  # noqa: F401 - fixture
