"""Texts that show nothing are refused by every field, signs that break or turn a line by every field of one line."""

from uuid import UUID

import pytest
from django import forms
from django.core.exceptions import ValidationError
from django.urls import get_resolver
from rest_framework import serializers

from shop.core.seen_texts import LineField, refuse_control_signs, refuse_unseen, shows_nothing
from shop.core.tests.call_fields import fields_of


@pytest.mark.parametrize(
    "text", ["\u200b", "\u202e\u200b", "\u3164", "\u2800 \u2800", "\u00ad\ufeff", "\x07", "\ufe0f"]
)
def test_text_that_shows_nothing_is_refused(text):
    assert shows_nothing(text)
    with pytest.raises(ValidationError):
        refuse_unseen(text)


@pytest.mark.parametrize("text", ["", "é", ".", "👩\u200d🎨", "❤\ufe0f", "한글", "\u200bA"])
def test_text_that_shows_something_is_taken(text):
    refuse_unseen(text)


@pytest.mark.parametrize(
    "text", ["a\nb", "a\x00b", "a\x1b[31mb", "a\x85b", "a\u2028b", "a\u202eb", "a\u2066b"]
)
def test_line_has_no_sign_that_breaks_or_turns_it(text):
    with pytest.raises(ValidationError):
        refuse_control_signs(text)


def test_emoji_and_soft_hyphens_stand_in_a_line():
    refuse_control_signs("👩\u200d🎨 Golem\u00a0: Stein\u00adfigur")


def test_no_text_field_of_any_form_or_call_is_without_the_rule():
    assert get_resolver().url_patterns  # Importing the addresses makes forms and serializers known.
    for field in fields_of(serializers.Serializer):
        if type(field) in (serializers.CharField, LineField) and not field.read_only:
            assert refuse_unseen in field.validators, field
    for kind in _below(forms.BaseForm):
        for name, field in getattr(kind, "base_fields", {}).items():
            if getattr(field, "default_validators", None) is forms.CharField.default_validators:
                assert refuse_unseen in field.validators, (kind, name)


def _below(kind):
    for each in kind.__subclasses__():
        if not each.__module__.startswith("django."):
            yield each
        yield from _below(each)


def test_what_a_form_makes_of_a_text_that_is_none_is_left_alone():
    key = "6f0cbb3a-1c41-4df1-9a7e-7a7d1d3e5a10"
    assert forms.UUIDField().clean(key) == UUID(key)
    assert forms.JSONField().clean('{"a": [1]}') == {"a": [1]}
