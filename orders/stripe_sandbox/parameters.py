"""Parameters: read from the nested form encoding of Stripe's API (``line_items[0][price_data][currency]=eur``), and
checked against the types that the installed `stripe` library declares.

The library's typed dictionaries are generated from Stripe's own specification, so a parameter that a new version
removes is refused here as soon as the library is upgraded.
"""

from __future__ import annotations

import re
import sys
import types
from decimal import Decimal, InvalidOperation
from functools import cache
from types import SimpleNamespace
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints
from urllib.parse import parse_qsl

from stripe import RequestOptions
from typing_extensions import is_typeddict

from orders.stripe_sandbox.errors import invalid

MAX_TEXT = 5000
MAX_METADATA_KEYS = 50
MAX_METADATA_KEY = 40
MAX_METADATA_VALUE = 500
_INTEGER = re.compile(r"^-?\d{1,18}$")


def check(shape: type, raw: dict[str, Any], path: str = "") -> dict[str, Any]:
    """The typed parameters of `raw`. An empty string stays one: it asks to unset.

    Raises ApiError (400) with the code and `param` that Stripe gives: parameter_unknown, parameter_missing,
    parameter_invalid_integer …
    """
    fields = _fields(shape)
    for name in raw:
        if name not in fields:
            raise _unknown(name, _join(path, name), shape)
    for name in sorted(_required(shape) & fields.keys() - raw.keys()):
        full = _join(path, name)
        raise invalid(f"Missing required param: {full}.", code="parameter_missing", param=full)
    return {name: _value(fields[name], value, _join(path, name)) for name, value in raw.items()}


def _unknown(name: str, full: str, shape: type) -> Exception:
    if name == "payment_method_types" and shape.__name__.startswith("PaymentIntent"):
        return invalid(
            "`payment_method_types` is no longer supported. Use `allowed_payment_method_types` instead.",
            code="payment_method_types_no_longer_supported",
            param=full,
        )
    return invalid(f"Received unknown parameter: {full}", code="parameter_unknown", param=full)


@cache
def _fields(shape: type) -> dict[str, Any]:
    # Options of a single call (its key, its headers) are declared on the same class, but never sent as parameters.
    options = RequestOptions.__annotations__.keys() if hasattr(shape, "__annotations__") else ()
    own = {name: hint for name, hint in shape.__annotations__.items() if name not in options}
    holder = SimpleNamespace(__annotations__=own)
    return get_type_hints(holder, globalns=vars(sys.modules[shape.__module__]))


def _required(shape: type) -> frozenset[str]:
    required: frozenset[str] = shape.__required_keys__  # type: ignore[attr-defined]
    return required


def _join(path: str, name: str) -> str:
    return f"{path}[{name}]" if path else name


def _value(hint: Any, raw: Any, path: str) -> Any:
    origin = get_origin(hint)
    if origin is Union or origin is types.UnionType:
        return _one_of(get_args(hint), raw, path)
    if origin is Literal:
        return _one_of((hint,), raw, path)
    if origin is list:
        return _list(get_args(hint)[0], raw, path)
    if origin is dict:
        return _metadata(raw, path)
    if is_typeddict(hint):
        if not isinstance(raw, dict):
            raise invalid(f"Invalid object: {path} must be a hash.", param=path)
        return check(hint, raw, path)
    if isinstance(raw, dict):
        raise invalid(f"Invalid string: {path} must not be a hash.", param=path)
    return _scalar(hint, raw, path)


def _one_of(members: tuple[Any, ...], raw: Any, path: str) -> Any:
    literals = [word for member in members if get_origin(member) is Literal for word in get_args(member)]
    # Unions of literals and str come flattened: an enumeration that later versions may add to.
    others = [member for member in members if get_origin(member) is not Literal]
    structured = [member for member in others if get_origin(member) in (list, dict) or is_typeddict(member)]
    if isinstance(raw, dict):
        if not structured:
            raise invalid(f"Invalid value: {path} must not be a hash.", param=path)
        return _value(structured[0], raw, path)
    if raw == "" and "" in literals:
        return ""
    for kind in (bool, int, Decimal):
        if kind in others and raw not in literals:
            return _scalar(kind, raw, path)
    words = [word for word in literals if word]
    if words:
        if raw not in words:
            raise invalid(f"Invalid {path}: must be one of {_listed(words)}", param=path)
        return raw
    if str in others:
        return _scalar(str, raw, path)
    raise invalid(f"Invalid object: {path} must be a hash.", param=path)


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])}, or {words[-1]}"


