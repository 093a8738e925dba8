"""The names that the glossary gives exist: in the code, in the API, on the pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("accounts", "blog", "catalog", "orders", "shop", "templates")
TERMS = (ROOT / "docs/glossary.md").read_text(encoding="utf-8").partition("## Words given up")[0]
ROWS = [row.split(" | ") for row in re.findall(r"^\| (?!Term |---)(.+) \|$", TERMS, re.MULTILINE)]


@pytest.fixture(scope="module")
def source() -> str:
    """All Python modules and templates as one text, tests left out."""
    files = [
        file for package in PACKAGES for kind in ("*.py", "*.html") for file in (ROOT / package).rglob(kind)
    ]
    return "\n".join(file.read_text(encoding="utf-8") for file in files if "tests" not in file.parts)


def test_terms_are_sorted_and_complete():
    terms = [row[0].lower() for row in ROWS]
    assert len(terms) >= 45
    assert terms == sorted(set(terms))
    assert {len(row) for row in ROWS} == {5}


def test_names_of_the_code_exist(source: str):
    defined = set(
        re.findall(r"^ *(?:class|def) (\w+)|^ *(\w+)(?::[^=\n]+)? = |^ *(\w+): ", source, re.MULTILINE)
    )
    names = {name for group in defined for name in group}
    assert {row[3].strip("`") for row in ROWS} - {"–"} <= names


def test_names_of_the_api_exist():
    schema = (ROOT / "frontend_islands/api/schema.json").read_text(encoding="utf-8")
    wanted = {row[2].strip("`") for row in ROWS} - {"–"}
    assert {name for name in wanted if f'"{name}"' not in schema} == set()


def test_french_words_are_those_of_the_interface(source: str):
    texts = source.lower()
    assert {row[4] for row in ROWS if row[4] != "–" and row[4].lower() not in texts} == set()
