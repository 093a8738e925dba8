"""The texts of the legal and home pages, as their files ship them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PAGE_TEXTS = Path(__file__).resolve().parents[1] / "texts"
LANGUAGES = ["fr", "en", "es", "de"]
ENGLISH_WORDS = re.compile(
    r"\b(the|and|with|your|our|you|of|from|painted|unpainted|price|shipping|free|order|hand|by|this|that|are|is)\b",
    re.IGNORECASE,
)
# A mark that French typography sets after a no-break space, here found after a plain space or a letter.
LOOSE_MARK = re.compile(r" [:;!?»]|« |[^\s\u00a0|/-][;!?»](?=\s|$)|[^\s\u00a0|/-]:(?=\s|$)")


def _page_files() -> list[Path]:
    return sorted(path for path in PAGE_TEXTS.rglob("*") if path.suffix in {".md", ".json"})


JSON_PAGES = ["faq", "pages", "season"]
WITHDRAWAL_FORM = "withdrawal-form"
PAGES = [
    *("cookies", "faq", "legal-notice", "pages", "privacy", "season", "terms"),
    *(WITHDRAWAL_FORM, "withdrawal-notice"),
]
PLACEHOLDERS = {
    "shop_name",
    "trader_name",
    "siret",
    "address",
    "email",
    "phone",
    "mediator",
    "packaging_id",
    "production_delay",
    "shipping_table",
    "publication_director",
    "host_name",
    "host_address",
    "host_phone",
    "processing_table",
    "retention_list",
    "withdrawal_function",
    "withdrawal_form",
    "guarantee_box",
    "vat_notice",
    "necessary_table",
    "optional_tables",
    "consent_months",
    "consent_period",
    "consent_version",
    "consent_choice",
}


def test_every_page_exists_in_four_languages() -> None:
    suffix = {page: "json" if page in JSON_PAGES else "md" for page in PAGES}
    assert [str(path.relative_to(PAGE_TEXTS)) for path in _page_files()] == [
        f"{page}/{language}.{suffix[page]}" for page in PAGES for language in sorted(LANGUAGES)
    ]


@pytest.mark.parametrize("page", [page for page in PAGES if page not in JSON_PAGES])
def test_the_languages_of_a_legal_text_have_the_same_shape(page: str) -> None:
    shapes = {}
    for language in LANGUAGES:
        text = (PAGE_TEXTS / page / f"{language}.md").read_text(encoding="utf-8")
        placeholders = sorted(re.findall(r"\{\{ (\w+) \}\}", text))
        assert set(placeholders) <= PLACEHOLDERS
        assert text.count("{{") == len(placeholders)
        shapes[language] = (
            re.findall("^version: .*", text, re.M),
            re.findall(r"^#+ ", text, re.M),
            placeholders,
        )
    # The form stands in pages that have a version.
    assert shapes["fr"][0] == ([] if page == WITHDRAWAL_FORM else ["version: 2026-11-01"])
    assert shapes == dict.fromkeys(LANGUAGES, shapes["fr"])


def _visible_text(path: Path) -> str:
    """What a visitor reads: no front matter, no placeholders, no link addresses."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return re.sub(r"\]\([^)]*\)", "x", "\n".join(_strings(json.loads(text))))
    return re.sub(r"\{\{ \w+ \}\}|\]\([^)]*\)", "x", text.split("---\n", 2)[-1])


@pytest.mark.parametrize("page", PAGES)
def test_french_pages_use_no_break_spaces_and_no_english(page: str) -> None:
    (path,) = (PAGE_TEXTS / page).glob("fr.*")
    text = _visible_text(path)
    assert LOOSE_MARK.findall(text) == []
    assert ENGLISH_WORDS.findall(text) == []


def _strings(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        for value in node.values():
            yield from _strings(value)
    elif isinstance(node, list):
        for value in node:
            yield from _strings(value)


@pytest.mark.parametrize("page", JSON_PAGES)
def test_the_shipped_texts_have_the_same_keys_places_and_links(page: str) -> None:
    shapes = {}
    for language in LANGUAGES:
        texts = json.loads((PAGE_TEXTS / page / f"{language}.json").read_text(encoding="utf-8"))
        shapes[language] = {
            key: [
                (name, text != "", re.findall(r"\{\{ \w+ \}\}", text), re.findall(r"\]\((\S+)\)", text))
                for name, text in fields.items()
            ]
            for key, fields in texts.items()
        }
    assert shapes == dict.fromkeys(LANGUAGES, shapes["fr"])


def test_the_steps_of_the_home_page() -> None:
    texts = json.loads((PAGE_TEXTS / "pages" / "fr.json").read_text(encoding="utf-8"))
    assert (
        texts["home-hero"]["title"] == "Imprimées à l'atelier, peintes à la main, prêtes à vivre chez vous."
    )
    assert [texts[f"home-step-{number}"]["title"] for number in range(1, 5)] == [
        "Conception",
        "Impression",
        "Finition",
        "Peinture",
    ]


def test_no_delay_is_called_indicative() -> None:
    """A delivery date is firm (L216-1): no text may weaken it."""
    words = re.compile(r"indicati[fv]|indicative|orientativ|voraussichtlich|unverbindlich", re.IGNORECASE)
    texts = [path.read_text(encoding="utf-8") for path in _page_files()]
    assert [match for text in texts for match in words.findall(text)] == []


def test_the_closed_dispute_platform_is_not_linked() -> None:
    assert [path for path in _page_files() if "ec.europa.eu" in path.read_text(encoding="utf-8")] == []
