"""What the screens of the staff area may write into the audit trail, which nobody can erase."""

from __future__ import annotations

from importlib import import_module

from django.conf import settings
from django.db.models import EmailField

from shop.core.models import ShopSettings
from shop.pages.models import SeasonalBanner
from shop.staff_rows import StaffRows

# Columns that tell of somebody, whatever the row.
PERSONAL = {
    *("email", "first_name", "last_name", "author_name", "phone", "address", "user", "message", "subject"),
    *("token", "fingerprint", "password", "ip", "caller"),
}


def test_no_entry_can_hold_what_tells_of_a_person():
    """No screen that records whole rows writes a column that tells of somebody."""
    import_module(settings.ROOT_URLCONF)
    models = {screen.model for screen in _kinds_of(StaffRows) if hasattr(screen, "model")}
    assert {ShopSettings, SeasonalBanner} < models
    # What the shop must publish about its trader (L221-5, LCEN 6 III) is no secret of a person.
    for model in models - {ShopSettings}:
        personal = {
            field.name
            for field in model._meta.concrete_fields
            if field.name in PERSONAL or isinstance(field, EmailField)
        }
        # What a closure says to visitors.
        public = {"orders.WorkshopClosure": {"message"}}.get(model._meta.label, set())
        assert personal - public == set(), model


def _kinds_of(screen: type[StaffRows]) -> set[type[StaffRows]]:
    return {screen}.union(*map(_kinds_of, screen.__subclasses__()))
