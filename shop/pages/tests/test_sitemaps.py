"""What search engines are asked to read, and not to."""

import re
from xml.etree import ElementTree

import pytest
from django.templatetags.static import static
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from catalog.models import CategoryKind
from catalog.selectors import addresses as product_addresses
from catalog.tests.factories import make_category, make_image, make_product

pytestmark = pytest.mark.django_db

PICTURE = "{http://www.google.com/schemas/sitemap-image/1.1}"
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def entries(client: Client, path: str) -> list[ElementTree.Element]:
    return ElementTree.fromstring(client.get(path).getvalue()).findall(f"{SITEMAP}url")


def addresses(client: Client, path: str) -> list[str]:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/xml; charset=utf-8"
    tree = ElementTree.fromstring(answer.getvalue())
    return [location.text or "" for location in tree.iter(f"{SITEMAP}loc")]


def test_the_icon_is_found_where_it_is_looked_for(client: Client) -> None:
    answer = client.get("/favicon.ico")
    assert (answer.status_code, answer["Location"]) == (302, static("favicon.ico"))
    assert answer["Cache-Control"] == "public, max-age=86400"


def test_robots_closes_what_belongs_to_one_visitor(client: Client) -> None:
    text = client.get("/robots.txt").content.decode()
    assert "Disallow: /favoris$\nDisallow: /favoris/\nDisallow: /favoris?\n" in text
    # The same bytes for everybody: what is in a cart stands in the browser.
    assert "panier" not in text
    assert "checkout" not in text
    assert "Disallow: /de/kundenkonto/\n" in text
    assert "Disallow: /api/\n" in text
    assert "/de/api/" not in text
    assert text.endswith("Sitemap: http://localhost:8000/sitemap.xml\n")
    # The administration's address is a secret that this file would give away.
    assert "gestion" not in text


def test_robots_closes_no_collection_that_begins_as_a_page_of_one_visitor(client: Client) -> None:
    category = make_category("authentiques", slug_es="accesorios", kind=CategoryKind.COLLECTION)
    make_product(category=category)
    closed = [
        rule.removeprefix("Disallow: ") for rule in client.get("/robots.txt").content.decode().split("\n")
    ]
    listed = [
        address.removeprefix("http://localhost:8000") for address in addresses(client, "/sitemap-pages.xml")
    ]
    assert {"/authentiques", "/es/accesorios"} <= {*listed}
    for path in listed:
        assert [rule for rule in closed if rule.startswith("/") and path.startswith(rule)] == [], path
    for path in ("/es/acceso$", "/es/acceso/nueva-contrasena", "/es/acceso?next=/es"):
        assert [rule for rule in closed if rule.startswith("/") and path.startswith(rule)], path


def test_the_index_grows_with_the_catalogue(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert addresses(client, "/sitemap.xml") == ["http://localhost:8000/sitemap-pages.xml"]
    monkeypatch.setattr(product_addresses, "SITEMAP_SIZE", 2)
    for number in range(3):
        make_product(f"Pièce {number}")
    assert addresses(client, "/sitemap.xml") == [
        "http://localhost:8000/sitemap-pages.xml",
        "http://localhost:8000/sitemap-products-1.xml",
        "http://localhost:8000/sitemap-products-2.xml",
    ]
    assert len(addresses(client, "/sitemap-products-1.xml")) == 2 * 4
    assert len(addresses(client, "/sitemap-products-2.xml")) == 1 * 4
    assert client.get("/sitemap-products-3.xml").status_code == 404
    assert client.get("/sitemap-products-0.xml").status_code == 404


@pytest.mark.both_engines
def test_products_are_listed_in_every_language(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    product = make_product("Ours & Cie", name_de="Bär & Co", slug_fr="ours-et-cie", slug_de="baer-und-co")
    make_product("Brouillon", is_published=False)
    # The count of products, their rows, their pictures.
    with django_assert_num_queries(3):
        found = addresses(client, "/sitemap-products-1.xml")
    assert found[0] == f"http://localhost:8000/produit/{product.pk}-ours-et-cie"
    assert found[3] == f"http://localhost:8000/de/produkt/{product.pk}-baer-und-co"
    # Every address answers as it is: none is redirected.
    for address in found:
        assert client.get(address.removeprefix("http://localhost:8000")).status_code == 200
    text = client.get("/sitemap-products-1.xml").getvalue().decode()
    assert re.search(r"<lastmod>\d{4}-\d\d-\d\d</lastmod>", text)
    assert text.count('hreflang="de"') == 4
    french = f'hreflang="x-default" href="http://localhost:8000/produit/{product.pk}-ours-et-cie"'
    assert text.count(french) == 4


def test_products_bring_their_pictures(client: Client) -> None:
    product = make_product("Ours")
    make_image(product, 2)
    make_image(product, 1)
    make_product("Sans photo")
    first, *others = entries(client, "/sitemap-products-1.xml")
    assert [picture.text for picture in first.findall(f"{PICTURE}image/{PICTURE}loc")] == [
        f"http://localhost:8000/media/products/{product.pk}-1.jpg",
        f"http://localhost:8000/media/products/{product.pk}-2.jpg",
    ]
    # The same in each of its four languages; the other product has none.
    assert [len(other.findall(f"{PICTURE}image")) for other in others] == [2, 2, 2, 0, 0, 0, 0]


def test_a_file_of_products_is_read_in_parts(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(product_addresses, "_BATCH", 2)
    for number in range(5):
        make_image(make_product(f"Pièce {number}"), 1)
    found = entries(client, "/sitemap-products-1.xml")
    assert len(found) == 5 * 4
    assert all(len(entry.findall(f"{PICTURE}image")) == 1 for entry in found)


def test_pages_bring_the_pictures_of_their_templates(client: Client) -> None:
    home = entries(client, "/sitemap-pages.xml")[0]
    assert home.findtext(f"{SITEMAP}loc") == "http://localhost:8000/"
    [scene] = [picture.text or "" for picture in home.iter(f"{PICTURE}loc")]
    assert re.fullmatch(r"http://localhost:8000/static/scenes/yeux-1280[.0-9a-f]*\.jpg", scene)
    assert scene.removeprefix("http://localhost:8000") in client.get("/").content.decode()


def test_pages_and_filled_categories_are_listed(client: Client) -> None:
    make_product("Lame", category=make_category("mangas", name_fr="Mangas"))
    make_category("vide", name_fr="Vide")
    make_product("Boule", category=make_category("noel", name_fr="Noël", kind="collection"))
    found = addresses(client, "/sitemap-pages.xml")
    assert "http://localhost:8000/" in found
    assert "http://localhost:8000/es" in found
    assert "http://localhost:8000/noel" in found
    assert "http://localhost:8000/produits?category=mangas" in found
    assert not [address for address in found if "vide" in address]
    for address in found:
        assert client.get(address.removeprefix("http://localhost:8000")).status_code == 200
