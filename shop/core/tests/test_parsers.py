"""The parser of the API: what it takes, and what it refuses before it costs anything."""

import json
from io import BytesIO
from typing import Any

import pytest
from rest_framework.exceptions import ParseError

from shop.core import parsers
from shop.core.parsers import StrictJSONParser


def parsed(text: str) -> Any:
    return StrictJSONParser().parse(BytesIO(text.encode()), "application/json")


@pytest.mark.parametrize("value", ["[]", "{}", '"[["'])
def test_a_body_may_hold_so_many_brackets_and_no_more(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    body = '{"a": [' + ",".join([value] * 10) + "]}"
    monkeypatch.setattr(parsers, "MAX_BRACKETS", body.count("[") + body.count("{"))
    assert len(parsed(body)["a"]) == 10
    monkeypatch.setattr(parsers, "MAX_BRACKETS", parsers.MAX_BRACKETS - 1)
    with pytest.raises(ParseError):
        parsed(body)


def test_a_body_of_empty_lists_is_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("read")

    monkeypatch.setattr(json, "loads", never)
    with pytest.raises(ParseError):
        parsed('{"a": [' + "[]," * 300_000 + "[]]}")


@pytest.mark.parametrize(
    "body",
    [
        lambda number: {"a": [1] * number},
        lambda number: {"a": [{"b": [1] * number}]},
        lambda number: {str(each): 1 for each in range(number)},
    ],
)
def test_a_list_or_an_object_holds_a_thousand_values_at_most(body: Any) -> None:
    assert parsed(json.dumps(body(1000))) == body(1000)
    with pytest.raises(ParseError):
        parsed(json.dumps(body(1001)))


@pytest.mark.parametrize("escape", ["\\u0000", "\\ud800", "\\udfff", "\\ud83d"])
@pytest.mark.parametrize("body", ['{{"a": "x{0}y"}}', '{{"{0}": 1}}', '{{"a": [["x", "{0}"]]}}'])
def test_text_that_no_column_holds_is_refused_wherever_it_stands(body: str, escape: str) -> None:
    with pytest.raises(ParseError):
        parsed(body.format(escape))


@pytest.mark.parametrize("number", ["1e400", "-1e400", "Infinity", "NaN"])
def test_an_infinite_number_is_refused(number: str) -> None:
    with pytest.raises(ParseError):
        parsed(f'{{"a": [{number}]}}')


def test_other_text_is_taken_as_it_is() -> None:
    assert parsed('{"a": "\\ud83d\\ude00 é \\u0001 \\ue000"}') == {"a": "\U0001f600 é \u0001 \ue000"}
