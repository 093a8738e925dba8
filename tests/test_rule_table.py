"""The table of rules in docs/development.md names things that exist."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TABLE = re.search(
    r"^## Where is the rule.*?(?=^## )",
    (ROOT / "docs/development.md").read_text(encoding="utf-8"),
    re.MULTILINE | re.DOTALL,
)
ROWS = [] if TABLE is None else re.findall(r"^\| (?!Rule |---)(.+) \|$", TABLE[0], re.MULTILINE)


def names_of(text: str) -> list[str]:
    """Every `path/to/file.py::name` in backticks."""
    return re.findall(r"`([\w/]+\.py::\w+)`", text)


def test_table_has_thirty_rules_and_each_row_names_its_place():
    assert len(ROWS) >= 30
    assert [row for row in ROWS if not names_of(row.split(" | ")[1])] == []


@pytest.mark.parametrize("name", [name for row in ROWS for name in names_of(row)])
def test_each_name_exists(name: str):
    path, _, attribute = name.partition("::")
    module = import_module(path.removesuffix(".py").replace("/", "."))
    assert hasattr(module, attribute), f"docs/development.md names {name}, which does not exist"
