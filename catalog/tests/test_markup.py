"""What a validator asks of the pages: sections have headings, captions stand at an end of their figure. And where the
links of a text lead."""

import re

import pytest
from django.conf import settings
from django.utils import translation

from catalog.markup import localise
from catalog.models import CategoryKind
from catalog.tests.factories import make_category, make_finish_category, make_image, make_product

pytestmark = pytest.mark.django_db


@pytest.fixture
def piece():
    product = make_product(
        "Golem",
        "109.00",
        category=make_finish_category(),
        painted_price="109.00",
        unpainted_price="52.00",
        featured=True,
    )
    make_image(product, 1, finish="painted")
    make_image(product, 2, finish="unpainted")
    return product


@pytest.mark.parametrize("path", ["/", "/produits", "/produit/{}-golem"])
def test_articles_have_a_heading_and_captions_an_end_of_their_figure(client, piece, path):
    page = client.get(path.format(piece.pk)).content.decode()
    for article in re.findall(r"<article\b.*?</article>", page, re.DOTALL):
        assert re.search(r"<h[2-6]\b", article), article[:200]
    figures = re.findall(r"<figure\b[^>]*>(.*?)</figure>", page, re.DOTALL)
    assert figures or path == "/produits"
    for figure in figures:
        if "<figcaption" in figure:
            assert figure.strip().endswith("</figcaption>") or figure.strip().startswith("<figcaption")


def test_tables_of_the_staff_area_are_called_as_their_section():
    templates = (settings.BASE_DIR / "templates" / "staff").rglob("*.html")
    tables = [
        (path.name, tag, text)
        for path in templates
        for text in [path.read_text()]
        for tag in re.findall(r"<table\b[^<>]*>", text)
    ]
    assert len(tables) > 10
    for name, tag, text in tables:
        heading = re.search(r'aria-labelledby="([a-z-]+)"', tag)
        assert heading, name
        assert f'id="{heading[1]}"' in text, name


@pytest.mark.parametrize(
    ("address", "french", "german"),
    [
        ("/faq#livraison", "/faq#livraison", "/de/faq#livraison"),
        ("/noel", "/noel", "/de/weihnachten"),
        (
            "/noel?utm_source=lettre#a?b",
            "/noel?utm_source=lettre#a?b",
            "/de/weihnachten?utm_source=lettre#a?b",
        ),
        (
            "/bustes?utm_source=x",
            "/produits?category=bustes&utm_source=x",
            "/de/produkte?category=bueste&utm_source=x",
        ),
        (
            "http://localhost:8000/noel?a=1",
            "http://localhost:8000/noel?a=1",
            "http://localhost:8000/de/weihnachten?a=1",
        ),
        ("http://localhost:8000/faq", "http://localhost:8000/faq", "http://localhost:8000/de/faq"),
        ("http://localhost:8000.example.com/faq", *["http://localhost:8000.example.com/faq"] * 2),
        ("/de/faq", "/de/faq", "/de/faq"),
    ],
)
def test_links_of_a_text_lead_to_the_reader_s_pages_and_keep_their_campaign(address, french, german):
    make_category("noel", slug_de="weihnachten", kind=CategoryKind.COLLECTION)
    make_category("bustes", slug_de="bueste")
    for language, expected in (("fr", french), ("de", german)):
        with translation.override(language):
            assert localise(address) == expected
