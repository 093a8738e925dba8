"""Data blocks for search engines: safe in the page, and the same figures as shown."""

import json
import re
from decimal import Decimal

import pytest
from django.template import Context, Template

from shop.core import structured_data

HOSTILE = "</script><script>alert(1)</script><!-- & \u2028 \" '"


def block(data: object) -> str:
    return Template("{% load seo %}{% json_ld data %}").render(Context({"data": data}))


def test_a_hostile_name_stays_inside_the_data_block() -> None:
    written = block({"name": HOSTILE})
    inside = re.fullmatch(r'<script type="application/ld\+json">(.*)</script>', written)
    assert inside is not None
    assert re.findall(r"[<>&\u2028]", inside[1]) == []
    assert json.loads(inside[1]) == {"name": HOSTILE}


@pytest.mark.parametrize("nothing", [None, {}, []])
def test_nothing_gives_no_block(nothing: object) -> None:
    assert block(nothing) == ""


def product(**changes: object) -> structured_data.Data:
    values: dict[str, object] = {
        "product_id": 12,
        "name": "Ours boulanger",
        "description": "Il se lève avant le village.",
        "url": "/produit/12-ours-boulanger",
        "category": "Dessins Animés",
        "images": ["/media/products/a.jpg", "https://media.example.com/b.jpg"],
        "low": Decimal("42.00"),
        "high": None,
        "available": True,
        "made_to_order": False,
        "seller": "L'Établi",
        **changes,
    }
    return structured_data.product(**values)  # type: ignore[arg-type]


def test_a_single_price_is_an_offer() -> None:
    data = product(material="Résine", height_cm=Decimal("14.5"))
    assert data["@type"] == "Product"
    assert data["url"] == "http://localhost:8000/produit/12-ours-boulanger"
    assert data["image"] == ["http://localhost:8000/media/products/a.jpg", "https://media.example.com/b.jpg"]
    assert data["sku"] == "12"
    assert data["material"] == "Résine"
    assert data["height"] == {"@type": "QuantitativeValue", "value": "14.5", "unitCode": "CMT"}
    offer = data["offers"]
    assert (offer["@type"], offer["price"], offer["priceCurrency"]) == ("Offer", "42.00", "EUR")
    assert offer["availability"] == "https://schema.org/InStock"


def test_a_range_of_prices_is_an_aggregate_offer() -> None:
    offer = product(high=Decimal("89.00"))["offers"]
    assert offer["@type"] == "AggregateOffer"
    assert (offer["lowPrice"], offer["highPrice"]) == ("42.00", "89.00")
    assert "price" not in offer


@pytest.mark.parametrize(
    ("available", "made_to_order", "expected"),
    [(False, True, "OutOfStock"), (False, False, "OutOfStock"), (True, True, "MadeToOrder")],
)
def test_availability(available: bool, made_to_order: bool, expected: str) -> None:
    offer = product(available=available, made_to_order=made_to_order)["offers"]
    assert offer["availability"] == f"https://schema.org/{expected}"


def test_no_rating_is_claimed() -> None:
    """None is shown without verified reviews (L111-7-2)."""
    assert "ating" not in json.dumps(product())


def test_a_breadcrumb_trail() -> None:
    data = structured_data.breadcrumb_list([("Accueil", "/"), ("Panier", None)])
    assert data["itemListElement"] == [
        {"@type": "ListItem", "position": 1, "name": "Accueil", "item": "http://localhost:8000/"},
        {"@type": "ListItem", "position": 2, "name": "Panier"},
    ]


def test_a_single_level_has_no_trail() -> None:
    template = Template("{% load seo %}{% breadcrumb_data trail %}")
    assert template.render(Context({"trail": [("Accueil", "/")]})) == ""
    assert template.render(Context({"trail": None})) == ""


def test_a_list_names_its_first_eight_products() -> None:
    data = structured_data.item_list(
        name="Figurines", items=[(f"n{i}", f"/produit/{i}-n") for i in range(1, 12)]
    )
    assert [item["position"] for item in data["itemListElement"]] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert data["itemListElement"][7]["url"] == "http://localhost:8000/produit/8-n"


def test_the_search_of_the_site_is_the_catalogue_of_the_language() -> None:
    data = structured_data.website(name="L'Établi", language="de", search_path="/de/produits")
    target = data["potentialAction"]["target"]["urlTemplate"]
    assert target == "http://localhost:8000/de/produits?search={search_term_string}"


def test_what_is_not_filled_in_is_left_out() -> None:
    data = structured_data.organization(name="L'Établi", logo="/static/icon-512.png")
    assert {"email", "telephone", "address"} & set(data) == set()
    assert data["hasMerchantReturnPolicy"]["merchantReturnDays"] == 14
