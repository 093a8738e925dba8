"""What any part of the program logs, as production writes it, and the refusal of what must not stand there."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.utils.module_loading import import_string

from shop.core.log_lines import JsonLine


@pytest.fixture(name="log")
def log_fixture() -> Iterator[io.StringIO]:
    """Every line, down to DEBUG."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(JsonLine())
    for name in settings.LOGGING["handlers"]["console"].get("filters", ()):
        handler.addFilter(import_string(settings.LOGGING["filters"][name]["()"])())
    root, names = logging.getLogger(), list(logging.root.manager.loggerDict)
    levels = {name: logging.getLogger(name).level for name in names}
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    for name in levels.keys() - settings.LOGGING["loggers"].keys():
        logging.getLogger(name).setLevel(logging.NOTSET)
    yield written
    root.removeHandler(handler)
    root.setLevel(before)
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


def lines_of(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


def refuse_leaks(log: io.StringIO, secrets: list[str], shortest: int = 9) -> None:
    lines = log.getvalue().splitlines()
    assert lines, "nothing was logged at all"
    assert all(len(secret) >= shortest for secret in secrets)
    assert [line for line in lines if any(secret in line for secret in secrets)] == []
