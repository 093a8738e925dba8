"""What the head of every public page tells search engines and link previews: its one address, its other languages,
its title and summary, its picture."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from django.template import Context, Template
from django.test import Client

from catalog.models import Product
from catalog.services.products import save_product
from shop.pages.tests.reading import Document
from shop.pages.tests.whole_shop import NAMES, WholeShop

pytestmark = pytest.mark.django_db

LANGUAGES = ("fr", "en", "es", "de")
LOCALES = {"fr": "fr_FR", "en": "en_GB", "es": "es_ES", "de": "de_DE"}
SITE = "http://localhost:8000"


@cache
def read(path: str) -> Document:
    """A page of the whole shop; drawn once, for no test reads one that it changed."""
    answer = Client().get(path)
    assert answer.status_code == 200, path
    return Document(answer.content.decode())


def alternates(page: Document) -> dict[str, str]:
    links = [link for link in page.links("alternate") if "hreflang" in link.attributes]
    found = {link.attributes["hreflang"]: link.attributes["href"] for link in links}
    assert len(found) == len(links)
    return found


def test_the_languages_of_every_page_name_each_other(whole_shop: WholeShop) -> None:
    for kind, start in whole_shop.pages("fr").items():
        named = alternates(read(start))
        assert set(named) == {*LANGUAGES, "x-default"}, kind
        assert named["x-default"] == named["fr"] == f"{SITE}{start}"
        assert len(set(named.values())) == 4
        for language in LANGUAGES:
            page = read(named[language].removeprefix(SITE))
            # Each says the same of all, is none of the others' copies, and is written in its language.
            assert alternates(page) == named, (kind, language)
            assert page.links("canonical")[0].attributes["href"] == named[language]
            assert page.meta("og:url") == [named[language]]
            assert page.first("html").attributes["lang"] == language


def test_whatever_else_an_address_carries_the_page_has_one_name(whole_shop: WholeShop) -> None:
    pages = whole_shop.pages("de")
    for path, own in (
        (f"{pages['home']}?utm_source=x", pages["home"]),
        (f"{pages['list']}?page=1", pages["list"]),
        (f"{pages['list']}?sort=price", pages["list"]),
        (f"{pages['list']}?page=2&category=mangas&utm_campaign=y", pages["second page of a category"]),
        (f"{pages['product']}?finition=unpainted", pages["product"]),
        (f"{pages['contact']}?devis=1", pages["contact"]),
    ):
        page = read(path)
        assert [link.attributes["href"] for link in page.links("canonical")] == [f"{SITE}{own}"]
        assert alternates(page)["de"] == f"{SITE}{own}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_titles_and_summaries_are_there_and_unlike(whole_shop: WholeShop, language: str) -> None:
    titles: Counter[str] = Counter()
    summaries: dict[str, str] = {}
    pages = whole_shop.pages(language) | whole_shop.buying_pages(language)
    for kind, path in pages.items():
        page = read(path)
        [title] = page.all("title")
        titles[title.text.casefold()] += 1
        [summary] = page.meta("description")
        assert page.meta("og:description") == [summary]
        assert 10 <= len(summary) <= 320, (kind, summary)
        summaries[kind] = summary
        assert "<" not in summary
        assert page.meta("og:locale") == [LOCALES[language]]
        assert set(page.meta("og:locale:alternate")) == set(LOCALES.values()) - {LOCALES[language]}
        assert page.meta("robots") == [], kind
    assert [title for title, count in titles.items() if count > 1] == []
    for kind in whole_shop.buying_pages(language):
        assert list(summaries.values()).count(summaries[kind]) == 1, kind


def test_a_long_summary_ends_with_a_whole_word() -> None:
    drawn = Template("{% load seo %}{% summary %}{{ text }}{% endsummary %}")
    page = Document(drawn.render(Context({"text": "L'atelier & ses <pots> :\n" + "peinture " * 20})))
    text = "L'atelier & ses <pots> :" + " peinture" * 14 + "…"
    assert (page.meta("description"), page.meta("og:description")) == ([text], [text])
    assert len(text) == 151


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_has_a_picture_to_share(whole_shop: WholeShop, language: str) -> None:
    for kind, path in whole_shop.pages(language).items():
        page = read(path)
        [address] = page.meta("og:image")
        assert address.startswith(f"{SITE}/")
        assert address.endswith(".jpg")
        [width], [height] = page.meta("og:image:width"), page.meta("og:image:height")
        assert int(width) >= 600, kind
        assert int(height) >= 315
        [alt] = page.meta("og:image:alt")
        assert len(alt) > 3, kind
    page = read(whole_shop.pages(language)["product"])
    assert page.meta("og:image") == [f"{SITE}/media/products/{whole_shop.blade.pk}-1.jpg"]
    assert (page.meta("og:image:width"), page.meta("og:image:height")) == (["1200"], ["900"])
    assert page.meta("product:price:amount") == ["129.00"]
    assert page.meta("og:title") == [NAMES[language]]


def test_pages_of_one_visitor_are_not_indexed(client: Client, whole_shop: WholeShop) -> None:
    robots = client.get("/robots.txt").content.decode()
    for language in LANGUAGES:
        for kind, path in whole_shop.closed_pages(language).items():
            [rule] = read(path).meta("robots")
            assert rule.startswith("noindex"), (kind, language)
            assert kind == "search" or f"Disallow: {path}$\n" in robots, path
        for path in (whole_shop.pages(language) | whole_shop.buying_pages(language)).values():
            assert f"Disallow: {path}\n" not in robots
            assert f"Disallow: {path}$\n" not in robots
            assert "X-Robots-Tag" not in client.get(path), path


def test_each_language_has_its_own_name_in_the_address(client: Client, whole_shop: WholeShop) -> None:
    slugs = {
        language: whole_shop.pages(language)["product"].rpartition(f"{whole_shop.blade.pk}-")[2]
        for language in LANGUAGES
    }
    assert slugs == {
        "fr": "lame-dautomne",
        "en": "autumn-blade",
        "es": "hoja-de-otono",
        "de": "herbstklinge",
    }
    # Another language's name is not this page's: it is sent to its own.
    answer = client.get(f"/de/produkt/{whole_shop.blade.pk}-autumn-blade")
    assert (answer.status_code, answer["Location"]) == (301, whole_shop.pages("de")["product"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_old_name_leads_to_the_new_one(client: Client, whole_shop: WholeShop, language: str) -> None:
    old = whole_shop.pages(language)["product"]
    blade = Product.objects.get(pk=whole_shop.blade.pk)
    setattr(blade, f"slug_{language}", f"nouveau-{language}")
    save_product(product=blade)
    new = whole_shop.pages(language)["product"].replace(old.rpartition("-")[2], "")
    answer = client.get(f"{old}?finition=unpainted")
    assert answer.status_code == 301
    assert answer["Location"] == f"{new.rpartition('/')[0]}/{blade.pk}-nouveau-{language}?finition=unpainted"
    assert client.get(answer["Location"]).status_code == 200
    # The other languages keep theirs.
    other = "de" if language == "fr" else "fr"
    assert client.get(whole_shop.pages(other)["product"]).status_code == 200


def test_the_sitemaps_list_every_page(client: Client, whole_shop: WholeShop) -> None:
    listed = "".join(
        client.get(path).getvalue().decode() for path in ("/sitemap-pages.xml", "/sitemap-products-1.xml")
    )
    for language in LANGUAGES:
        for kind, path in whole_shop.pages(language).items():
            # Further pages of a list are found from the first; a collection without a piece waits for one.
            expected = not kind.startswith("second page") and kind != "empty collection"
            assert (f"<loc>{SITE}{path}</loc>" in listed) is expected, path
        unlisted = whole_shop.buying_pages(language) | whole_shop.closed_pages(language)
        for path in unlisted.values():
            assert f"<loc>{SITE}{path}</loc>" not in listed
