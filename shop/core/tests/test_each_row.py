"""Going through rows: none keeps the others waiting, and what failed is known."""

from __future__ import annotations

import pytest

from shop.core.each_row import each_row
from shop.core.models import OutgoingMail


def test_a_row_that_fails_keeps_no_other_waiting_and_is_raised_after_them(caplog) -> None:
    rows = [OutgoingMail(pk=number, to=f"{number}@example.com") for number in (1, 2, 3)]
    seen: list[int] = []

    def act(row: OutgoingMail) -> None:
        seen.append(row.pk)
        if row.pk < 3:
            raise RuntimeError(f"row {row.pk}")

    with pytest.raises(RuntimeError, match="row 1"):
        each_row(rows, act)
    assert seen == [1, 2, 3]
    messages = [record.getMessage().rpartition(".")[2] for record in caplog.records]
    assert messages == ["act failed for 1", "act failed for 2"]


def test_it_counts_what_was_done_and_stops_after_the_most() -> None:
    seen: list[int] = []
    assert each_row(range(9), lambda row: seen.append(row) or row % 2, most=2) == 2
    assert seen == [0, 1, 2, 3]


def test_it_begins_no_row_once_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job whose steps wait for a slow server ends before its process is ended."""
    clock = iter(range(0, 100, 5))
    monkeypatch.setattr("shop.core.each_row.monotonic", lambda: next(clock))
    assert each_row(range(1, 9), lambda row: row, seconds=12) == 3


def test_what_would_stop_every_row_ends_it_at_once() -> None:
    seen: list[int] = []

    def act(row: int) -> None:
        seen.append(row)
        raise (ValueError, ConnectionError)[row]("away")

    with pytest.raises(ConnectionError):
        each_row(range(2), act, ends=(OSError,))
    assert seen == [0, 1]
