"""What staff change on the sheet of the shop's settings."""

from __future__ import annotations

from django.db import transaction

from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings
from shop.terms.versions import publish_first_terms


def save_settings(*, settings: ShopSettings) -> None:
    """Store the sheet; whoever fills in the last mention of the seller publishes the first version of the terms."""
    with transaction.atomic():
        save_shop_settings(settings)
        # After the copy in the cache is gone, which the texts of the terms are filled from.
        transaction.on_commit(publish_first_terms)
