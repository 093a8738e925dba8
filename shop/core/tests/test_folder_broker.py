"""The broker that is a folder: processes that begin at the same moment read whole files."""

from __future__ import annotations

import errno
import json
import os

import pytest
from kombu import Connection, Exchange, Queue
from kombu.exceptions import ChannelError
from kombu.transport import filesystem

from shop.core.broker import register


@pytest.fixture
def options(tmp_path):
    register()
    for name in ("messages", "control"):
        (tmp_path / name).mkdir()
    return {
        "data_folder_in": str(tmp_path / "messages"),
        "data_folder_out": str(tmp_path / "messages"),
        "control_folder": str(tmp_path / "control"),
    }


def test_a_message_that_a_full_disk_did_not_take_leaves_no_file(options, tmp_path, monkeypatch):
    def fail(*_paths):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with Connection("folder://localhost/", transport_options=options) as connection:
        monkeypatch.setattr("shop.core.broker.os.replace", fail)
        with pytest.raises(ChannelError):
            connection.channel()._put("mails", {"body": "x"})
    assert list((tmp_path / "messages").iterdir()) == []


def test_two_workers_that_begin_at_once_find_a_whole_table(options, tmp_path, monkeypatch):
    exchange = Exchange("atelier", type="direct")

    def declare(name: str) -> None:
        with Connection("folder://localhost/", transport_options=options) as connection:
            Queue(name, exchange, routing_key=name)(connection.channel()).declare()

    waiting = ["pictures"]
    lock = filesystem.lock

    def lock_late(file, flags):
        # Another worker comes between opening the table and locking it.
        if waiting:
            declare(waiting.pop())
        lock(file, flags)

    monkeypatch.setattr(filesystem, "lock", lock_late)
    declare("mails")
    [table] = (tmp_path / "control").glob("*.exchange")
    assert sorted(queue for *_rest, queue in json.loads(table.read_text())) == ["mails", "pictures"]
