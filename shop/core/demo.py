"""The demonstration: each app registers the part that it loads, `manage.py load_demo` runs them in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.module_loading import autodiscover_modules

Part = Callable[[], None]

# The people of the demonstration: they exist where `load_demo` was run, nowhere else.
ADMIN = "admin@example.com"
STAFF = "equipe@example.com"
CLIENT = "client@example.com"
PASSWORD = "figurine-atelier-2026"  # noqa: S105 - published on purpose


@dataclass(frozen=True, slots=True)
class DemoPart:
    """One part: its place in the order, and the function that loads it. Loading twice must change nothing."""

    order: int
    name: str
    load: Part


_registry: dict[str, DemoPart] = {}


def demo_part(*, order: int) -> Callable[[Part], Part]:
    """Register a part in the `demo.py` of an app: 10 for what stands alone, more for what needs earlier parts."""

    def register(load: Part) -> Part:
        name = f"{load.__module__}.{load.__qualname__}"
        _registry[name] = DemoPart(order, name, load)
        return load

    return register


def demo_parts() -> list[DemoPart]:
    """Return every part of every installed app, in the order to load them."""
    autodiscover_modules("demo")
    return sorted(_registry.values(), key=lambda part: (part.order, part.name))
