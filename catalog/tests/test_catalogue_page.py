"""The pages of the catalogue and of its collections: filters, searches, empty lists, queries."""

import re

import pytest
from django.core.cache import cache

from catalog.models import Category, CategoryKind, Product
from catalog.tests.factories import make_category, make_product
from catalog.tests.pages import HEADER_QUERIES, page

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("shop")]

QUOTE = '<a class="button" href="/contact?devis=1">Demander un Devis</a>'


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
