"""The catalogue's pages: addresses, parameters, texts, queries."""

import re
from decimal import Decimal

import pytest
from django.core.cache import cache

from catalog.models import Category, CategoryKind, Product
from catalog.tests.factories import (
    make_category,
    make_finish_category,
    make_image,
    make_product,
    make_variation,
)

pytestmark = pytest.mark.django_db

# The closure, the delivery line (zones with their rates), the menu and the season's entry in the header of every page,
# cached elsewhere.
HEADER_QUERIES = 4
QUOTE = '<a class="button" href="/contact?devis=1">Demander un Devis</a>'


@pytest.fixture(scope="module", autouse=True)
def shop(module_rows):
    mangas = make_category("mangas", name_fr="Mangas", name_en="Manga", offers_finishes=True, position=1)
    make_category("bust", name_fr="Bust", position=2)
    noel = make_category("noel", kind=CategoryKind.COLLECTION, name_fr="Noël", title_fr="Collection Noël")
    blade = make_product(
        "Lame d'automne",
        "129.00",
        name_en="Autumn Blade",
        category=mangas,
        painted_price="129.00",
        unpainted_price="62.00",
        description_fr="Elle attend.",
    )
    make_image(blade, 1)
    return {"blade": blade, "elf": make_product("Lutin", category=noel), "mangas": mangas}


def page(client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def test_the_catalogue(client, shop):
    response = client.get("/produits")
    html = response.content.decode()
    assert "Figurines Artisanales Peintes à la Main" in html
    assert "Lame d&#x27;automne" in html
    assert "Lutin" not in html
    assert "X-Fragment" in response.headers["Vary"]
    assert response.context["result_count"] == 1
    assert response.context["breadcrumbs"] == [("Accueil", "/"), ("Produits", None)]
    assert [card.slug for card in response.context["categories"]] == ["mangas", "bust"]


@pytest.mark.parametrize(
    "address",
    [
        "/produits?category=mangas&search=LAME",
        "/produits?categorie=mangas&recherche=lame",
        "/produits?search=%20automne%20&page=1",
        "/produits?search=&category=&page=",
        "/en/products?search=autumn",
    ],
)
def test_filters_that_find(client, shop, address):
    response = client.get(address)
    assert [card.id for card in response.context["page"]] == [shop["blade"].pk]


def test_a_chosen_category(client, shop):
    response = client.get("/produits?category=mangas")
    context = response.context
    assert (context["category"].slug, context["category"].selected) == ("mangas", True)
    assert [(card.slug, card.selected) for card in context["categories"]] == [
        ("mangas", True),
        ("bust", False),
    ]
    assert context["breadcrumbs"] == [("Accueil", "/"), ("Produits", "/produits"), ("Mangas", None)]


def test_category_links_keep_the_search(client, shop):
    for slug in ("mangas", "bust", "noel"):
        make_product("L'ours & co", category=Category.objects.get(slug=slug))
    response = client.get("/produits?search=l%27ours%26co")
    assert [card.url for card in response.context["categories"]] == [
        "/produits?category=mangas&search=l%27ours%26co",
        "/produits?category=bust&search=l%27ours%26co",
        "/produits?category=noel&search=l%27ours%26co",
    ]


def test_a_piece_can_be_commissioned_from_every_list(client, shop):
    cards, panel = '<article class="card', '<div class="quote-panel">'
    html = page(client, "/produits?category=mangas")
    assert QUOTE in html
    assert html.rindex(cards) < html.index(panel)
    for number in range(9):
        make_product(f"Golem {number}", category=Category.objects.get(slug="mangas"))
    html = page(client, "/produits?category=mangas&page=1")
    assert html.count(panel) == 1
    assert html[: html.index(panel)].count(cards) == 8


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("/produits?search=zébu", "Aucune figurine trouvée pour «\u00a0zébu\u00a0»"),
        (
            "/produits?search=zébu&category=mangas",
            "Aucune figurine trouvée pour «\u00a0zébu\u00a0» dans la catégorie Mangas",
        ),
        ("/produits?category=bust", "Aucune figurine trouvée dans la catégorie «\u00a0Bust\u00a0»."),
        (
            "/produits?search=<script>alert(1)</script>",
            "pour «\u00a0&lt;script&gt;alert(1)&lt;/script&gt;\u00a0»",
        ),
    ],
)
def test_empty_lists(client, shop, address, message):
    html = page(client, address)
    assert message in html
    assert "<script>alert" not in html
    # What is not there can be made.
    assert QUOTE in html


