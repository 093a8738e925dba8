"""The page of a product: its one address, what it tells, queries."""

from decimal import Decimal

import pytest
from django.core.cache import cache

from catalog.models import Product
from catalog.tests.factories import make_category, make_finish_category, make_product, make_variation
from catalog.tests.pages import HEADER_QUERIES

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shop")]


def test_a_product(client, shop):
    blade = shop["blade"]
    response = client.get(f"/produit/{blade.pk}-lame-dautomne")
    assert response.status_code == 200
    product = response.context["product"]
    assert (product.name, product.price, product.price_to) == (
        "Lame d'automne",
        Decimal("62.00"),
        Decimal("129.00"),
    )
    assert (product.selected.price, product.selected.finish) == (Decimal("129.00"), "painted")
    assert response.context["breadcrumbs"] == [
        ("Accueil", "/"),
        ("Produits", "/produits"),
        ("Mangas", "/produits?category=mangas"),
        ("Lame d'automne", None),
    ]
    assert response.context["alternates"] == [
        ("fr", "Français", f"http://localhost:8000/produit/{blade.pk}-lame-dautomne"),
        ("en", "English", f"http://localhost:8000/en/product/{blade.pk}-autumn-blade"),
        ("es", "Español", f"http://localhost:8000/es/producto/{blade.pk}-lame-dautomne"),
        ("de", "Deutsch", f"http://localhost:8000/de/produkt/{blade.pk}-lame-dautomne"),
    ]
    data = response.context["structured_data"]
    assert [(offer["url"].partition("?")[2], offer["price"]) for offer in data["offers"]] == [
        ("finition=painted", "129.00"),
        ("finition=unpainted", "62.00"),
    ]


def test_a_product_of_a_collection_leads_back_to_it(client, shop):
    response = client.get(f"/produit/{shop['elf'].pk}-lutin")
    assert response.context["breadcrumbs"][1] == ("Noël", "/noel")


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("/produit/{}", "/produit/{}-lame-dautomne"),
        ("/produit/{}-", "/produit/{}-lame-dautomne"),
        ("/produit/{}-ancien-nom", "/produit/{}-lame-dautomne"),
        ("/produit/{}-Lame-Dautomne", "/produit/{}-lame-dautomne"),
        ("/produit/{}-autumn-blade", "/produit/{}-lame-dautomne"),
        ("/produit/00{}-lame-dautomne", "/produit/{}-lame-dautomne"),
        ("/produit/{}-é/../x", "/produit/{}-lame-dautomne"),
        ("/en/product/{}", "/en/product/{}-autumn-blade"),
        ("/en/product/{}-lame-dautomne", "/en/product/{}-autumn-blade"),
        ("/de/produkt/{}-autumn-blade", "/de/produkt/{}-lame-dautomne"),
    ],
)
def test_every_other_name_leads_to_the_one_address(client, shop, address, target):
    number = shop["blade"].pk
    response = client.get(address.format(number))
    assert (response.status_code, response.headers["Location"]) == (301, target.format(number))


def test_an_old_name_leads_to_the_new_one(client, shop):
    blade = shop["blade"]
    Product.objects.filter(pk=blade.pk).update(slug_fr="lame-du-soir")
    response = client.get(f"/produit/{blade.pk}-lame-dautomne")
    assert (response.status_code, response.headers["Location"]) == (301, f"/produit/{blade.pk}-lame-du-soir")
    # A browser would keep it for good, and turn in a circle once the product has its former name again.
    assert response.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    "path",
    [
        "0",
        "-1",
        "999999",
        "9" * 18,
        "1" + "0" * 23,
        "9" * 5000,
        "%00",
        "1%00",
        "%D9%A3",
        "1e3",
        "../",
        "abc",
        "1.5",
        "",
        "999999-lame",
        "%FF",
    ],
)
def test_products_that_do_not_exist(client, shop, path):
    Product.objects.filter(pk=1).delete()
    response = client.get(f"/produit/{path}")
    assert response.status_code in (301, 404)
    if response.status_code == 301:
        # Only the slash at the end of an address is corrected.
        response = client.get(response.headers["Location"])
    assert response.status_code == 404


def test_an_unpublished_product_does_not_exist(client, shop):
    Product.objects.update(is_published=False)
    response = client.get(f"/produit/{shop['blade'].pk}-lame-dautomne")
    html = response.content.decode()
    assert response.status_code == 404
    assert "Produit introuvable" in html
    assert "Retour aux produits" in html


