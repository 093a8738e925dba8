"""What the islands of the product page get."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
import time_machine

from catalog.islands import gallery_props, product_buy_props
from catalog.pricing import OfferKey
from catalog.selectors.products import find_product
from catalog.services.products import save_product
from catalog.tests.factories import (
    change_variant,
    make_category,
    make_finish_category,
    make_image,
    make_product,
    make_variation,
    variant_of,
)

pytestmark = pytest.mark.django_db
NBSP = "\u00a0"


def test_the_choices_of_a_painted_product():
    with time_machine.travel(datetime(2026, 9, 1, tzinfo=UTC), tick=False):
        product = make_product(
            "Lame", "149.00", category=make_finish_category(), painted_price="149.00", unpainted_price="62.00"
        )
    product.painted_price, product.original_price = Decimal("129.00"), Decimal("149.00")
    with time_machine.travel(datetime(2026, 9, 1, tzinfo=UTC) + timedelta(days=40), tick=False):
        save_product(product=product)
    make_image(product, 1, finish="painted", alt_fr="Peinte")
    assert product_buy_props(find_product(product.pk)).data == {
        "product_id": product.pk,
        "name": "Lame",
        "finishes": [
            {
                "code": "painted",
                "label": "Peint",
                "image": {
                    "url": f"/media/products/{product.pk}-1-360.webp",
                    "width": 1200,
                    "height": 900,
                    "alt": "Peinte",
                },
                "available": True,
                "reason": "",
            },
            {"code": "unpainted", "label": "Non peint", "image": None, "available": True, "reason": ""},
        ],
        "variations": [],
        "offers": [
            {
                "finish": "painted",
                "variation_id": None,
                "price": "129.00",
                "original_price": "149.00",
                "price_text": f"129,00{NBSP}€",
                "original_price_text": f"149,00{NBSP}€",
                "available": True,
                "available_quantity": None,
                "stock_text": "",
            },
            {
                "finish": "unpainted",
                "variation_id": None,
                "price": "62.00",
                "original_price": None,
                "price_text": f"62,00{NBSP}€",
                "original_price_text": None,
                "available": True,
                "available_quantity": None,
                "stock_text": "",
            },
        ],
        "selected": {"finish": "painted", "variation_id": None},
        "promotion_badge": "",
        "promotion_text": "",
        "available": True,
        "cart_url": "/panier",
        "checkout_url": "/checkout",
        "home_country": "FR",
        "unavailable_text": "Rupture de stock",
    }


def test_a_choice_that_is_not_possible_says_why():
    product = make_product("Golem", category=make_finish_category(), unpainted_price="42.00", in_stock=False)
    props = product_buy_props(find_product(product.pk)).data
    assert [(choice["available"], choice["reason"]) for choice in props["finishes"]] == [
        (False, "Finition non proposée"),
        (False, ""),
    ]
    assert props["available"] is False


def test_formats():
    product = make_product("Golem", "69.00", category=make_category("figurines", offers_formats=True))
    small = make_variation(product, "Petite", price_adjustment="-20.00", in_stock=False)
    large = make_variation(product, "Grande", is_default=True)
    props = product_buy_props(find_product(product.pk)).data
    assert props["variations"] == [
        {"id": small.pk, "name": "Petite", "is_default": False, "available": False},
        {"id": large.pk, "name": "Grande", "is_default": True, "available": True},
    ]
    assert [(offer["variation_id"], offer["price"], offer["available"]) for offer in props["offers"]] == [
        (small.pk, "49.00", False),
        (large.pk, "69.00", True),
    ]
    assert props["selected"] == {"finish": None, "variation_id": large.pk}


def test_where_no_format_is_offered_the_default_one_is_sold_without_a_choice():
    product = make_product("Golem", "69.00")
    make_variation(product, "Petite")
    large = make_variation(product, "Grande", price_override="90.00", is_default=True)
    props = product_buy_props(find_product(product.pk)).data
    assert props["variations"] == []
    assert [(offer["variation_id"], offer["price"]) for offer in props["offers"]] == [(large.pk, "90.00")]
    assert props["selected"] == {"finish": None, "variation_id": large.pk}


def test_the_gallery_shows_the_photos_of_the_choice():
    product = make_product(
        "Golem", category=make_finish_category(), painted_price="60.00", unpainted_price="42.00"
    )
    make_image(product, 1, alt_fr="Atelier")
    make_image(product, 2, finish="unpainted", alt_fr="Gris")
    make_image(product, 3, finish="painted", alt_fr="Peint")
    page = find_product(product.pk)
    raw = page.choose(OfferKey(None, "unpainted"))
    assert [[image["alt"] for image in gallery_props(each).data["images"]] for each in (page, raw)] == [
        ["Peint", "Atelier"],
        ["Gris", "Atelier"],
    ]
    assert product_buy_props(raw).data["selected"] == {"finish": "unpainted", "variation_id": None}


def test_each_offer_says_how_many_are_left():
    product = make_product(
        "Golem",
        category=make_finish_category(),
        painted_price="60.00",
        unpainted_price="42.00",
        stock_quantity=5,
    )
    change_variant(variant_of(product, finish="painted"), stock_quantity=0)
    offers = product_buy_props(find_product(product.pk)).data["offers"]
    assert [(offer["finish"], offer["available"], offer["available_quantity"]) for offer in offers] == [
        ("painted", False, 0),
        ("unpainted", True, 5),
    ]


def test_the_gallery():
    product = make_product("Golem", category=make_finish_category(), unpainted_price="42.00")
    make_image(product, 1, finish="unpainted", alt_fr="Gris")
    make_image(product, 2, derivatives={})
    assert gallery_props(find_product(product.pk)).data == {
        "name": "Golem",
        "images": [
            {
                "url": f"/media/products/{product.pk}-1.jpg",
                "width": 1200,
                "height": 900,
                "alt": "Gris",
                "sources": [
                    {
                        "type": f"image/{kind}",
                        "srcset": (
                            f"/media/products/{product.pk}-1-360.{ending} 360w, "
                            f"/media/products/{product.pk}-1-768.{ending} 768w"
                        ),
                    }
                    for kind, ending in (("avif", "avif"), ("webp", "webp"), ("jpeg", "jpg"))
                ],
            },
            {
                "url": f"/media/products/{product.pk}-2.jpg",
                "width": 1200,
                "height": 900,
                "alt": "Golem",
                "sources": [],
            },
        ],
    }
