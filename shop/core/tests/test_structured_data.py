"""Data blocks for search engines: safe in the page, and the same figures as shown."""

import json
import re
from decimal import Decimal

import pytest
from django.template import Context, Template

from shop.core import structured_data
from shop.core.structured_data import OfferDelivery

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


BEAR = "/produit/12-ours-boulanger"
HERE = structured_data.DeliveryZone(("FR", "BE"), Decimal("9.99"), Decimal("50.00"), 2, 5)
AWAY = structured_data.DeliveryZone(("US",), Decimal("49.99"), None, 5, 15)


def offer(**changes: object) -> structured_data.Offer:
    values: dict[str, object] = {
        "url": BEAR, "price": Decimal("42.00"), "available": True, "made_to_order": False, **changes
    }  # fmt: skip
    return structured_data.Offer(**values)  # type: ignore[arg-type]


def product(*offers: structured_data.Offer, **changes: object) -> structured_data.Data:
    values: dict[str, object] = {
        "product_id": 12,
        "name": "Ours boulanger",
        "description": "Il se lève avant le village.",
        "url": BEAR,
        "category": "Dessins Animés",
        "images": ["/media/products/a.jpg", "https://media.example.com/b.jpg"],
        "offers": offers or [offer()],
        "seller": "L'Établi",
        **changes,
    }
    return structured_data.product(**values)  # type: ignore[arg-type]


def test_a_product_with_one_offer() -> None:
    data = product(material="Résine", height_cm=Decimal("14.5"))
    assert data["@type"] == "Product"
    assert data["url"] == "http://localhost:8000/produit/12-ours-boulanger"
    assert data["image"] == ["http://localhost:8000/media/products/a.jpg", "https://media.example.com/b.jpg"]
    assert data["sku"] == "12"
    assert data["material"] == "Résine"
    assert data["height"] == {"@type": "QuantitativeValue", "value": "14.5", "unitCode": "CMT"}
    [written] = data["offers"]
    assert (written["@type"], written["price"], written["priceCurrency"]) == ("Offer", "42.00", "EUR")
    assert written["availability"] == "https://schema.org/InStock"
    assert "priceSpecification" not in written


def test_each_choice_is_an_offer_with_its_own_address() -> None:
    data = product(offer(), offer(url=f"{BEAR}?finition=painted", price=Decimal("89.00")))
    assert [(written["url"], written["price"]) for written in data["offers"]] == [
        ("http://localhost:8000/produit/12-ours-boulanger", "42.00"),
        ("http://localhost:8000/produit/12-ours-boulanger?finition=painted", "89.00"),
    ]


def test_a_struck_price_is_named_as_such() -> None:
    [written] = product(offer(original_price=Decimal("50.00")))["offers"]
    assert written["priceSpecification"] == {
        "@type": "UnitPriceSpecification",
        "priceType": "https://schema.org/StrikethroughPrice",
        "price": "50.00",
        "priceCurrency": "EUR",
    }


@pytest.mark.parametrize(
    ("available", "made_to_order", "expected"),
    [(False, True, "OutOfStock"), (False, False, "OutOfStock"), (True, True, "MadeToOrder")],
)
def test_availability(available: bool, made_to_order: bool, expected: str) -> None:
    [written] = product(offer(available=available, made_to_order=made_to_order))["offers"]
    assert written["availability"] == f"https://schema.org/{expected}"


def test_delivery_costs_what_the_cart_asks_for() -> None:
    data = structured_data.with_delivery(
        product(offer(price=Decimal("49.99")), offer(price=Decimal("50.00"))),
        [OfferDelivery([HERE, AWAY], (14, 28)), OfferDelivery([HERE, AWAY], (1, 1))],
        terms_path="/cgv",
    )
    rates = [
        [shipping["shippingRate"]["value"] for shipping in written["shippingDetails"]]
        for written in data["offers"]
    ]
    # Free from 50 € in the first zone, never in the second.
    assert rates == [["9.99", "49.99"], ["0.00", "49.99"]]
    first = data["offers"][0]["shippingDetails"][0]
    assert [region["addressCountry"] for region in first["shippingDestination"]] == ["FR", "BE"]
    time = first["deliveryTime"]
    assert [(time[key]["minValue"], time[key]["maxValue"]) for key in ("handlingTime", "transitTime")] == [
        (14, 28),
        (2, 5),
    ]
    other = data["offers"][1]["shippingDetails"][0]["deliveryTime"]["handlingTime"]
    assert (other["minValue"], other["maxValue"]) == (1, 1)
    returns = data["offers"][1]["hasMerchantReturnPolicy"]
    assert returns["applicableCountry"] == ["FR", "BE", "US"]
    assert returns["merchantReturnDays"] == 14
    assert returns["returnFees"] == "https://schema.org/ReturnFeesCustomerResponsibility"
    assert returns["merchantReturnLink"] == "http://localhost:8000/cgv"


def test_without_a_zone_nothing_is_promised() -> None:
    assert structured_data.with_delivery(product(), [OfferDelivery([], (1, 2))]) == product()


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
    data = structured_data.website(name="L'Établi", language="de", search_path="/de/produkte")
    target = data["potentialAction"]["target"]["urlTemplate"]
    assert target == "http://localhost:8000/de/produkte?search={search_term_string}"


def test_what_is_not_filled_in_is_left_out() -> None:
    data = structured_data.organization(name="L'Établi", logo="/static/icon-512.png", elsewhere=("", ""))
    unknown = {"legalName", "email", "telephone", "address", "sameAs", "hasMerchantReturnPolicy"}
    assert unknown & set(data) == set()


def test_the_shop_is_named_with_its_address_and_its_other_pages() -> None:
    data = structured_data.organization(
        name="L'Établi",
        logo="/static/icon-512.png",
        legal_name="Alix Atelier EI",
        address_lines=["1 rue de la Gare", "Bâtiment B", "69003 Lyon", "France"],
        elsewhere=("https://instagram.example.com/etabli", ""),
        countries=["FR"],
    )
    assert data["sameAs"] == ["https://instagram.example.com/etabli"]
    assert data["legalName"] == "Alix Atelier EI"
    assert data["address"] == {
        "@type": "PostalAddress",
        "streetAddress": "1 rue de la Gare, Bâtiment B",
        "postalCode": "69003",
        "addressLocality": "Lyon",
        "addressCountry": "FR",
    }
    assert data["hasMerchantReturnPolicy"]["merchantReturnDays"] == 14


def test_an_address_without_a_postcode_stays_as_it_is_written() -> None:
    data = structured_data.organization(name="L'Établi", logo="/i.png", address_lines=["Grand-Place", "Mons"])
    assert data["address"] == "Grand-Place, Mons"
