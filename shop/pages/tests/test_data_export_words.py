"""The labels of the archive of one's own data, where French has one word for what other languages tell apart."""

from __future__ import annotations

import pytest
from django.utils import translation

from shop.core.personal_data import Person, activities
from shop.pages.tests.personal_data import make_person

pytestmark = pytest.mark.django_db

# By activity, the keys of values whose labels have to say what they are of.
SHOWN = {
    "account": ("last_name", "date_joined"),
    "reviews": ("rating", "state"),
    "orders": ("last_name",),
    "contact": ("last_name", "state"),
    "articles": ("article", "created_at"),
}

LABELS = {
    "fr": [
        *("Nom", "Membre depuis", "Note", "État"),
        *("Nom", "Nom", "État", "Article", "Enregistrée le"),
    ],
    "en": [
        *("Last name", "Member since", "Rating", "State"),
        *("Last name", "Last name", "State", "Article", "Saved on"),
    ],
    "es": [
        *("Apellidos", "Cliente desde", "Nota", "Estado"),
        *("Apellidos", "Apellidos", "Estado", "Artículo", "Guardada el"),
    ],
    "de": [
        *("Nachname", "Kundenkonto seit", "Sterne", "Status"),
        *("Nachname", "Nachname", "Status", "Artikel", "Gespeichert am"),
    ],
}


def test_the_labels_say_what_they_are_of_in_every_language():
    zoe = make_person("Zoe", "zoe@example.com")
    assert {language: labels_in(language, Person(zoe.pk, (zoe.email,))) for language in LABELS} == LABELS


def labels_in(language: str, person: Person) -> list[str]:
    with translation.override(language):
        # Of the values with one key the last one counts: that of a version of an article, not of the article.
        labels = {
            (activity.name, value.key): value.label
            for activity in activities()
            if activity.export and activity.name in SHOWN
            for record in activity.export(person)
            for value in record.values
        }
    return [labels[name, key] for name, keys in SHOWN.items() for key in keys]
