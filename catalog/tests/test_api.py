"""The API of the catalogue: the contract that outside clients rely on."""

from decimal import Decimal

import pytest
from django.core.cache import cache

from catalog.models import CategoryKind, Product
from catalog.selectors.dispatch import dispatch_from
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


@pytest.fixture(scope="module", autouse=True)
def shop(module_rows):
    mangas = make_finish_category("mangas", name_fr="Mangas", name_en="Manga")
    noel = make_category("noel", kind=CategoryKind.COLLECTION, name_fr="Noël")
    blade = make_product(
        "Lame d'automne",
        "129.00",
        name_en="Autumn Blade",
        category=mangas,
        painted_price="129.00",
        unpainted_price="62.00",
        original_price="149.00",
        description_fr="Elle attend.\nLe reste.",
        promotion_active=True,
        promotion_type="buy_4_get_3",
        featured=True,
    )
    make_image(blade, 1, alt_fr="Une lame")
    return {
        "blade": blade,
        "elf": make_product("Lutin", "29.00", category=noel),
        "mangas": mangas,
        "noel": noel,
    }


def results(response) -> list[int]:
    assert response.status_code == 200
    return [row["id"] for row in response.json()["results"]]


def problem(response, status: int, code: str) -> dict:
    assert (response.status_code, response.headers["Content-Type"]) == (status, "application/problem+json")
    document = response.json()
    assert (document["status"], document["code"]) == (status, code)
    return document


def test_a_card(client, shop):
    response = client.get("/api/products")
    blade = shop["blade"]
    assert response.json() == {
        "count": 1,
        "next": None,
        "previous": None,
        "results": [
            {
                "id": blade.pk,
                "name": "Lame d'automne",
                "url": f"/produit/{blade.pk}-lame-dautomne",
                "teaser": "Elle attend.",
                "category": "Mangas",
                "category_slug": "mangas",
                "price": "129.00",
                "price_from": "62.00",
                "original_price": None,
                "image": {
                    "url": f"/media/products/{blade.pk}-1.jpg",
                    "alt": "Une lame",
                    "width": 1200,
                    "height": 900,
                    "srcset": (
                        f"/media/products/{blade.pk}-1-360.webp 360w, /media/products/{blade.pk}-1-768.webp 768w"
                    ),
                },
                "featured": True,
                "in_stock": True,
                "promotion": {"type": "buy_4_get_3", "buy": 4, "get": 3, "label": "4 achetés, 3 offerts"},
            }
        ],
    }


def test_the_language_is_the_clients(client, shop):
    response = client.get("/api/products", headers={"Accept-Language": "en"})
    card = response.json()["results"][0]
    assert (card["name"], card["category"], card["url"]) == (
        "Autumn Blade",
        "Manga",
        f"/en/product/{shop['blade'].pk}-autumn-blade",
    )
    assert "Accept-Language" in response.headers["Vary"]


def test_filters(client, shop):
    blade, elf = shop["blade"].pk, shop["elf"].pk
    assert results(client.get("/api/products?category=mangas")) == [blade]
    assert results(client.get("/api/products?category=noel")) == [elf]
    assert results(client.get("/api/products?search=AUTOMNE")) == [blade]
    assert results(client.get("/api/products?search=lutin")) == [shop["elf"].pk]
    assert results(client.get("/api/products?category=noel&search=lutin")) == [elf]
    assert results(client.get("/api/products?category=&search=&page=&page_size=24")) == [blade]


def test_an_unknown_category(client, shop):
    document = problem(client.get("/api/products?category=unknown"), 404, "unknown_category")
    assert document["detail"] == "Cette catégorie n'existe pas."


def test_an_empty_category_is_no_error(client, shop):
    make_category("bust")
    assert client.get("/api/products?category=bust").json() == {
        "count": 0,
        "next": None,
        "previous": None,
        "results": [],
    }


@pytest.mark.parametrize("page", ["2", "0", "-1", "abc", "1e3", "100000000000000000000", "%D9%A3"])
def test_an_unknown_page(client, shop, page):
    document = problem(client.get(f"/api/products?page={page}"), 404, "unknown_page")
    assert document["detail"] == "Cette page n'existe pas."


@pytest.mark.parametrize("size", ["0", "-1", "61", "1000000000", "abc", "1.5", "NaN", "%D9%A3%00"])
def test_an_impossible_page_size(client, shop, size):
    document = problem(client.get(f"/api/products?page_size={size}"), 400, "invalid")
    assert list(document["errors"]) == ["page_size"]


