"""What `manage.py check --database default` says about the pages' rows."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core import checks
from django.db import DatabaseError


@checks.register(checks.Tags.database)
def check_official_texts(**kwargs: Any) -> list[checks.CheckMessage]:
    """The notice and the box on legal guarantees, which a shop shows word for word. Says nothing while DEBUG is on."""
    if settings.DEBUG:
        return []
    from shop.pages.selectors.official import missing_official_texts

    try:
        missing = missing_official_texts()
    except DatabaseError:  # before the first migration
        return []
    if not missing:
        return []
    return [
        checks.Warning(
            f"Official texts are missing: {', '.join(missing)}.",
            hint="Add them under « Textes officiels » in the admin: terms, checkout and confirmation show them.",
            id="shop.W021",
        )
    ]