def test_an_empty_shop(client):
    Product.objects.all().delete()
    assert "Aucune figurine disponible pour le moment." in page(client, "/produits")


@pytest.mark.parametrize(
    "address",
    [
        "/produits?category=unknown",
        "/produits?page=2",
        "/produits?page=0",
        "/produits?page=-1",
        "/produits?page=abc",
        "/produits?page=100000000000000000000",
        "/produits?page=%D9%A3",
        "/produits?page=1%00",
        "/produits?category=mangas%00",
        "/noel?page=2",
        "/pokeball",
    ],
)
def test_what_does_not_exist_is_a_404(client, shop, address):
    response = client.get(address)
    assert response.status_code == 404
    assert b"Traceback" not in response.content


@pytest.mark.parametrize(
    "query",
    [
        "%00",
        "%FF%FE",
        "%ED%A0%80",
        "a" * 5000,
        "%25",
        "_",
        "%5C",
        "'%20OR%201=1--",
        "e%CC%81",
        "%C4%B0",
        "%C3%9F",
        "%F0%9F%A6%8A",
        "%E2%80%AE",
    ],
)
def test_any_text_may_be_searched_for(client, shop, query):
    response = client.get(f"/produits?search={query}")
    assert response.status_code == 200
    assert len(response.context["search"]) <= 200
    assert "\x00" not in response.content.decode()


def test_what_is_counted_is_what_was_searched_for_instead(client, shop):
    html = page(client, "/produits?search=autonne")
    assert "Aucun résultat pour «\u00a0autonne\u00a0». Voici ceux pour «\u00a0automne\u00a0»." in html
    assert "1 figurine pour «\u00a0automne\u00a0»</p>" in html


def test_the_fragment_is_the_results_alone(client, shop):
    whole = client.get("/produits?search=lame")
    part = client.get("/produits?search=lame", headers={"X-Fragment": "results"})
    assert part.status_code == 200
    assert "Lame d&#x27;automne" in part.content.decode()
    assert "<html" not in part.content.decode()
    assert "<html" in whole.content.decode()
    assert "X-Fragment" in part.headers["Vary"]
    assert client.get("/produits?page=9", headers={"X-Fragment": "results"}).status_code == 404


def test_a_collection(client, shop):
    response = client.get("/noel")
    assert response.context["breadcrumbs"] == [("Accueil", "/"), ("Noël", None)]
    assert [card.name for card in response.context["page"]] == ["Lutin"]
    assert "Collection Noël" in response.content.decode()


def test_a_collection_of_which_all_is_sold_shows_its_pieces(client):
    category = make_category("crochet", kind=CategoryKind.COLLECTION)
    for name in ("Golem", "Ours"):
        make_product(name, category=category, in_stock=False)
    html = page(client, "/crochet")
    assert "Collection en cours de création" not in html
    assert "Me notifier du lancement" not in html
    assert html.count('<span class="badge badge--sold-out">Rupture</span>') == 2
    assert "2 pièces" in html


def test_an_empty_collection_is_being_made(client):
    make_category("crochet", kind=CategoryKind.COLLECTION)
    assert "Collection en cours de création" in page(client, "/crochet")


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


def test_only_reading_is_possible(client, shop):
    for address in ("/produits", "/noel", f"/produit/{shop['blade'].pk}-lame-dautomne"):
        assert client.post(address).status_code == 405


def test_pages_are_the_same_for_everybody(client, shop):
    for address in ("/produits", "/noel", f"/produit/{shop['blade'].pk}-lame-dautomne"):
        response = client.get(address)
        assert not response.cookies
        assert "Cookie" not in response.headers.get("Vary", "")


def test_no_inline_style_or_script(client, shop):
    for address in ("/produits", "/noel", f"/produit/{shop['blade'].pk}-lame-dautomne"):
        html = page(client, address)
        assert " style=" not in html
        assert not re.search(r"<script(?![^>]*(src=|application/(ld\+)?json))", html)


@pytest.mark.both_engines
def test_the_catalogue_costs_a_known_number_of_queries(client, shop, django_assert_max_num_queries):
    cache.clear()
    # categories and their photos: 2; synonyms, vocabulary, entries, products, rows, photos, variants, the shop's
    # settings: 8; articles: 1; dates: zones with weight steps, territories, closures: 3
    with django_assert_max_num_queries(14 + HEADER_QUERIES):
        client.get("/produits?search=lame")
    # categories, their photos, groups, the page, rows, photos, variants, the shop's settings, dates: 3
    with django_assert_max_num_queries(11 + HEADER_QUERIES):
        client.get("/produits")


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
