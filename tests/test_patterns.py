"""Patterns of the shop meet whatever somebody sends: none takes a hundred times as long for ten times the text.

A worker that looks through one address or one message for seconds is away for everybody. Both times are the
processor's, which other work on the machine does not lengthen.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import TypeGuard

import pytest

ROOT = Path(__file__).resolve().parent.parent

APPS = ("accounts", "blog", "catalog", "orders", "shop")
REPEATED = (
    "a", "é", "0", "_", " ", "\n", "\t", " \n", "-", ".", ":", "/", "=", "@", "%40", "&", "#", "<", "(", "[", "{", '"',
    "'", "`", "+", "a-", "a.", "a_", "a ", "a@", "a=", "0.", "a,", "<a ", "<!--", "](", "://a:", "Bearer ", "\r\n",
)  # fmt: skip
ENDINGS = ("", "\x00", "!")
SHORT, LONG = 800, 8_000
# A pattern that reads each character once takes some two milliseconds on a slow machine.
NOTICED = 0.02
TOO_MUCH = 40


def patterns() -> dict[re.Pattern[str], str]:
    """Every pattern of text that is written in the code of the shop, with where it stands."""
    found: dict[re.Pattern[str], str] = {}
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            if not {"tests", "migrations"} & set(path.parts):
                for line, pattern in written_in(path.read_text()):
                    found.setdefault(pattern, f"{path.relative_to(ROOT)}:{line}")
    return found


def written_in(code: str) -> Iterator[tuple[int, re.Pattern[str]]]:
    """Yield the line and the pattern of each call of a function of `re` whose pattern is a literal."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=name),
                args=[ast.Constant(value=str(text)), *others],
            ) if name != "escape":
                flags = [
                    each for each in [*others, *(keyword.value for keyword in node.keywords)] if is_flag(each)
                ]
                # These two are tried at the beginning alone.
                tried = rf"\A(?:{text})" if name in ("match", "fullmatch") else text
                yield node.lineno, re.compile(tried, getattr(re, flags[0].attr) if flags else 0)


def is_flag(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and isinstance(getattr(re, node.attr, None), re.RegexFlag)


def seconds(pattern: re.Pattern[str], text: str) -> float:
    started = process_time()
    pattern.sub("", text)
    return process_time() - started


def slow_texts(pattern: re.Pattern[str]) -> Iterator[str]:
    for repeated in REPEATED:
        for ending in ENDINGS:
            long = (repeated * LONG)[:LONG] + ending
            if seconds(pattern, long) > NOTICED:
                short = (repeated * SHORT)[:SHORT] + ending
                # Once may be the first reading of a page of memory.
                few, many = (min(seconds(pattern, text) for _ in range(3)) for text in (short, long))
                if many > NOTICED and many > TOO_MUCH * few:
                    yield f"{repeated!r} … {ending!r}: {few:.4f} and {many:.4f} s"


def test_no_pattern_takes_longer_than_its_text_does():
    found = patterns()
    assert any(place.startswith("shop/core/log_lines.py:") for place in found.values())
    slow = {f"{place} {pattern.pattern}": list(slow_texts(pattern)) for pattern, place in found.items()}
    assert {pattern: texts for pattern, texts in slow.items() if texts} == {}


@pytest.mark.parametrize(
    "pattern", [r"[\w.]+@[\w-]+", r"[^\W_]+(?:-[^\W_]+)+", r"[ \t]+\n", r"^(\s*DETAIL:).*$"]
)
def test_control_a_pattern_that_begins_anywhere_is_found(pattern):
    assert next(slow_texts(re.compile(pattern, re.MULTILINE)))
