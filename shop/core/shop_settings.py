"""Writing the shop's settings row."""

from django.db import transaction

from shop.core.content_version import content_changed
from shop.core.models import ShopSettings


def link_salt(purpose: str) -> str:
    """Return the salt that signs the links of a purpose since a backup was last brought back. One query at most."""
    salt = ShopSettings.load().link_salt
    return f"{purpose}:{salt}" if salt else purpose


def renew_link_salt(salt: str) -> None:
    """End every link that `link_salt` was used for."""
    with transaction.atomic():
        if not ShopSettings.objects.filter(pk=ShopSettings.PK).update(link_salt=salt):
            ShopSettings.objects.create(pk=ShopSettings.PK, link_salt=salt)
        content_changed()


def save_shop_settings(settings: ShopSettings) -> ShopSettings:
    """Save the one row and drop its cached copies, and all that shows it, in every process."""
    settings.pk = ShopSettings.PK
    with transaction.atomic():
        settings.save()
        content_changed()
    return settings
