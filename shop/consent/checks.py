"""Ids of the environment that would silently load nothing."""

from __future__ import annotations

import re
from typing import Any

from django.conf import settings
from django.core import checks

from shop.consent.registry import THIRD_PARTIES
from shop.core.models import MEASUREMENT_IDS


@checks.register("shop")
def check_measurement_ids(**kwargs: Any) -> list[checks.CheckMessage]:
    """An id that is set has the form its company gives it."""
    return [
        checks.Error(
            f"{name} is no id of {party.name}: nothing is loaded.",
            hint="Correct it, or leave it empty and fill in the shop's settings.",
            id="shop.E031",
        )
        for party in THIRD_PARTIES
        if (name := party.setting.upper())
        and (key := getattr(settings, name))
        and not re.match(MEASUREMENT_IDS[party.setting], key)
    ]
