"""What the database computes of a product's row: what lists filter by, and its place in the draw of the day."""

from __future__ import annotations

from enum import IntFlag
from functools import reduce
from operator import add
from typing import Final

from django.db import models
from django.db.models import Case, F, Func, Q, Value, When


class Facet(IntFlag):
    """What lists filter by: bits of `Product.facets`."""

    AVAILABLE = 1
    READY = 2
    SMALL = 4
    MEDIUM = 8
    LARGE = 16
    PAINTED = 32
    UNPAINTED = 64
    REDUCED = 128


FACETS: Final = {
    Facet.AVAILABLE: Q(is_available=True),
    Facet.READY: Q(is_ready=True),
    Facet.SMALL: Q(has_small=True),
    Facet.MEDIUM: Q(has_medium=True),
    Facet.LARGE: Q(has_large=True),
    Facet.PAINTED: Q(painted_price__isnull=False),
    Facet.UNPAINTED: Q(unpainted_price__isnull=False),
    Facet.REDUCED: Q(running_promotion__isnull=False) | Q(crossed_out__isnull=False),
}
"""When a product has a bit. The database computes them: another condition needs a migration."""

FACETS_EXPRESSION: Final = reduce(
    add, (Case(When(q, then=Value(int(bit))), default=Value(0)) for bit, q in FACETS.items())
)

DRAWN_PLACES: Final = 2**16
# Multiplied by an odd number near the golden section of it, neighbouring keys lie far apart. Written without
# parameters: SQLite uses an index of an expression for that very expression.
DRAWN_PLACE: Final = Func(
    F("id"), template=f"((%(expressions)s * 40503) & {DRAWN_PLACES - 1})", output_field=models.IntegerField()
)
"""Where a product stands in the draw of the day: 0 to 65,535."""
