"""Euro amounts: exact decimals inside the shop, integer cents at its borders, text for people.

An amount is a `Decimal` with two places. No function here gives a wrong amount silently: what is not a whole
number of cents, or is no number at all, is refused with `ValueError`.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Context, Decimal, DecimalException, Inexact, InvalidOperation
from functools import lru_cache

from babel.numbers import format_currency

CURRENCY = "EUR"
ZERO = Decimal("0.00")

_CENT = Decimal("0.01")
_MINUS = "\u2212"
_DIGITS = 28
_SPACE = "[ \u00a0\u202f]"
_TYPED = re.compile(
    rf"(-?(?:[0-9]{{1,12}}|[0-9]{{1,3}}(?:{_SPACE}[0-9]{{3}}){{1,3}})(?:[.,][0-9]{{1,2}})?)(?:{_SPACE}?€)?"
)
_MOST_CENTS = 10**_DIGITS - 1
_ROUNDING = Context(prec=_DIGITS, rounding=ROUND_HALF_UP, traps=[InvalidOperation])
_EXACT = Context(prec=_DIGITS, traps=[InvalidOperation, Inexact])
_LANGUAGES = frozenset({"fr", "en", "es", "de"})
# Spanish leaves four-digit numbers ungrouped ("1234,50 €"). Browsers follow that rule and Babel does not, so
# without this the same amount would look different in a page and in the island that takes its place.
_SPANISH_GROUPS_FROM = Decimal(10_000)


def quantize(value: Decimal) -> Decimal:
    """Return the amount rounded half up (away from zero) to two places; never `-0.00`.

    Raises `ValueError` for NaN, infinities and numbers too large to keep their cents (28 digits).
    """
    return _to_two_places(value, _ROUNDING, "is not an amount of money") + ZERO


def to_cents(value: Decimal) -> int:
    """Return the amount as a whole number of cents, as payment providers count.

    Raises `ValueError` instead of rounding when the amount is finer than a cent (`19.999`), and for NaN,
    infinities and numbers of more than 28 digits. Trailing zeros (`19.990`) change no amount and are
    accepted.
    """
    return int(_to_two_places(value, _EXACT, "is not a whole number of cents").scaleb(2))


def from_cents(cents: int) -> Decimal:
    """Return the amount that so many cents make. Raises `ValueError` beyond 28 digits."""
    if abs(cents) > _MOST_CENTS:
        raise ValueError("The amount is too large.")
    return Decimal(cents).scaleb(-2)


def parse_amount(text: str) -> Decimal:
    """Return the amount that somebody typed or sent: ASCII digits, then at most one dot or comma and two decimals; `-`
    before it.

    As French writes money, a space may stand before each three digits and before a last `€`: `1 234,50 €`. No
    exponent, underscore, plus sign, other grouping, and no digits of another script. Raises `ValueError`.
    """
    written = _TYPED.fullmatch(text)
    if written is None:
        raise ValueError(f"{text[:40]!r} is not an amount of money.")
    return Decimal(re.sub(_SPACE, "", written[1]).replace(",", ".")) + ZERO


def amount_string(value: Decimal) -> str:
    """Return the amount as the API writes it: `"49.99"`, always two decimals, no grouping, no exponent."""
    return f"{quantize(value):f}"


def format_amount(value: Decimal, language: str) -> str:
    """Return the amount in euros as people read it in `fr`, `en`, `es` or `de`: `49,99 €`, `€49.99`.

    Spaces inside are non-breaking, a minus is U+2212. Raises `ValueError` for any other language.
    """
    if language not in _LANGUAGES:
        raise ValueError(f"No amount is written in the language {language!r}.")
    return _written(quantize(value), language)


# A shop has few prices, and each stands on many pages.
@lru_cache(maxsize=4096)
def _written(amount: Decimal, language: str) -> str:
    grouped = language != "es" or abs(amount) >= _SPANISH_GROUPS_FROM
    written = format_currency(abs(amount), CURRENCY, locale=language, group_separator=grouped)
    return f"{_MINUS}{written}" if amount < 0 else written


def _to_two_places(value: Decimal, context: Context, refusal: str) -> Decimal:
    try:
        if value.is_finite():
            return value.quantize(_CENT, context=context)
    except DecimalException:
        pass
    raise ValueError(f"{value} {refusal}.")
