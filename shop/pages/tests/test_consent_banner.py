"""What pages say of services of other companies: nothing without an id, the same to everybody, and never on private
pages."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.core.cache import cache
from django.test import Client

from accounts.tests.people import make_member
from orders.tests.factories import make_order, make_product, make_zones
from shop.consent.registry import THIRD_PARTIES
from shop.consent.selectors import configured_services, consent_version, offered_categories
from shop.core.models import ShopSettings
from shop.core.shop_settings import save_shop_settings

pytestmark = pytest.mark.django_db

ANALYTICS, PIXEL = "G-AB12CD34EF", "123456789012345"
ELSEWHERE = re.compile(r"google|facebook|G-AB12|123456789012345")


@pytest.fixture(autouse=True)
def _zones() -> None:
    make_zones()


def set_ids(**ids: str) -> None:
    save_shop_settings(ShopSettings(**ids))
    cache.clear()


def page(address: str, client: Client | None = None) -> tuple[str, str]:
    """The page and its content security policy."""
    answer = (client or Client()).get(address)
    assert answer.status_code == 200
    return answer.content.decode(), answer.headers["Content-Security-Policy"]


def attributes(html: str) -> dict[str, str]:
    tag = re.search(r'<template id="consent"([^>]*)>', html)
    return dict(re.findall(r'data-([\w-]+)="([^"]*)"', tag[1])) if tag else {}


def test_without_an_id_nothing_is_asked_and_nothing_allowed():
    html, policy = page("/")
    assert "consent.js" not in html
    assert "consent-K" not in html
    assert attributes(html) == {}
    assert not ELSEWHERE.search(policy)


def test_each_id_asks_for_its_category_and_allows_its_hosts_alone():
    set_ids(analytics_id=ANALYTICS)
    html, policy = page("/")
    assert attributes(html)["offered"] == "analytics"
    # One script for both: the question and what every page has.
    assert re.findall(r'data-runtime="/static/build/(\w+)-\w+\.js', html) == ["consent"]
    assert "https://www.googletagmanager.com" in policy
    assert "facebook" not in policy
    assert 'name="analytics"' in html
    assert 'name="marketing"' not in html

    set_ids(pixel_id=PIXEL)
    html, policy = page("/")
    assert attributes(html)["offered"] == "marketing"
    # What the service before it left is deleted all the same.
    assert attributes(html)["stored-analytics"] == "_ga _ga_* "
    assert "https://connect.facebook.net" in policy
    assert "google" not in policy


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("/", "d'autres entreprises\xa0: mesure d'audience (Google Analytics) et publicité (Meta Pixel)."),
        ("/en", "other companies: audience measurement (Google Analytics) and advertising (Meta Pixel)."),
        ("/es", "otras empresas: medición de audiencia (Google Analytics) y publicidad (Meta Pixel)."),
        ("/de", "anderer Unternehmen: Reichweitenmessung (Google Analytics) und Werbung (Meta Pixel)."),
    ],
)
def test_the_question_names_categories_as_its_sentence_goes_on(address, sentence):
    set_ids(analytics_id=ANALYTICS, pixel_id=PIXEL)
    assert sentence in unescape(page(address)[0])


def test_the_policy_is_the_registered_hosts_and_the_shop_s_own():
    own = page("/")[1]
    set_ids(analytics_id=ANALYTICS, pixel_id=PIXEL)
    directives = dict(each.strip().split(" ", 1) for each in page("/")[1].split(";"))
    for name, sources in (each.strip().split(" ", 1) for each in own.split(";")):
        expected = {host for party in THIRD_PARTIES for host in party.hosts.get(name, ())}
        assert set(directives[name].split()) == set(sources.split()) | expected


@pytest.mark.parametrize(
    ("address", "title", "event"),
    [
        ("/", "Accueil", ""),
        ("/de", "Accueil", ""),
        ("/produits", "Catalogue Produits", "ViewContent"),
        ("/en/products?search=fox", "Catalogue Produits", "ViewContent"),
        ("/contact", "Contact", "Contact"),
        ("/es/contacto", "Contact", "Contact"),
        ("/faq", "Autres pages", ""),
        ("/panier", "Autres pages", ""),
        ("/politique-cookies", "Autres pages", ""),
    ],
)
def test_a_page_is_named_and_reported_alike_in_every_language(address, title, event):
    set_ids(analytics_id=ANALYTICS, pixel_id=PIXEL)
    found = attributes(page(address)[0])
    assert (found["title"], found["event"]) == (title, event)
    assert (found["analytics"], found["marketing"]) == (ANALYTICS, PIXEL)


def test_a_product_s_page_is_a_detail():
    set_ids(analytics_id=ANALYTICS)
    answer = Client().get(f"/produit/{make_product(name='Renard').pk}-renard")
    found = attributes(answer.content.decode())
    assert (found["title"], found["event"]) == ("Détail Produit", "ViewContent")


def test_private_pages_ask_and_are_never_measured():
    set_ids(analytics_id=ANALYTICS, pixel_id=PIXEL)
    client = Client()
    client.force_login(make_member("lea@example.com"))
    order = make_order()
    for address in ("/auth", "/espace-membre", "/suivi-commande", f"/commande/{order.pk}"):
        answer = client.get(address)
        assert not ELSEWHERE.search(answer.headers["Content-Security-Policy"]), address
        if answer.status_code == 200:
            found = attributes(answer.content.decode())
            assert found["offered"] == "analytics marketing", address
            assert not {"analytics", "marketing", "title", "event"} & found.keys(), address


def test_the_page_is_the_same_whatever_the_visitor_chose():
    set_ids(analytics_id=ANALYTICS, pixel_id=PIXEL)
    chosen = Client()
    chosen.cookies["_ga"] = "GA1.1.1"
    assert page("/", chosen) == page("/")


def test_the_server_sends_no_tag_of_another_company():
    set_ids(analytics_id=ANALYTICS, pixel_id=PIXEL)
    html, _policy = page("/")
    loaded = re.findall(r'<(?:script|img|iframe|link)\b[^>]*(?:src|href)="((?:https?:)?//[^"]+)"', html)
    assert [address for address in loaded if not address.startswith("http://localhost:8000")] == []
    assert "<noscript" not in html


def test_the_buttons_to_accept_and_to_refuse_are_alike():
    set_ids(analytics_id=ANALYTICS)
    html, _policy = page("/")
    for text in ("Tout refuser", "Tout accepter"):
        assert re.search(rf'<button class="button" type="button" data-choice="\w+">{text}</button>', html)
    assert 'data-choice="refuse" aria-label="Fermer et tout refuser"' in html


@pytest.mark.parametrize(
    "wrong", ["UA-12345-1", "G-", "g-ab12cd34ef", 'G-AB12"><script>', "12345", "1234567890123456789"]
)
def test_an_id_of_another_form_loads_nothing(wrong):
    shop = ShopSettings(analytics_id=wrong, pixel_id=wrong)
    assert configured_services(shop) == ()


def test_the_environment_stands_in_for_an_empty_sheet(settings):
    settings.ANALYTICS_ID = ANALYTICS
    assert [each.key for each in configured_services(ShopSettings())] == [ANALYTICS]
    assert [each.key for each in configured_services(ShopSettings(analytics_id="G-ZZ99ZZ99ZZ"))] == [
        "G-ZZ99ZZ99ZZ"
    ]


def test_another_service_is_another_question_another_id_is_not():
    first = configured_services(ShopSettings(analytics_id=ANALYTICS))
    other_id = configured_services(ShopSettings(analytics_id="G-ZZ99ZZ99ZZ"))
    both = configured_services(ShopSettings(analytics_id=ANALYTICS, pixel_id=PIXEL))
    assert consent_version(first) == consent_version(other_id)
    assert consent_version(first) != consent_version(both)
    assert offered_categories(both) == ("analytics", "marketing")
