"""Writing the rules of delivery, VAT and the workshop's closures, which public pages show."""

from django.db import transaction
from django.db.models import Model

from shop.core.content_version import content_changed


def save_rule(rule: Model) -> None:
    """Store a zone, a territory, a country without delivery, a VAT rate or a closure; pages show it at once."""
    with transaction.atomic():
        rule.save()
        content_changed()


def delete_rule(rule: Model) -> None:
    """Delete one; pages show it at once. Orders that were placed keep what they say."""
    with transaction.atomic():
        rule.delete()
        content_changed()
