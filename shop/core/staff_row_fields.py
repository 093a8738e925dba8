"""What a form of rows is made of, and how its values are compared: in one way, from the row or from what was sent."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Model
from django.db.models.fields import BLANK_CHOICE_DASH
from django.forms.boundfield import BoundField

from shop.core.amounts import TYPED_AMOUNT
from shop.core.dates import clock_moment
from shop.core.email_addresses import EmailAddressField
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.row_keys import read_key
from shop.core.seen_texts import refuse_control_signs


@dataclass(frozen=True, slots=True)
class Line:
    """A row in its list. `state` is a word beside its title."""

    title: str
    detail: str = ""
    state: str = ""
    picture: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a form: the names of its fields under a title. One that is folded opens where a field was refused."""

    title: str
    fields: tuple[str, ...]
    note: str = ""
    is_open: bool = True


def language_parts(fields: Iterable[str], *, only: str = "", skip: str = "") -> tuple[Part, ...]:
    """Return a part a language for translated fields: open in French, which the others fall back to."""
    return tuple(
        Part(name, tuple(f"{field}_{code}" for field in fields), is_open=code == SOURCE_LANGUAGE)
        for code, name in settings.LANGUAGES
        if code != skip and only in ("", code)
    )


_YEARS = "Choisissez un jour entre 2000 et 2199."
# A browser's field takes any year, also those that have no moment in UTC.
_MOMENTS = (
    MinValueValidator(datetime(2000, 1, 1, tzinfo=UTC), _YEARS),
    MaxValueValidator(datetime(2200, 1, 1, tzinfo=UTC), _YEARS),
)


class RowsField(forms.ModelMultipleChoiceField[Any]):
    """Rows that are chosen. What can't be the key of a row is refused before the database is asked."""

    def clean(self, value: Any) -> Any:
        for text in value or ():
            if read_key(text) is None:
                raise ValidationError(
                    self.error_messages["invalid_pk_value"], code="invalid_pk_value", params={"pk": text}
                )
        return super().clean(value)


class ClockField(forms.DateTimeField):
    """A moment in the browser's own field. One on a day when the clocks change is `clock_moment`'s, where Django
    refuses it."""

    def to_python(self, value: Any) -> datetime | None:
        try:
            return super().to_python(value)
        except ValidationError as error:
            if error.code != "ambiguous_timezone":
                raise
            return clock_moment((error.params or {})["datetime"])


def staff_formfield(db_field: Any, **options: Any) -> Any:
    """Return the field of a form for a column: days and moments in the browser's own fields, amounts as people type
    them, none below zero. For `Meta.formfield_callback`."""
    if isinstance(db_field, models.DateTimeField):
        clock = forms.DateTimeInput({"type": "datetime-local", "step": "1"}, format="%Y-%m-%dT%H:%M:%S")
        options |= {"form_class": ClockField, "widget": clock, "validators": _MOMENTS}
    elif isinstance(db_field, models.DateField):
        options |= {"widget": forms.DateInput({"type": "date"}, "%Y-%m-%d"), "input_formats": ["%Y-%m-%d"]}
    elif isinstance(db_field, models.DecimalField):
        options |= TYPED_AMOUNT | {"min_value": 0}
    elif isinstance(db_field, models.ManyToManyField):
        options["form_class"] = RowsField
    elif isinstance(db_field, models.EmailField):
        options["form_class"] = EmailAddressField
    elif isinstance(db_field, models.URLField):
        options["assume_scheme"] = "https"
    elif isinstance(db_field, models.TextField):
        options["widget"] = forms.Textarea({"rows": 4})
    elif isinstance(db_field, models.CharField) and not isinstance(options.get("widget"), forms.Textarea):
        options["validators"] = [refuse_control_signs]
    field = db_field.formfield(**options)
    # Django writes dashes where nothing is chosen yet and the model has no word of its own for that.
    if isinstance(field, forms.TypedChoiceField):
        choices: Any = field.choices
        field.choices = [("", "Choisir…") if each == BLANK_CHOICE_DASH[0] else each for each in choices]
    elif isinstance(field, forms.ModelChoiceField) and field.empty_label:
        field.empty_label = "–"
    return field


def as_text(value: Any) -> str:
    """Return a field's value in one way, whether it comes from the row or from what was sent."""
    if value in (None, "", [], ()):
        return ""
    if isinstance(value, bool):
        return "oui" if value else "non"
    if isinstance(value, Model):
        return str(value.pk)
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(microsecond=0).isoformat()
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ", ".join(sorted(str(each) for each in value))
    return str(value).replace("\r\n", "\n").strip()


def as_sent(field: BoundField) -> list[str]:
    """Return what a browser would send of a field that nobody touched."""
    value = field.value()
    if value is None or value is False:
        return []
    if value is True:
        return ["on"]
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [str(each) for each in value]
    shown = field.field.widget.format_value(value)
    # That of a choice is a list.
    return [str(each) for each in shown] if isinstance(shown, list) else [str(shown or "")]


def digest(text: str) -> str:
    """Return what a form remembers of a value that it showed."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def digests(values: dict[str, str]) -> str:
    """Return what a form remembers of all that it showed, by field."""
    return ",".join(f"{name}:{digest(text)}" for name, text in values.items())
