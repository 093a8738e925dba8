"""Writing the shop's settings row."""

from django.core.cache import cache
from django.db import transaction

from shop.core.content_version import content_changed
from shop.core.models import ShopSettings


def save_shop_settings(settings: ShopSettings) -> ShopSettings:
    """Save the one row and drop its cached copies; other processes see it within a minute at most."""
    settings.pk = ShopSettings.PK
    with transaction.atomic():
        settings.save()
        transaction.on_commit(lambda: cache.delete(ShopSettings.CACHE_KEY), robust=True)
        content_changed()
    return settings
