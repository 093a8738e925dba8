"""What has to be done once a backup was brought back: each app registers its part in `<app>/after_restore.py`.

What happened since the backup is lost, and the world outside remembers it: sessions that were ended, invoices that were
sent, money that moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.utils.module_loading import autodiscover_modules


@dataclass(frozen=True, slots=True)
class Restored:
    """A backup that was brought back: its name, the moment whose state it is, and what the operator knows of the time
    since.

    `highest_invoices` is the last number that was sent, by year. What a step has to say to the operator goes to
    `notes`.
    """

    name: str
    made_at: datetime
    now: datetime
    highest_invoices: Mapping[int, int] = field(default_factory=dict)
    keeps_api_keys: bool = False
    notes: list[str] = field(default_factory=list)


Step = Callable[[Restored], None]

_steps: dict[str, Step] = {}
_outside_steps: dict[str, Step] = {}


def after_restore(name: str, *, asks_others: bool = False) -> Callable[[Step], Step]:
    """Register a step. All run in one transaction, and bear to be run again; one that `asks_others` over the network
    runs after it and outside.

    :raises ValueError: another function has this name.
    """

    def register(step: Step) -> Step:
        steps = _outside_steps if asks_others else _steps
        known = steps.get(name)
        if known is not None and known.__qualname__ != step.__qualname__:
            raise ValueError(f"Two steps are named {name!r}.")
        steps[name] = step
        return step

    return register


def finish_restore(restored: Restored) -> Iterator[tuple[str, Exception]]:
    """Run every step. What others did not answer is yielded: the shop is whole without, and says what to do."""
    autodiscover_modules("after_restore")
    with transaction.atomic():
        for _name, step in sorted(_steps.items()):
            step(restored)
    for name, step in sorted(_outside_steps.items()):
        try:
            step(restored)
        except Exception as error:
            yield name, error
