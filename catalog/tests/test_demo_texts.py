"""The texts of the demonstration catalogue: in four languages, each by its own rules."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from catalog.tests.demo_files import CATEGORIES, LANGUAGES, PRODUCTS

ENGLISH_WORDS = re.compile(
    r"\b(the|and|with|your|our|you|of|from|painted|unpainted|price|shipping|free|order|hand|by|this|that|are|is)\b",
    re.IGNORECASE,
)

# A mark that French typography sets after a no-break space, here found after a plain space or a letter.
# Web addresses and times (`https://`, `12:30`) have no space there, and table rules (`|:--`) are not text.
LOOSE_MARK = re.compile(r" [:;!?»]|« |[^\s\u00a0|/-][;!?»](?=\s|$)|[^\s\u00a0|/-]:(?=\s|$)")


def _translated(node: Any, path: str = "") -> Iterator[tuple[str, dict[str, str]]]:
    """Every translated text below ``node``, with the path that leads to it."""
    if isinstance(node, dict):
        if "fr" in node:
            yield path, node
            return
        for key, value in node.items():
            yield from _translated(value, f"{path}.{key}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            name = value.get("key") or value.get("slug") if isinstance(value, dict) else index
            yield from _translated(value, f"{path}[{name}]")


CATALOGUE_TEXTS = [*_translated(CATEGORIES, "categories"), *_translated(PRODUCTS, "products")]


def test_every_text_of_the_catalogue_exists_in_four_languages() -> None:
    # 14 categories × 4 texts + 6 features × 2; each piece has at least slug, name, 2 descriptions, material, 1 alt.
    assert len(CATALOGUE_TEXTS) >= 14 * 4 + 6 * 2 + 25 * 6
    wrong = [path for path, text in CATALOGUE_TEXTS if list(text) != LANGUAGES or not all(text.values())]
    assert wrong == []


def test_translations_are_not_copies_of_the_french() -> None:
    copies = [
        f"{path}.{language}"
        for path, text in CATALOGUE_TEXTS
        for language in ("en", "es", "de")
        if len(text["fr"]) > 20 and text[language] == text["fr"]
    ]
    assert copies == []


def test_french_texts_use_no_break_spaces() -> None:
    loose = [
        (path, LOOSE_MARK.findall(text["fr"]))
        for path, text in CATALOGUE_TEXTS
        if LOOSE_MARK.search(text["fr"])
    ]
    assert loose == []


def test_french_texts_hold_no_english() -> None:
    found = [
        (path, ENGLISH_WORDS.findall(text["fr"]))
        for path, text in CATALOGUE_TEXTS
        if not path.endswith(".slug") and ENGLISH_WORDS.search(text["fr"])
    ]
    assert found == []


def test_other_languages_do_not_use_french_spacing() -> None:
    spaced = [
        f"{path}.{language}"
        for path, text in CATALOGUE_TEXTS
        for language in ("en", "es", "de")
        if re.search(r"[\s\u00a0][:;!?»]|«[\s\u00a0]", text[language])
    ]
    assert spaced == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_slugs_are_unique_and_clean(language: str) -> None:
    slugs = [product["slug"][language] for product in PRODUCTS]
    assert len(set(slugs)) == len(slugs)
    assert [slug for slug in slugs if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug)] == []


def test_a_description_is_a_teaser_then_a_sentence() -> None:
    wrong = [
        (product["key"], language)
        for product in PRODUCTS
        for language in LANGUAGES
        if len(product["description"][language].split("\n")) != 2
        or not 2 <= product["full_description"][language].count("\n\n") + 1 <= 4
    ]
    assert wrong == []


def test_no_text_states_a_delay_of_its_own() -> None:
    """Dates come from the production days: a sentence naming another delay would contradict them."""
    delay = re.compile(r"\b(semaines?|jours ouvrés|weeks?|semanas?|Wochen?)\b", re.IGNORECASE)
    found = [path for path, text in CATALOGUE_TEXTS for value in text.values() if delay.search(value)]
    assert found == []
