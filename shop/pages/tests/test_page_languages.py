"""No page mixes languages: nothing that has a translation is shown in French on another language's page."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from django.conf import settings
from django.test import Client

from shop.pages.tests.reading import Document
from shop.pages.tests.whole_shop import WholeShop

pytestmark = pytest.mark.django_db

# What the demonstration's rows say in French alone, and the names of languages.
FRENCH_ROWS = {"Noël", "Nos Figurines", "Nos Chibis", "Petit", "Grand", "Français", "Pièce"}
# What people read without seeing it as text.
READ_ATTRIBUTES = ("aria-label", "alt", "title", "placeholder", "data-label", "data-play", "data-pause")


@cache
def french_messages(language: str) -> frozenset[str]:
    """The messages that this language says otherwise, with plain spaces."""
    path = Path(settings.BASE_DIR) / "locale" / language / "LC_MESSAGES" / "django.po"
    with path.open("rb") as stream:
        catalogue = read_po(stream, locale=language)
    return frozenset(
        " ".join(message.split())
        for entry in catalogue
        for message, said in (
            zip(entry.id, entry.string, strict=True) if entry.pluralizable else [(entry.id, entry.string)]
        )
        if message and said and message != said and "%" not in message
    )


@pytest.mark.parametrize("language", ["en", "es", "de"])
def test_nothing_is_left_in_french(client: Client, whole_shop: WholeShop, language: str) -> None:
    french = french_messages(language) - FRENCH_ROWS
    assert len(french) > 500
    pages = whole_shop.pages(language) | whole_shop.buying_pages(language) | whole_shop.closed_pages(language)
    for path in pages.values():
        page = Document(client.get(path).content.decode())
        shown = {element.text for element in page.elements if element.attributes.get("lang") != "fr"}
        shown |= {
            " ".join(element.attributes.get(name, "").split())
            for element in page.elements
            for name in READ_ATTRIBUTES
        }
        assert shown & french == set(), path


def test_a_french_page_would_be_noticed(client: Client, whole_shop: WholeShop) -> None:
    page = Document(client.get("/produits").content.decode())
    shown = {element.text for element in page.elements}
    assert {"Nouveautés", "Trier par", "Notre histoire"} <= shown & french_messages("en")
