"""Where tests of the kernel store files."""

import pytest

from shop.core import checks
from shop.core.tests.pictures import media  # noqa: F401 - fixture

STRONG = "a-secret-of-production-with-more-than-fifty-different-0123456789-characters"


@pytest.fixture
def production(settings):
    """Settings of a production server with nothing wrong."""
    settings.DEBUG = False
    settings.SECRET_KEY = STRONG
    settings.ALLOWED_HOSTS = ["shop.example"]
    settings.SITE_URL = "https://shop.example"
    settings.EMAIL_URL = "smtp+tls://user:password@mail.example:587"
    settings.EMAIL_BACKEND = checks.SMTP
    settings.STRIPE_SECRET_KEY = "sk_live_1"
    settings.STRIPE_WEBHOOK_SECRET = "whsec_1"
    settings.STRIPE_API_BASE = ""
    return settings
