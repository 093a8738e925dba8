"""The list itself: thirty-five numbers, and behind each at least one test that says what it is about."""

from __future__ import annotations

import ast
import re
from pathlib import Path

CASES = range(1, 36)


def named_cases() -> dict[str, str]:
    """Name and docstring of every numbered test of this package."""
    found: dict[str, str] = {}
    for file in sorted(Path(__file__).parent.glob("test_*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_case_"):
                assert node.name not in found, f"two tests are named {node.name}"
                found[node.name] = ast.get_docstring(node) or ""
    return found


def test_every_fault_case_has_a_test_that_names_it():
    numbers = set()
    for name, sentence in named_cases().items():
        match = re.fullmatch(r"test_case_(\d\d)_[a-z0-9_]+", name)
        assert match, f"{name} does not begin with two digits, the number of its case"
        assert sentence, f"{name} does not say what its case is"
        numbers.add(int(match[1]))
    assert numbers == set(CASES)
