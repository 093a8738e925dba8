"""When a cart arrives: one delivery, its date stated before the order (Code de la consommation, L216-1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Protocol

from orders.pricing.shipping import ShippingZone


class ProducedLine(Protocol):
    """What the delivery date needs to know about a line of a cart."""

    @property
    def production_days_min(self) -> int: ...
    @property
    def production_days_max(self) -> int: ...


@dataclass(frozen=True, slots=True)
class LeadTime:
    """Calendar days from the order to the delivery, and the two dates they give. `latest` is the promised
    date."""

    days_min: int
    days_max: int
    earliest: date
    latest: date


def lead_time(lines: Iterable[ProducedLine], zone: ShippingZone, today: date) -> LeadTime | None:
    """Return the time to make the slowest line and to carry it to the zone; None for an empty cart.

    Everything leaves in one parcel, so the slowest line decides both ends. Pieces of a cart are made side by
    side: quantities don't add time.
    """
    made = list(lines)
    if not made:
        return None
    days_min = max(line.production_days_min for line in made) + zone.delivery_days_min
    days_max = max(line.production_days_max for line in made) + zone.delivery_days_max
    return LeadTime(
        days_min=days_min,
        days_max=days_max,
        earliest=today + timedelta(days=days_min),
        latest=today + timedelta(days=days_max),
    )
