"""Texts that people type: one that shows nothing is none, and one line has no signs that break or turn it.

Every text field of a form or a call refuses the first (`refuse_unseen_texts`), the fields of one line the second too.
"""

import unicodedata

from django import forms
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext as _
from rest_framework import serializers

# Letters, symbols and marks that Unicode draws as nothing: fillers, the empty Braille cell, variation selectors.
_DRAWN_AS_NOTHING = frozenset(
    map(
        chr,
        (
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0),
            *range(0x180B, 0x1810),
            *range(0xFE00, 0xFE10),
            *range(0xE0100, 0xE01F0),
        ),
    )
)
# Embeddings, overrides and isolates: they turn what follows them, on the page as well.
_TURNS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def shows_nothing(text: str) -> bool:
    """Return whether nobody sees anything of ``text``: spaces, control and format signs, letters drawn as nothing."""
    return all(sign in _DRAWN_AS_NOTHING or unicodedata.category(sign)[0] in "CZ" for sign in text)


def refuse_unseen(value: object) -> None:
    """Raise ValidationError for a text that is there and shows nothing; an empty one is the field's own affair. Forms
    make UUIDs and JSON of text fields, too: these are left alone."""
    if isinstance(value, str) and value and shows_nothing(value):
        raise ValidationError(_("Ce texte ne contient que des signes invisibles."), code="unseen")


def refuse_control_signs(text: str) -> None:
    """Raise ValidationError for line breaks, control signs and signs that turn the direction of what follows."""
    if any(sign in _TURNS or unicodedata.category(sign) in ("Cc", "Zl", "Zp") for sign in text):
        raise ValidationError(
            _("Un saut de ligne ou un signe invisible n'est pas permis ici."), code="control_sign"
        )


class LineField(serializers.CharField):
    """One line of a call, stored as it came: a name, a title."""

    default_validators = (refuse_unseen, refuse_control_signs)


def refuse_unseen_texts() -> None:
    """Give the text fields of all forms and calls their rule, and the columns of one line the field of one line.

    A field takes its rule when it is made.
    """
    forms.CharField.default_validators = [refuse_unseen]
    serializers.CharField.default_validators = (refuse_unseen,)  # type: ignore[misc]
    serializers.ModelSerializer.serializer_field_mapping[models.CharField] = LineField