@pytest.mark.both_engines
def test_a_product_costs_a_known_number_of_queries(client, shop, django_assert_max_num_queries):
    make_variation(shop["blade"], "Grande", price_adjustment="20.00")
    cache.clear()
    # product, variants with formats, photos, promotions, prices over time, similar products, those of near categories,
    # their photos and variants, reviews, the shop's settings, countries where delivery stops: 12; for dates and again
    # for installments (fragments are not cached here) zones with weight steps, territories, closures: 6
    with django_assert_max_num_queries(18 + HEADER_QUERIES):
        client.get(f"/produit/{shop['blade'].pk}-lame-dautomne")


def test_finishes_on_the_page(client):
    product = make_product("Golem", category=make_finish_category(), unpainted_price="42.00")
    choices = client.get(f"/produit/{product.pk}-golem").context["product"].finishes
    assert [(choice.code, choice.label, choice.price, choice.available) for choice in choices] == [
        ("painted", "Peint", None, False),
        ("unpainted", "Non peint", Decimal("42.00"), True),
    ]


def test_no_choice_of_finish_without_prices_or_in_a_collection(client):
    plain = make_product("Golem", category=make_finish_category())
    other = make_product("Lutin", category=make_category("bust"), painted_price="42.00")
    for product in (plain, other):
        assert client.get(product_address(product)).context["product"].finishes == []


def product_address(product: Product) -> str:
    return f"/produit/{product.pk}-{product.slug_fr}"


def test_formats_are_chosen_where_the_category_offers_them(client):
    for slug, offered in (("figurines-x", True), ("bust", False)):
        product = make_product("Golem", "69.00", category=make_category(slug, offers_formats=offered))
        make_variation(product, "Petite", price_adjustment="-20.00", sort_order=1)
        large = make_variation(product, "Grande", is_default=True, in_stock=False, sort_order=2)
        detail = client.get(product_address(product)).context["product"]
        assert detail.offers_formats is offered
        assert [(row.name, row.price, row.in_stock, row.is_default) for row in detail.variations] == [
            # Where the category offers no choice of formats the page has the default one alone.
            ("Petite", Decimal("49.00") if offered else None, offered, False),
            ("Grande", Decimal("69.00"), False, True),
        ]
        assert [offer.variation_id for offer in detail.offers][-1] == large.pk
        assert len(detail.offers) == (2 if offered else 1)
        # What can be chosen is what counts.
        assert detail.available is offered


def test_characteristics_are_those_that_are_known(client):
    product = make_product("Golem", dimensions="15 × 9 cm", weight="320 g", material_fr="Résine")
    assert client.get(product_address(product)).context["product"].specs == [
        ("Dimensions", "15 × 9 cm"),
        ("Poids", "320 g"),
        ("Matière", "Résine"),
        ("Délai de fabrication", "2 à 4 semaines"),
    ]


def test_an_unpainted_piece_names_no_paint(client):
    category = make_category("mangas", offers_finishes=True)
    product = make_product(
        "Lame", category=category, painted_price=129, unpainted_price=62, paint_type_fr="Acrylique"
    )
    for finish, named in (("painted", True), ("unpainted", False)):
        page = client.get(f"{product_address(product)}?finition={finish}", follow=True)
        assert ("<dd>Acrylique</dd>" in page.content.decode()) is named


def test_texts_that_nobody_translated_are_said_to_be_french(client):
    product = make_product("Rainette", description="Elle boit son thé.", name_de="Laubfrosch")
    Product.objects.filter(pk=product.pk).update(
        full_description_fr="Sous la pluie.", full_description_de="Im Regen."
    )
    Product.objects.filter(pk=product.pk).update(warnings_fr="Fragile.")
    german = client.get(f"/de/produkt/{product.pk}", follow=True).content.decode()
    for part in (
        "<h1>Laubfrosch</h1>",
        '<p class="lead" lang="fr">Elle boit son thé.</p>',
        '<div class="prose"><p>Im Regen.</p></div>',
        '<p lang="fr">Fragile.</p>',
    ):
        assert part in german
    assert (
        '<p class="card__teaser" lang="fr">Elle boit son thé.</p>'
        in client.get("/de/produkte").content.decode()
    )
    assert '<p class="card__teaser">Elle boit son thé.</p>' in client.get("/produits").content.decode()
    french = client.get(f"/produit/{product.pk}", follow=True).content.decode()
    assert '<p class="lead">Elle boit son thé.</p>' in french