@pytest.mark.parametrize(
    "query",
    [
        "ordering=user__password",
        "user__password__startswith=a",
        "search=%25",
        "search=_",
        "search=%5C",
        "search=%FF",
        "search=" + "a" * 5000,
        "search=%C4%B0%C3%9F%F0%9F%A6%8A",
    ],
)
def test_odd_parameters_are_ignored_or_searched_for(client, shop, query):
    assert client.get(f"/api/products?{query}").status_code == 200


@pytest.mark.parametrize(
    "query", ["search=%00", "category=%00", "search=" + "a" * 20_000, "category=" + "a" * 61]
)
def test_impossible_parameters(client, shop, query):
    problem(client.get(f"/api/products?{query}"), 400, "invalid")


def test_pages_are_linked_with_their_parameters(client, shop):
    for number in range(3):
        make_product(f"Lame {number}", category=shop["mangas"])
    first = client.get("/api/products?category=mangas&search=l%27am&page_size=2").json()
    assert first["count"] == 0
    first = client.get("/api/products?category=mangas&search=lame&page_size=2").json()
    assert (first["count"], first["previous"]) == (4, None)
    assert first["next"] == (
        "http://localhost:8000/api/products?category=mangas&search=lame&page_size=2&page=2"
    )
    second = client.get(
        first["next"].removeprefix("http://localhost:8000"), headers={"Host": "localhost"}
    ).json()
    assert second["next"] is None
    assert second["previous"] == (
        "http://localhost:8000/api/products?category=mangas&search=lame&page_size=2&page=1"
    )
    assert len({row["id"] for row in first["results"] + second["results"]}) == 4


def test_links_are_made_of_the_sites_address(client, shop):
    for number in range(2):
        make_product(f"Lame {number}", category=shop["mangas"])
    document = client.get("/api/products?page_size=1", headers={"Host": "127.0.0.1"}).json()
    assert document["next"] == "http://localhost:8000/api/products?page_size=1&page=2"


def test_a_product_in_full(client, shop):
    blade = shop["blade"]
    other = make_product("Autre lame", category=shop["mangas"])
    document = client.get(f"/api/products/{blade.pk}").json()
    created = document.pop("created_at")
    assert created.startswith("20")
    image = {
        "url": f"/media/products/{blade.pk}-1.jpg",
        "alt": "Une lame",
        "width": 1200,
        "height": 900,
        "srcset": f"/media/products/{blade.pk}-1-360.webp 360w, /media/products/{blade.pk}-1-768.webp 768w",
    }
    assert [row["id"] for row in document.pop("similar")] == [other.pk, shop["elf"].pk]
    assert document == {
        "id": blade.pk,
        "name": "Lame d'automne",
        "slug": "lame-dautomne",
        "url": f"/produit/{blade.pk}-lame-dautomne",
        "teaser": "Elle attend.",
        "description": "Elle attend.\nLe reste.",
        "full_description": "",
        "category": "Mangas",
        "category_slug": "mangas",
        "price": "129.00",
        "price_from": "62.00",
        "price_to": "129.00",
        "original_price": None,
        "painted_price": "129.00",
        "unpainted_price": "62.00",
        "image": image,
        "image_url": image["url"],
        "gallery_images": [image["url"]],
        "images": [image],
        "featured": True,
        "in_stock": True,
        "promotion": {"type": "buy_4_get_3", "buy": 4, "get": 3, "label": "4 achetés, 3 offerts"},
        "promotion_active": True,
        "promotion_type": "buy_4_get_3",
        "promotion_buy_quantity": 4,
        "promotion_get_quantity": 3,
        "dimensions": "",
        "height_cm": None,
        "weight": "",
        "material": "",
        "paint_type": "",
        "production_time": "2 à 4 semaines",
        "production_days_min": 14,
        "production_days_max": 28,
        "dispatch_from": dispatch_from(14, 28, None).isoformat(),
        "source": "manual",
        "finishes": [
            {"code": "painted", "price": "129.00", "available": True},
            {"code": "unpainted", "price": "62.00", "available": True},
        ],
        "variations": [],
        "variants": [
            {
                "id": variant_of(blade, finish=finish).pk,
                "sku": "",
                "finish": finish,
                "variation_id": None,
                "price": price,
                "original_price": None,
                "available": True,
                "stock": None,
                "size": None,
                "dimensions": "",
                "production_days_min": 14,
                "production_days_max": 28,
                "dispatch_from": dispatch_from(14, 28, None).isoformat(),
                "images": [0],
            }
            for finish, price in (("painted", "129.00"), ("unpainted", "62.00"))
        ],
    }


