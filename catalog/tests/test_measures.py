"""Dimensions and weights as readers of each language write them: on the page, in the API, in structured data."""

from __future__ import annotations

import html
import json
import re
from decimal import Decimal

import pytest
from django.utils import translation

from catalog.models import Product
from catalog.selectors import wording
from catalog.tests.factories import change_variant, make_finish_category, make_product, variant_of

pytestmark = pytest.mark.django_db

LANGUAGES = ("fr", "en", "es", "de")
WRITTEN = dict.fromkeys(LANGUAGES, ("13,5 × 9 × 8,5 cm", "1,2 kg")) | {"en": ("13.5 × 9 × 8.5 cm", "1.2 kg")}
ADDRESSES = {"fr": "/produit/", "en": "/en/product/", "es": "/es/producto/", "de": "/de/produkt/"}


@pytest.fixture
def golem() -> Product:
    return make_product("Golem", dimensions="13,5 × 9 × 8,5 cm", weight="1,2 kg", height_cm=Decimal("13.5"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_writes_dimensions_in_the_readers_language(client, golem, language):
    page = client.get(f"{ADDRESSES[language]}{golem.pk}-golem").content.decode()
    dimensions, weight = WRITTEN[language]
    assert f"<dd>{dimensions}</dd>" in page
    assert f"<dd>{weight}</dd>" in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_api_writes_dimensions_in_the_callers_language(client, golem, language):
    answer = client.get(f"/api/products/{golem.pk}", headers={"Accept-Language": language}).json()
    assert (answer["dimensions"], answer["weight"]) == WRITTEN[language]
    # Numbers for programs, whoever reads.
    assert answer["height_cm"] == "13.5"


def test_the_api_writes_the_dimensions_of_a_variant_in_the_callers_language(client):
    product = make_product("Lame", category=make_finish_category(), painted_price="90.00")
    change_variant(variant_of(product, finish="painted"), dimensions="18,5 cm")
    for language, written in (("fr", "18,5 cm"), ("en", "18.5 cm")):
        answer = client.get(f"/api/products/{product.pk}", headers={"Accept-Language": language}).json()
        assert answer["variants"][0]["dimensions"] == written


@pytest.mark.parametrize("language", LANGUAGES)
def test_structured_data_has_the_height_as_a_number_in_every_language(client, golem, language):
    page = client.get(f"{ADDRESSES[language]}{golem.pk}-golem").content.decode()
    blocks = re.findall(r'<script type="application/ld\+json"[^>]*>(.*?)</script>', page, re.DOTALL)
    [data] = [found for found in map(json.loads, map(html.unescape, blocks)) if found["@type"] == "Product"]
    assert data["height"] == {"@type": "QuantitativeValue", "value": "13.5", "unitCode": "CMT"}


@pytest.mark.parametrize("written", ["12,5 × 8 cm", "12.5 × 8 cm"])
def test_staff_may_write_either_separator(written):
    for language, shown in (("fr", "12,5 × 8 cm"), ("en", "12.5 × 8 cm"), ("de", "12,5 × 8 cm")):
        with translation.override(language):
            assert wording.measures_text(written) == shown
