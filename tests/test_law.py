"""docs/law.md names tests that exist, and two rules that stand in texts alone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from django.utils import translation
from django.utils.translation import gettext

ROOT = Path(__file__).resolve().parent.parent


def test_each_rule_of_the_law_has_its_test():
    rows = re.findall(r"^\| (?!Rule|---)(.+) \|$", (ROOT / "docs/law.md").read_text("utf-8"), re.MULTILINE)
    named = [re.search(r"`([\w/]+\.py)::(\w+)`$", row) for row in rows]
    assert len(rows) >= 28
    assert [
        row
        for row, test in zip(rows, named, strict=True)
        if test is None or f"def {test[2]}(" not in (ROOT / test[1]).read_text("utf-8")
    ] == []


@pytest.mark.parametrize(
    ("language", "label"),
    [
        ("fr", "Commande avec obligation de paiement"),
        ("en", "Order with obligation to pay"),
        ("es", "Pedido con obligación de pago"),
        ("de", "Zahlungspflichtig bestellen"),
    ],
)
def test_l221_14_the_button_says_that_ordering_obliges_to_pay(language: str, label: str):
    with translation.override(language):
        assert gettext("Commande avec obligation de paiement") == label


@pytest.mark.parametrize(
    ("language", "wish"),
    [
        ("fr", "Ce sont de simples souhaits\u00a0: vous taire dans ces délais ne vous prive d'aucun droit"),
        ("en", "These are only wishes: saying nothing within those times does not deprive you of any right"),
        ("es", "Son simples deseos: guardar silencio en esos plazos no le priva de ningún derecho"),
        ("de", "Das sind nur Bitten: Wer in diesen Fristen schweigt, verliert kein Recht"),
    ],
)
def test_l217_3_the_wish_to_write_soon_takes_no_right_away(language: str, wish: str):
    text = (ROOT / f"shop/pages/texts/terms/{language}.md").read_text("utf-8").replace("\u202f", "\u00a0")
    assert [line for line in text.splitlines() if " 48 " in line.replace("\u00a0", " ")] == [
        line for line in text.splitlines() if wish in line
    ]
    assert wish in text


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("fr", "les frais de renvoi sont à votre charge"),
        ("en", "you bear the cost of returning it"),
        ("es", "los gastos de devolución corren a su cargo"),
        ("de", "die Kosten der Rücksendung tragen Sie"),
    ],
)
def test_l221_23_who_pays_the_return_is_told_beside_the_button(language: str, words: str):
    texts = json.loads((ROOT / f"frontend_islands/locales/{language}.json").read_text("utf-8"))
    assert f"; {words}. [" in texts["checkout"]["withdrawal"].replace("\u00a0", "")


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("fr", "la garantie légale de conformité pendant deux ans, et par celle des vices cachés."),
        (
            "en",
            "the legal guarantee of conformity for two years, and by the guarantee against hidden defects.",
        ),
        ("es", "la garantía legal de conformidad durante dos años, y por la de vicios ocultos."),
        (
            "de",
            "die gesetzliche Gewährleistung für Vertragsmäßigkeit (zwei Jahre) und die Haftung für verborgene",
        ),
    ],
)
def test_l217_3_the_two_years_beside_the_button_are_not_those_of_hidden_defects(language: str, words: str):
    # Those run from the discovery of the defect (art. 1648 C. civ.).
    texts = json.loads((ROOT / f"frontend_islands/locales/{language}.json").read_text("utf-8"))
    assert words in texts["checkout"]["guarantees"]


ARTICLES = [
    "L112-1-1",
    "L211-1",
    "L213-1",
    "D213-1",
    "L216-1",
    "L216-2",
    "L216-6",
    "L216-7",
    "L217-3",
    "L221-14",
    "L221-18",
    "L221-24",
    "L221-28",
    "L616-1",
    "R616-1",
    "1641",
    "1649",
]
# Duties and import taxes are the customer's wherever a parcel meets customs: `orders.pricing.territories.Place`.
CUSTOMS = {
    "fr": "Hors de l'Union européenne, en outre-mer et dans les autres territoires de l'Union",
    "en": "Outside the European Union, in the French overseas territories and in the other parts of the Union",
    "es": "Fuera de la Unión Europea, en los territorios franceses de ultramar y en los demás territorios",
    "de": "Außerhalb der Europäischen Union, in den französischen Überseegebieten und in den anderen Gebieten",
}


@pytest.mark.parametrize("language", ["fr", "en", "es", "de"])
def test_l221_5_the_terms_name_each_right_and_who_bears_duties(language: str):
    text = (ROOT / f"shop/pages/texts/terms/{language}.md").read_text("utf-8")
    found = re.findall(r"\b[LRD]\d{3}-\d+(?:-\d+)?\b|\b16\d\d\b", text)
    assert sorted(set(found)) == sorted(ARTICLES)
    assert CUSTOMS[language] in text
