"""Amounts that people type and programs send: one rule, and a message that shows how."""

from decimal import Decimal

import pytest
from django import forms
from django.core.exceptions import ValidationError
from django.utils import translation
from rest_framework import serializers

from shop.core.amounts import AmountField, AmountFormField
from shop.core.money import parse_amount

REFUSED = (
    "١", "1٫50", "１", "²", "1e-2", "1e1", "1E5", "1_0", "+1", "1 0", "1\u00a00", "1.", ".5", "1.234", "1,5,0",
    "1.000,50", "NaN", "Infinity", "0x10", "1\n", "1\x00", "--1", "€1", "1 €€", "1 2345", "1234 567", "9" * 13,
    "9" * 5000,
)  # fmt: skip
FRENCH = "Saisissez un montant en chiffres, avec deux décimales au plus, par exemple 49,90."


@pytest.mark.parametrize("text", [*REFUSED, "", " ", " 1", "1 ", "€"])
def test_parse_amount_refuses_whatever_is_no_typed_amount(text):
    with pytest.raises(ValueError, match="is not an amount of money"):
        parse_amount(text)


@pytest.mark.parametrize(
    ("text", "amount"),
    [("0", "0"), ("10", "10"), ("10.5", "10.5"), ("49.99", "49.99"), ("-1.00", "-1.00")],
)
def test_parse_amount_reads_digits_with_at_most_two_decimals(text, amount):
    assert str(parse_amount(text)) == str(Decimal(amount) + Decimal("0.00"))


@pytest.mark.parametrize("text", REFUSED)
def test_a_form_refuses_other_writings_and_shows_how(text):
    field = AmountFormField(max_digits=10, decimal_places=2)
    with pytest.raises(ValidationError) as refusal:
        field.clean(f"{text}0" if text.endswith("\n") else text)
    assert refusal.value.messages == [FRENCH]


@pytest.mark.parametrize(
    "text", ["1249.90", "1249,90", " 1249,90 ", "1 249,90 €", "1\u202f249,90\u00a0€", "1249,9€"]
)
def test_a_form_takes_amounts_as_french_writes_them(text):
    assert AmountFormField(max_digits=10, decimal_places=2).clean(text) == Decimal("1249.90")


def test_a_form_shows_a_comma_in_a_field_that_keeps_it():
    """Chromium drops the comma of a `type="number"` where it speaks English."""

    class Price(forms.Form):
        price = AmountFormField(max_digits=10, decimal_places=2)

    assert str(Price(initial={"price": Decimal("1249.90")})["price"]) == (
        '<input type="text" name="price" value="1249,90" inputmode="decimal" required id="id_price">'
    )


@pytest.mark.parametrize("value", [*REFUSED, " 1", True, None, [], {}, 1.234, 1e20])
def test_a_call_refuses_other_writings_and_shows_how(value):
    with pytest.raises(serializers.ValidationError) as refusal:
        AmountField().to_internal_value(value)
    assert refusal.value.detail == [FRENCH]


@pytest.mark.parametrize(
    ("value", "amount"),
    [("49.90", "49.90"), ("49,9 €", "49.90"), (49.9, "49.90"), (49, "49.00"), ("49", "49.00")],
)
def test_a_call_takes_text_and_numbers_to_the_cent(value, amount):
    assert str(AmountField().to_internal_value(value)) == amount


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "Enter an amount in digits, with at most two decimals, for example 49.90."),
        ("es", "Introduzca un importe en cifras, con dos decimales como máximo, por ejemplo 49,90."),
        (
            "de",
            "Geben Sie einen Betrag in Ziffern ein, mit höchstens zwei Nachkommastellen, zum Beispiel 49,90.",
        ),
    ],
)
def test_the_message_speaks_the_language_of_its_reader(language, message):
    with translation.override(language), pytest.raises(serializers.ValidationError) as refusal:
        AmountField().to_internal_value("1e1")
    assert refusal.value.detail == [message]
