"""Amounts as people read, type and send them. `shop.core.money`, which pricing uses, knows no Django."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from rest_framework import serializers

from shop.core.languages import active_language
from shop.core.money import format_amount, parse_amount


def localised_amount(value: Decimal) -> str:
    """Return the amount in euros in the active language: `49,99 €`."""
    return format_amount(value, active_language())


class AmountFormField(forms.DecimalField):
    """A field of a form. A decimal comma is a dot: that is how prices are written here, whatever the language.

    Takes the place of Django's in an administration by `formfield_overrides = {models.DecimalField: TYPED_AMOUNT}`.
    A browser's own field for numbers drops the comma where the browser speaks another language: 49,90 became 4990.
    """

    widget = forms.TextInput

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(localize=True, **kwargs)

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        return {**super().widget_attrs(widget), "inputmode": "decimal"}

    def to_python(self, value: Any) -> Decimal | None:  # type: ignore[override] # stubs take its parent's type
        if value is None or isinstance(value, Decimal):
            return value
        text = str(value).strip()
        if not text:
            return None
        try:
            amount = parse_amount(text)
        except ValueError as error:
            raise ValidationError(_refusal(), code="invalid") from error
        # A height has one decimal: zeros behind it are none.
        shorter = amount if self.decimal_places is None else round(amount, self.decimal_places)
        return shorter if shorter == amount else amount


TYPED_AMOUNT = {"form_class": AmountFormField}


class AmountField(serializers.DecimalField):
    """A field of a call: `"49.99"`, or a JSON number with as few decimals. A comma is a dot, as the refusal says that
    people in front of a staff page read.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_digits=10, decimal_places=2, **kwargs)

    def to_internal_value(self, data: Any) -> Decimal:
        if isinstance(data, bool) or not isinstance(data, str | int | float | Decimal):
            raise serializers.ValidationError(_refusal(), code="invalid")
        try:
            amount = parse_amount(str(data))
        except ValueError as error:
            raise serializers.ValidationError(_refusal(), code="invalid") from error
        return super().to_internal_value(amount)


def _refusal() -> str:
    return _("Saisissez un montant en chiffres, avec deux décimales au plus, par exemple 49,90.")
