"""Every page of the shop as visitors get it: drawn in four languages, the same for everybody."""

import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import translation
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from catalog.models import Category, Product
from catalog.tests.factories import make_category, make_finish_category, make_image, make_product
from orders.tests.factories import make_zones
from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings

pytestmark = pytest.mark.django_db

LANGUAGES = ["fr", "en", "es", "de"]
HOSTILE = 'Ours </script><script>alert("1")</script> & fils'


@pytest.fixture(scope="module", autouse=True)
def pieces(module_rows: None) -> list[Product]:
    mangas = make_finish_category("mangas", name_fr="Mangas", colour="mangas")
    noel = make_category("noel", name_fr="Noël", colour="noel", kind="collection")
    found = [
        make_product(
            f"Pièce {number}",
            category=mangas if number % 2 else noel,
            painted_price="80.00",
            unpainted_price="42.00",
            featured=number < 3,
            height_cm=18,
        )
        for number in range(8)
    ]
    for piece in found[:3]:
        make_image(piece, 1, finish="painted")
        make_image(piece, 2, finish="unpainted")
    make_zones()
    return found


def addresses(pieces: list[Product]) -> list[str]:
    return [
        reverse("home"),
        reverse("catalog:list"),
        f"{reverse('catalog:list')}?category=mangas",
        f"{reverse('catalog:list')}?search=introuvable",
        reverse("catalog:collection", kwargs={"slug": "noel"}),
        reverse("catalog:product", kwargs={"product_id": pieces[0].pk, "slug": pieces[0].slug}),
        reverse("orders:cart"),
        reverse("orders:checkout"),
        reverse("story"),
        reverse("faq"),
        reverse("terms"),
        reverse("privacy"),
        reverse("legal-notice"),
    ]


def read(client: Client, path: str) -> str:
    answer = client.get(path, follow=True)
    assert answer.status_code == 200, path
    return answer.content.decode()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_public_page_is_drawn_in_every_language(
    client: Client, pieces: list[Product], language: str
) -> None:
    with translation.override(language):
        paths = addresses(pieces)
        paths.append(reverse("contact"))
    for path in paths:
        page = read(client, path)
        assert f'<html lang="{language}"' in page
        assert len(re.findall(r"<h1[ >]", page)) == 1, path
        assert len(re.findall(r"<main ", page)) == 1
        assert re.findall(r'\sstyle="|<style|\son[a-z]+="', page) == []
        kinds = set(re.findall(r"<script([^>]*)>", page))
        assert all(' src="' in kind or "application/" in kind for kind in kinds), path
        for data in re.findall(r'<script type="application/ld\+json">(.*?)</script>', page):
            assert json.loads(data)


def test_public_pages_are_the_same_for_a_member(client: Client, pieces: list[Product]) -> None:
    before = {path: read(client, path) for path in addresses(pieces)}
    client.force_login(User.objects.create_user("lea@example.com", "secret", first_name="Léa"))
    for path, page in before.items():
        assert read(client, path) == page
        assert "csrfmiddlewaretoken" not in page


def test_a_page_names_its_other_languages(client: Client, pieces: list[Product]) -> None:
    page = read(client, "/en/products?category=mangas&page=1&search=")
    assert '<link rel="canonical" href="http://localhost:8000/en/products?category=mangas">' in page
    assert re.findall(r'<link rel="alternate" hreflang="([^"]+)" href="([^"]+)">', page) == [
        ("fr", "http://localhost:8000/produits?category=mangas"),
        ("x-default", "http://localhost:8000/produits?category=mangas"),
        ("en", "http://localhost:8000/en/products?category=mangas"),
        ("es", "http://localhost:8000/es/productos?category=mangas"),
        ("de", "http://localhost:8000/de/produkte?category=mangas"),
    ]


def test_search_results_are_not_indexed(client: Client, pieces: list[Product]) -> None:
    assert '<meta name="robots"' not in read(client, "/produits")
    assert '<meta name="robots" content="noindex, follow">' in read(client, "/produits?search=piece")


