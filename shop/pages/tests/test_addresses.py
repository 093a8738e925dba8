"""Addresses of the pages in every language."""

from urllib.parse import unquote

import pytest
from django.test import Client
from django.urls import resolve, reverse, translate_url
from django.utils import translation


@pytest.mark.parametrize(("language", "path"), [("fr", "/"), ("en", "/en"), ("es", "/es"), ("de", "/de")])
def test_the_home_page_has_no_trailing_slash(language: str, path: str) -> None:
    with translation.override(language):
        assert reverse("home") == path
        assert resolve(path).view_name == "home"


@pytest.mark.parametrize(
    ("path", "language", "expected"),
    [
        ("/", "en", "/en"),
        ("/de", "fr", "/"),
        ("/de", "es", "/es"),
        ("/produits", "de", "/de/produkte"),
        ("/en/terms-of-sale", "fr", "/cgv"),
    ],
)
def test_pages_know_their_address_in_other_languages(path: str, language: str, expected: str) -> None:
    with translation.override(path[1:3] if path[1:3] in ("en", "es", "de") else "fr"):
        assert translate_url(path, language) == expected


def test_a_word_that_begins_like_a_language_is_no_home_page(client: Client, db: None) -> None:
    assert client.get("/encore").status_code == 404
    assert client.get("/english").status_code == 404


@pytest.mark.parametrize(
    ("path", "own"),
    [
        ("/EN", "/en"),
        ("/De/warenkorb", "/de/warenkorb"),
        ("/EN/panier?a=b", "/en/cart?a=b"),
        ("/FR/panier", "/panier"),
        ("/Fr", "/"),
    ],
)
def test_capitals_in_the_prefix_of_a_language_lead_to_the_page(
    client: Client, db: None, path: str, own: str
) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer["Location"]) == (301, own)


def test_what_is_nothing_after_capitals_is_not_found_in_that_language(client: Client, db: None) -> None:
    for path in ("/EN/nothing", "/eN-gb", "/DE/nothing/at/all"):
        answer = client.get(path)
        assert answer.status_code == 404, path
        assert f'<html lang="{path[1:3].lower()}"' in answer.content.decode()


@pytest.mark.parametrize(
    ("prefix", "terms"),
    [("", "/cgv"), ("/en", "/en/terms-of-sale"), ("/es", "/es/condiciones-de-venta"), ("/de", "/de/agb")],
)
def test_the_long_name_of_the_terms_redirects(client: Client, prefix: str, terms: str) -> None:
    answer = client.get(f"{prefix}/conditions-generales-vente")
    assert (answer.status_code, answer["Location"]) == (301, terms)


@pytest.mark.parametrize(
    ("link", "page"),
    [
        ("/de/zahlung/abc-d_e).", "/de/zahlung/abc-d_e"),
        ("/auth/confirmation/abc%0D%0A", "/auth/confirmation/abc"),
        ("/newsletter/desinscription?lettre=3&cle=abc%3E", "/newsletter/desinscription?lettre=3&cle=abc"),
        ("/effacement?cle=abc:1:d.", "/effacement?cle=abc:1:d"),
        ("//evil.example/abc.", "/evil.example/abc"),
    ],
)
def test_what_a_mail_left_behind_a_link_is_taken_away(client: Client, link: str, page: str) -> None:
    path, _mark, query = link.partition("?")
    answer = client.get("/", PATH_INFO=unquote(path), QUERY_STRING=query)
    assert (answer.status_code, answer["Location"]) == (301, page)


@pytest.mark.parametrize("address", ["/produits?search=golem!", "/effacement?cle=abc&x=1.", "/api/inconnu."])
def test_what_is_searched_or_called_is_left_as_it_is(client: Client, db: None, address: str) -> None:
    assert client.get(address).status_code != 301