def test_a_variant_has_what_is_its_own(client, shop):
    blade = shop["blade"]
    change_variant(
        variant_of(blade, finish="painted"),
        sku="LAM-P",
        stock_quantity=0,
        height_cm=Decimal("18.5"),
        dimensions="18,5 cm",
        production_days_min=21,
        production_days_max=35,
    )
    make_image(blade, 2, finish="unpainted")
    make_image(blade, 3, finish="painted")
    found = client.get(f"/api/products/{blade.pk}").json()["variants"]
    painted, raw = found
    own = ("sku", "available", "stock", "size", "dimensions", "production_days_min", "images")
    assert [painted[name] for name in own] == ["LAM-P", False, 0, "18.5", "18,5 cm", 21, [2, 0]]
    assert [raw[name] for name in own] == ["", True, None, None, "", 14, [1, 0]]


def test_variations_and_a_finish_without_price(client):
    product = make_product(
        "Golem", category=make_finish_category(), unpainted_price="42.00", height_cm=Decimal("15.0")
    )
    small = make_variation(product, "Petite", price_adjustment="-2.00", sort_order=2)
    large = make_variation(
        product, "Grande", price_override="90.00", is_default=True, stock_quantity=0, sort_order=1
    )
    document = client.get(f"/api/products/{product.pk}").json()
    assert document["finishes"] == [
        {"code": "painted", "price": None, "available": False},
        {"code": "unpainted", "price": "90.00", "available": False},
    ]
    assert document["variations"] == [
        {"id": large.pk, "name": "Grande", "price": "90.00", "in_stock": False, "is_default": True},
        # The category offers no choice of formats: only the default one is sold.
        {"id": small.pk, "name": "Petite", "price": None, "in_stock": False, "is_default": False},
    ]
    assert (document["height_cm"], document["image"], document["images"]) == ("15.0", None, [])
    assert (document["promotion"], document["promotion_type"]) == (None, None)


@pytest.mark.parametrize("number", ["0", "999999", "9" * 18])
def test_an_unknown_product(client, shop, number):
    document = problem(client.get(f"/api/products/{number}"), 404, "not_found")
    assert document["detail"] == "Produit introuvable"


@pytest.mark.parametrize("number", ["-1", "9" * 19, "9" * 5000, "%00", "%D9%A3", "1e3", "abc"])
def test_what_is_no_product_number(client, shop, number):
    problem(client.get(f"/api/products/{number}"), 404, "not_found")


def test_an_unpublished_product_is_unknown(client, shop):
    Product.objects.update(is_published=False)
    problem(client.get(f"/api/products/{shop['blade'].pk}"), 404, "not_found")
    assert results(client.get("/api/products")) == []


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_only_reading_is_possible(client, shop, method):
    for address in ("/api/products", f"/api/products/{shop['blade'].pk}"):
        problem(getattr(client, method)(address), 405, "method_not_allowed")
    assert Product.objects.count() == 2


@pytest.mark.both_engines
def test_the_list_costs_a_known_number_of_queries(client, shop, django_assert_max_num_queries):
    make_product("Lame", category=shop["mangas"])
    cache.clear()
    # categories, count, keys of the page, rows, photos
    with django_assert_max_num_queries(5):
        client.get("/api/products")
    # the category, the synonyms, the vocabulary, the entries, the products, their groups, rows, photos
    with django_assert_max_num_queries(8):
        assert len(results(client.get("/api/products?search=lame&category=mangas"))) == 2


@pytest.mark.both_engines
def test_a_product_costs_a_known_number_of_queries(client, shop, django_assert_max_num_queries):
    make_product("Autre lame", category=shop["mangas"])
    cache.clear()
    # product, variants with formats, photos, promotions, prices over time, settings, similar products: picked ones, of
    # the category, of near categories, their photos; its date: zones with weight steps, territories, closures
    with django_assert_max_num_queries(13):
        client.get(f"/api/products/{shop['blade'].pk}")


@pytest.mark.parametrize("wanted", ["api", "json", "xml", "html", ""])
def test_calls_answer_json_whatever_format_is_asked_for(client, shop, wanted):
    plain = client.get("/api/products")
    asked = client.get(f"/api/products?format={wanted}")
    assert (asked.status_code, asked["Content-Type"]) == (200, "application/json")
    assert asked.json()["results"] == plain.json()["results"]
    problem(client.get(f"/api/products/999999?format={wanted}"), 404, "not_found")
    # What a browser asks for when somebody opens the address.
    shown = client.get("/api/products", headers={"accept": "text/html,application/xml;q=0.9,*/*;q=0.8"})
    assert (shown.status_code, shown["Content-Type"]) == (200, "application/json")