def test_a_hostile_product_name_is_text_everywhere(client: Client, pieces: list[Product]) -> None:
    product = make_product(HOSTILE, category=pieces[1].category, description_fr=HOSTILE, featured=True)
    for path in ["/", "/produits", f"/produit/{product.pk}"]:
        page = read(client, path)
        assert "<script>alert" not in page
        assert "alert(" in page
        for data in re.findall(r'<script type="application/ld\+json">(.*?)</script>', page):
            json.loads(data)


@pytest.mark.both_engines
def test_the_home_page_has_a_known_number_of_queries(
    client: Client, pieces: list[Product], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    # sections 1, settings 1, free delivery 1; hero: cards 1, photos 1, variants 1; gallery: the same 3 and its draw 3;
    # both finishes: product 1; categories 1, their pictures 1, their groups 1 and the photos of their newest
    # pieces 1; page texts 1, questions 1, band 1, reviews 1; what texts name: countries without delivery 1, lowest
    # price 1. Closure 1; dates of the cards: territories 1.
    with django_assert_num_queries(25):
        read(client, "/")
    # The settings, the delivery offer, dates, texts, questions and bands are cached for a minute.
    with django_assert_num_queries(16):
        read(client, "/")


def test_the_home_page_of_an_empty_shop(client: Client) -> None:
    Product.objects.all().delete()
    Category.objects.all().delete()
    page = read(client, "/")
    assert "Sorties de l" not in page
    assert "Découvrir toutes les créations" in page


def test_the_card_links_once_and_shows_what_one_compares(client: Client, pieces: list[Product]) -> None:
    page = read(client, "/produits")
    card = re.search(r'<article class="card.*?</article>', page, re.S)
    assert card is not None
    assert card[0].count("<a ") == 1
    assert "Mangas" in card[0]
    text = re.sub(r"[ \n]+", " ", re.sub(r"<[^>]+>", "", card[0]))
    assert "de 42,00\u00a0€ à 80,00\u00a0€" in text
    assert re.search(r"Chez vous (au plus tard le|avant Noël si commandé avant le) \d+", text)


def test_a_struck_price_is_named_for_who_does_not_see_it() -> None:
    with translation.override("fr"):
        shown = render_to_string(
            "components/price.html",
            {"price": "29.00", "price_to": None, "original_price": "35.00", "css": ""},
        )
    assert '<span class="price ">29,00\u00a0€</span>' in shown
    assert (
        '<s class="price-was"><span class="visually-hidden">Ancien prix\u00a0: </span>35,00\u00a0€</s>'
        in shown
    )


def test_the_payment_page_without_a_session_confirms_nothing(client: Client) -> None:
    page = read(client, "/payment-success")
    assert "Aucun paiement à vérifier" in page
    assert reverse("orders:cart") in page
    assert f"{reverse('members')}?tab=orders" in page
    assert "<x-island" not in page


@pytest.mark.parametrize("path", ["/panier", "/checkout"])
def test_cart_and_checkout_say_that_they_need_javascript(client: Client, path: str) -> None:
    page = read(client, path)
    assert "Cette page a besoin de JavaScript" in page.split("<noscript>")[1].split("</noscript>")[0]


def test_the_checkout_leads_nowhere_else(client: Client) -> None:
    page = read(client, "/checkout")
    assert "menu-produits" not in page
    assert "cart-count" not in page


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("errors/403.html", "Accès refusé"),
        ("errors/404.html", "Page introuvable"),
        ("errors/404-product.html", "Produit introuvable"),
        ("errors/429.html", "Trop de tentatives"),
    ],
)
def test_error_pages(name: str, title: str) -> None:
    request: Any = RequestFactory().get("/nulle-part")
    request.user = AnonymousUser()
    page = render_to_string(name, request=request)
    assert f'<h1 class="narrow-sheet__title">{title}</h1>' in page
    assert '<meta name="robots" content="noindex">' in page
    assert "canonical" not in page
    assert reverse("catalog:list") in page


def test_social_links_are_those_of_the_settings(client: Client, run_on_commit: Any) -> None:
    assert "Instagram" not in read(client, "/contact")
    with run_on_commit():
        save_shop_settings(ShopSettings(instagram_url="https://instagram.example.com/etabli"))
    # Header of a wide screen, side menu, contact page, footer.
    page = read(client, "/contact")
    assert page.count('href="https://instagram.example.com/etabli"') == 4
    assert "Facebook" not in page
