"""Units that orders hold until they are paid: `orders` knows them, and registers how they are counted here."""

from __future__ import annotations

from django.db.models import Value
from django.db.models.expressions import Combinable

_counted: list[Combinable] = []


def register_held_units(units: Combinable) -> None:
    """From now on `units`, of the variant of a query, is what is held of its own number. Call it in an
    `AppConfig.ready()`."""
    _counted[:] = [units]


def held_units() -> Combinable:
    """How many units of a variant's own number orders hold that are not paid yet: to annotate variants with."""
    return _counted[0] if _counted else Value(0)
