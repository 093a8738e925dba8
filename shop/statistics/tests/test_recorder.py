"""What was counted in memory is written by itself, and not lost with a write that fails."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from threading import Event

from django.db import OperationalError

from shop.statistics.batch import Batch
from shop.statistics.events import PageView
from shop.statistics.models import Device
from shop.statistics.page_names import PageName
from shop.statistics.recorder import Recorder

DAY = date(2026, 11, 23)
VIEW = PageView(PageName("home", "home", "fr"), Device.PHONE, "", "")


def test_thread_writes_what_was_counted(settings, monkeypatch) -> None:
    settings.STATISTICS_WRITE_SECONDS = 0.001
    monkeypatch.setattr("shop.statistics.recorder.atexit.register", lambda _function: None)
    monkeypatch.setattr("shop.statistics.recorder.connection", type("Closed", (), {"close": lambda: None}))
    written: list[Batch] = []
    done = Event()

    def write(batch: Batch) -> None:
        written.append(batch)
        if sum(sum(each.counts.values()) for each in written) == 2:
            done.set()

    recorder = Recorder(write)
    recorder.record_event(DAY, "a", VIEW)
    recorder.record_event(DAY, "b", VIEW)
    assert done.wait(10)
    assert {key.key for batch in written for key in batch.visits} == {"a", "b"}


def test_write_that_fails_is_tried_again_with_what_came_meanwhile(caplog) -> None:
    written: list[Batch] = []

    def write(batch: Batch) -> None:
        if not written:
            written.append(Batch())
            recorder.record_event(DAY, "a", replace(VIEW, source="example.org"))
            raise OperationalError("database is locked")
        written.append(batch)

    recorder = Recorder(write)
    recorder.record_event(DAY, "a", replace(VIEW, source="example.com"))
    recorder.flush()
    recorder.flush()
    recorder.flush()
    assert caplog.messages == ["statistics: not written yet: database is locked"]
    assert [sum(batch.counts.values()) for batch in written] == [0, 2]
    # What led to the visit is what led to its first page.
    assert [news.source for news in written[1].visits.values()] == ["example.com"]


def test_more_than_memory_is_meant_for_is_dropped_and_said(monkeypatch, caplog) -> None:
    monkeypatch.setattr("shop.statistics.batch.MOST_KEYS", 2)
    written: list[Batch] = []
    recorder = Recorder(written.append)
    for key in ("a", "b", "c"):
        recorder.record_event(DAY, key, VIEW)
    recorder.flush()
    assert caplog.messages == ["statistics: 2 events were not counted, too many at once"]
    assert len(written[0].visits) == 1
