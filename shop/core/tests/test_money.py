"""Amounts: rounding, cents and text."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shop.core.money import amount_string, format_amount, from_cents, quantize, to_cents

NBSP = "\N{NO-BREAK SPACE}"
MINUS = "\u2212"
NARROW_NBSP = "\N{NARROW NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("value", "rounded"),
    [
        ("49.99", "49.99"),
        ("49.9", "49.90"),
        ("50", "50.00"),
        ("1E+2", "100.00"),
        ("0.004", "0.00"),
        ("0.005", "0.01"),
        ("0.015", "0.02"),
        ("2.675", "2.68"),
        ("0.0049999", "0.00"),
        ("-0.005", "-0.01"),
        ("-0.004", "0.00"),
        ("-0", "0.00"),
    ],
)
def test_quantize_rounds_half_up_to_two_places(value: str, rounded: str) -> None:
    assert str(quantize(Decimal(value))) == rounded


@pytest.mark.parametrize("value", ["NaN", "sNaN", "Infinity", "-Infinity", "1E+400", "1E+999999"])
def test_quantize_refuses_what_is_no_amount(value: str) -> None:
    with pytest.raises(ValueError, match="is not an amount of money"):
        quantize(Decimal(value))


@pytest.mark.parametrize(
    ("value", "cents"),
    [
        ("0", 0),
        ("0.01", 1),
        ("49.9", 4990),
        ("49.99", 4999),
        ("19.990", 1999),
        ("1E+2", 10000),
        ("-0.00", 0),
        ("-12.34", -1234),
        ("99999999.99", 9999999999),
    ],
)
def test_to_cents_counts_whole_cents(value: str, cents: int) -> None:
    assert to_cents(Decimal(value)) == cents


@pytest.mark.parametrize(
    "value",
    ["0.001", "19.999", "-0.005", "33.333333", "NaN", "sNaN", "Infinity", "-Infinity", "1E+400", "1E+999999"],
)
def test_to_cents_never_rounds(value: str) -> None:
    with pytest.raises(ValueError, match="is not a whole number of cents"):
        to_cents(Decimal(value))


@pytest.mark.parametrize(
    ("cents", "amount"),
    [(0, "0.00"), (1, "0.01"), (100, "1.00"), (4999, "49.99"), (-5, "-0.05"), (10**12, "10000000000.00")],
)
def test_from_cents_always_has_two_places(cents: int, amount: str) -> None:
    assert str(from_cents(cents)) == amount


def test_from_cents_refuses_what_it_could_not_hold_exactly() -> None:
    assert to_cents(from_cents(10**28 - 1)) == 10**28 - 1
    with pytest.raises(ValueError, match=r"The amount is too large\."):
        from_cents(10**28 + 1)


@given(st.integers(min_value=-(10**20), max_value=10**20))
@settings(deadline=None)
def test_cents_survive_the_way_there_and_back(cents: int) -> None:
    assert to_cents(from_cents(cents)) == cents
    assert to_cents(Decimal(amount_string(from_cents(cents)))) == cents


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("49.99", "49.99"),
        ("9.9", "9.90"),
        ("0", "0.00"),
        ("-0.00", "0.00"),
        ("1E+5", "100000.00"),
        ("1234567.8", "1234567.80"),
        ("0.005", "0.01"),
    ],
)
def test_the_api_writes_plain_amounts(value: str, text: str) -> None:
    assert amount_string(Decimal(value)) == text


@pytest.mark.parametrize(
    ("language", "value", "text"),
    [
        ("fr", "49.99", f"49,99{NBSP}€"),
        ("fr", "0", f"0,00{NBSP}€"),
        ("fr", "1234.5", f"1{NARROW_NBSP}234,50{NBSP}€"),
        ("fr", "-9.99", f"{MINUS}9,99{NBSP}€"),
        ("en", "49.99", "€49.99"),
        ("en", "1234.5", "€1,234.50"),
        ("en", "-9.99", f"{MINUS}€9.99"),
        ("es", "49.99", f"49,99{NBSP}€"),
        ("es", "1234.5", f"1234,50{NBSP}€"),
        ("es", "9999.995", f"10.000,00{NBSP}€"),
        ("es", "12345.6", f"12.345,60{NBSP}€"),
        ("es", "-1234.5", f"{MINUS}1234,50{NBSP}€"),
        ("es", "-12345.6", f"{MINUS}12.345,60{NBSP}€"),
        ("de", "49.99", f"49,99{NBSP}€"),
        ("de", "1234.5", f"1.234,50{NBSP}€"),
    ],
)
def test_people_read_amounts_as_their_language_writes_them(language: str, value: str, text: str) -> None:
    assert format_amount(Decimal(value), language) == text


def test_halves_shown_are_rounded_up_as_everywhere() -> None:
    assert format_amount(Decimal("2.665"), "en") == "€2.67"


@pytest.mark.parametrize("language", ["", "it", "FR", "fr-FR", "../../etc"])
def test_an_unknown_language_is_refused(language: str) -> None:
    with pytest.raises(ValueError, match="No amount is written in the language"):
        format_amount(Decimal("1.00"), language)
