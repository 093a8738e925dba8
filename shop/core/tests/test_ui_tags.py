"""Template tags of the interface."""

from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.paginator import Paginator
from django.template import Context, Template
from django.test import RequestFactory
from django.utils import translation

from shop.core.images import ImageInfo
from shop.core.templatetags.seo import canonical_query
from shop.core.templatetags.ui import language_links, megabytes, page_numbers, round_amount, size_ruler


@pytest.mark.parametrize(
    ("language", "size", "said"),
    [("fr", 370_381, "0,4\u00a0Mo"), ("en", 12_345_678, "12.3\u00a0MB"), ("de", 900, "0,1\u00a0MB")],
)
def test_a_size_is_said_in_megabytes(language: str, size: int, said: str) -> None:
    with translation.override(language):
        assert megabytes(size) == said


def test_an_icon_points_into_the_sprite() -> None:
    drawn = Template('{% load ui %}{% icon "cart" "large" %}').render(Context())
    assert drawn == (
        '<svg class="icon icon--large" aria-hidden="true" focusable="false">'
        '<use href="/static/icons.svg#cart"></use></svg>'
    )


@pytest.mark.parametrize(
    ("language", "amount", "expected"),
    [
        ("fr", "50.00", "50\u00a0€"),
        ("fr", "49.90", "49,90\u00a0€"),
        ("en", "50.00", "€50"),
        ("en", "1000.00", "€1,000"),
        ("de", "1000.00", "1.000\u00a0€"),
        ("fr", "100.05", "100,05\u00a0€"),
    ],
)
def test_a_round_limit_has_no_cents(language: str, amount: str, expected: str) -> None:
    with translation.override(language):
        assert round_amount(Decimal(amount)) == expected


def photo(width: int = 1200, subject: Any = (0.1, 0.9)) -> ImageInfo:
    return ImageInfo(url="/a.jpg", width=width, height=1200, alt="", colour="", subject=subject)


@pytest.mark.parametrize(
    ("height", "ticks", "label"),
    [
        (Decimal("18.0"), 19, "18\u00a0cm"),
        (Decimal("14.5"), 15, "14,5\u00a0cm"),
        # Half centimetres below ten, every fifth above forty.
        (Decimal("4.5"), 10, "4,5\u00a0cm"),
        (Decimal("60"), 13, "60\u00a0cm"),
        ("22", 23, "22\u00a0cm"),
    ],
)
def test_the_ruler_has_a_tick_a_centimetre(height: Any, ticks: int, label: str) -> None:
    drawn = size_ruler(height, photo())
    # Two more strokes are the ruler itself and its top.
    assert drawn.count("<line ") - 2 == ticks
    assert f">{label}</text>" in drawn


def test_the_ruler_is_as_tall_as_the_piece() -> None:
    assert '<line x1="96.5%" x2="96.5%" y1="10.00%" y2="90.00%"/>' in size_ruler(18, photo())
    # Of a photo twice as tall as wide the square shows the middle half.
    drawn = size_ruler(18, photo(width=600, subject=(0.3, 0.7)))
    assert '<line x1="96.5%" x2="96.5%" y1="10.00%" y2="90.00%"/>' in drawn
    assert size_ruler(18, photo(width=600, subject=(0.1, 0.7))) == ""


@pytest.mark.parametrize("height", [None, "", "haute", 0, -3, Decimal("NaN"), Decimal("Infinity"), 5000])
def test_no_ruler_without_a_sensible_height(height: Any) -> None:
    assert size_ruler(height, photo()) == ""


def test_no_ruler_where_the_piece_was_not_found() -> None:
    assert size_ruler(18, photo(subject=None)) == ""
    assert size_ruler(18, None) == ""


def test_long_lists_have_gaps_between_their_page_numbers() -> None:
    assert page_numbers(Paginator(range(100), 5).page(10)) == [1, None, 9, 10, 11, None, 20]
    assert page_numbers(Paginator(range(10), 5).page(1)) == [1, 2]


def context(path: str, **values: Any) -> Context:
    request = RequestFactory().get(path)
    request.resolver_match = SimpleNamespace(view_name="home")  # type: ignore[assignment]
    return Context({"request": request, **values})


def test_language_links_keep_the_query_and_prefer_the_page_s_own_addresses() -> None:
    alternates = [
        ("fr", "Français", "http://localhost:8000/produit/1-ours"),
        ("en", "English", "http://localhost:8000/en/product/1-bear"),
    ]
    with translation.override("fr"):
        links = language_links(context("/produit/1-ours?page=2", alternates=alternates))
    assert [link.code for link in links] == ["fr", "en", "es", "de"]
    assert [link.code for link in links if link.current] == ["fr"]
    assert links[0].url == "/produit/1-ours?page=2"
    assert links[1].url == "/en/product/1-bear?page=2"


def test_an_unknown_page_offers_the_home_pages() -> None:
    request = RequestFactory().get("/nulle-part?x=1")
    with translation.override("fr"):
        links = language_links(Context({"request": request}))
    assert [link.url for link in links] == ["/", "/en", "/es", "/de"]


def test_the_canonical_address_keeps_what_names_the_page() -> None:
    page = context("/produits?utm_source=x&page=2&search=ours&category=bust")
    assert canonical_query(page, "category", "page") == "?category=bust&page=2"
    assert canonical_query(context("/produits?page=1"), "category", "page") == ""
    assert canonical_query(context("/produits?category=a%26b%22"), "category") == "?category=a%26b%22"
    assert canonical_query(Context(), "page") == ""
