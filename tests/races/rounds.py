"""A round of installments that waits in the middle of its call of the provider."""

from __future__ import annotations

from threading import Event
from typing import Any

import pytest

from orders.stripe import gateway
from orders.tests.installments import Clock
from tests.races.concurrency import Started


def stopped_in_the_call(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> tuple[Started, Event]:
    """A round whose charge waits, on its way to the provider, until the event is set."""
    asked, go_on = Event(), Event()
    charge = gateway.charge_stored_card

    def slowly(**call: Any) -> Any:
        asked.set()
        assert go_on.wait(60)
        return charge(**call)

    monkeypatch.setattr(gateway, "charge_stored_card", slowly)
    round_ = Started(clock.run_round)
    assert asked.wait(60)
    return round_, go_on
