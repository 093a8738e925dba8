"""What calls say of a refused value is written by the shop, whatever the kind of field."""

import gettext
from pathlib import Path
from typing import Any

import pytest
import rest_framework
from django.urls import get_resolver
from django.utils import translation
from rest_framework import serializers

from shop.core.tests.call_fields import fields_of


def test_no_field_of_any_call_speaks_in_the_words_of_rest_framework():
    assert get_resolver().url_patterns  # Importing the addresses makes the serializers known.
    catalogue = Path(rest_framework.__file__).parent / "locale/de/LC_MESSAGES/django.mo"
    with catalogue.open("rb") as file:
        entries: dict[Any, str] = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    theirs = {text for entry in entries.items() for text in entry}
    found = set()
    with translation.override("de"):
        for field in fields_of(serializers.Serializer):
            for code, message in field.error_messages.items():
                if str(message) in theirs:
                    found.add((type(field).__name__, code, str(message)))
    assert found == set()


def test_a_refused_value_is_named_in_the_language_of_the_call(client):
    body = {"lines": [1, {"product_id": 1, "quantity": 10**6, "finish": "gold"}], "country": 5}
    for language in ("fr", "de"):
        headers = {"accept-language": language}
        answer = client.post("/api/cart/quote", body, content_type="application/json", headers=headers)
    assert answer.json()["errors"] == {
        "lines.0.non_field_errors": ["Ein JSON-Objekt wird erwartet."],
        "lines.1.quantity": ["Höchstens 99."],
        "lines.1.finish": ["Diese Auswahl gibt es nicht."],
        "country": ["Ein Text wird erwartet."],
    }


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("/contact", "Ce champ est obligatoire."),
        ("/en/contact", "This field is required."),
        ("/es/contacto", "Este campo es obligatorio."),
        ("/de/kontakt", "Dieses Feld ist ein Pflichtfeld."),
    ],
)
def test_a_page_names_what_is_missing_in_the_words_of_a_call(client, page, words):
    answer = client.post(page, {})
    with translation.override(answer.headers["Content-Language"]):
        assert answer.context["form"].errors["message"] == [words]
        assert serializers.CharField().error_messages["required"] == words