def _list(hint: Any, raw: Any, path: str) -> list[Any]:
    if raw == "":
        return []
    if not isinstance(raw, dict) or not all(key.isascii() and key.isdigit() for key in raw):
        raise invalid(f"Invalid array: {path} must be an array.", param=path)
    return [_value(hint, raw[key], _join(path, key)) for key in sorted(raw, key=int)]


def _metadata(raw: Any, path: str) -> dict[str, str]:
    if raw == "":
        return {}
    if not isinstance(raw, dict) or not all(isinstance(value, str) for value in raw.values()):
        raise invalid(f"Invalid object: {path} must be a hash of strings.", param=path)
    if len(raw) > MAX_METADATA_KEYS:
        raise invalid(
            f"Metadata can have up to {MAX_METADATA_KEYS} keys, but you passed {len(raw)}.", param=path
        )
    for key, value in raw.items():
        if len(key) > MAX_METADATA_KEY:
            raise invalid(
                f"Metadata keys can have up to {MAX_METADATA_KEY} characters, but you passed in a key that is "
                f"{len(key)} characters. Invalid key: {key}",
                param=path,
            )
        if len(value) > MAX_METADATA_VALUE:
            raise invalid(
                f"Metadata values can have up to {MAX_METADATA_VALUE} characters, but you passed in a value that is "
                f"{len(value)} characters. Invalid value: {value[:50]}…",
                param=_join(path, key),
            )
    return dict(raw)


def _scalar(kind: Any, raw: str, path: str) -> Any:
    if raw == "":
        raise invalid(
            f"You passed an empty string for '{path}'. We assume empty values are an attempt to unset a parameter; "
            f"however '{path}' cannot be unset. You should remove '{path}' from your request or supply a "
            "non-empty value.",
            code="parameter_invalid_empty",
            param=path,
        )
    if kind is bool:
        if raw not in ("true", "false"):
            raise invalid(f"Invalid boolean: {raw}", param=path)
        return raw == "true"
    if kind is int:
        if not _INTEGER.match(raw):
            raise invalid(f"Invalid integer: {raw}", code="parameter_invalid_integer", param=path)
        return int(raw)
    if kind is Decimal:
        try:
            amount = Decimal(raw)
        except InvalidOperation as error:
            raise invalid(f"Invalid decimal: {raw}", param=path) from error
        if not amount.is_finite():
            raise invalid(f"Invalid decimal: {raw}", param=path)
        return amount
    if len(raw) > MAX_TEXT:
        raise invalid(f"Invalid string: {raw[:20]}…; must be at most {MAX_TEXT} characters", param=path)
    return raw


MAX_FIELDS = 5000
MAX_DEPTH = 8
_KEY = re.compile(r"^([^\[\]]+)((?:\[[^\[\]]*\])*)$")
_PART = re.compile(r"\[([^\[\]]*)\]")


def parse_form(text: str) -> dict[str, Any]:
    """A tree of dicts whose leaves are strings; lists stay dicts with the keys "0", "1" …

    Raises ApiError (400) for what is not UTF-8, not of this form, or contradicts itself.
    """
    try:
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS)
    except ValueError as error:
        raise invalid("Invalid request body: it could not be read as a form.") from error
    tree: dict[str, Any] = {}
    for key, value in pairs:
        match = _KEY.match(key)
        if match is None:
            raise invalid(f"Invalid parameter name: {key}", param=key)
        path = [match.group(1), *_PART.findall(match.group(2))]
        if len(path) > MAX_DEPTH:
            raise invalid(f"Parameter is nested too deeply: {key}", param=key)
        _put(tree, path, value, key)
    return tree


def _put(tree: dict[str, Any], path: list[str], value: str, key: str) -> None:
    node = tree
    for part in path[:-1]:
        child = node.setdefault(part or str(len(node)), {})
        if not isinstance(child, dict):
            raise invalid(f"Parameter is given as a value and as a hash: {key}", param=key)
        node = child
    last = path[-1] or str(len(node))
    if isinstance(node.get(last), dict):
        raise invalid(f"Parameter is given as a value and as a hash: {key}", param=key)
    node[last] = value
