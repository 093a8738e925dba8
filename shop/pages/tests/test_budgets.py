"""What the pages that most visitors see may cost: the table in docs/performance.md, counted, without a clock."""

import gzip
import json
import re
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from blog.selectors import articles
from blog.selectors.articles import article_url
from blog.tests.articles import make_article, make_picture
from catalog.models import CategoryKind
from catalog.selectors import listing
from catalog.selectors.addresses import product_url
from catalog.tests.factories import make_category, make_finish_category, make_image, make_product
from orders.tests.factories import make_zones
from shop.core.fragment_cache import FragmentCache
from shop.pages.services.content import load_texts

# Numbers from 1 on: the more digits the ones of earlier tests had left, the longer every address of a page.
pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True, reset_sequences=True)]

PAGES = ("home", "list", "product", "blog", "article")
COLUMNS = ("queries", "queries again", "requests", "HTML KB", "gzip KB")
DOCUMENT = settings.BASE_DIR / "docs" / "performance.md"
SCRIPTS = settings.BASE_DIR / "frontend_islands" / "checks" / "pages.json"
TEASER = "Résine grise, socle compris, peinte à la main couche après couche à l'atelier."


def budgets() -> dict[str, dict[str, int]]:
    """The table's rows, by page."""
    rows = re.findall(r"^\| (\w+) \|([\d |]+)\|$", DOCUMENT.read_text(encoding="utf-8"), re.M)
    return {name: dict(zip(COLUMNS, map(int, cells.split("|")), strict=True)) for name, cells in rows}


@pytest.fixture
def addresses() -> dict[str, str]:
    """A full page of pieces with two photos each, all in every width, as the demonstration has them."""
    load_texts()
    make_zones()
    mangas = make_finish_category("mangas")
    for number in range(8):
        make_category(f"rayon-{number}", position=number)
    for number in range(listing.PAGE_SIZE + 6):
        piece = make_product(
            f"Figurine au nom assez long {number}",
            category=mangas,
            unpainted_price="32.00",
            description=TEASER,
            full_description=f"{TEASER}\n\n" * 6,
            featured=number < 6,
        )
        for position in (1, 2):
            name = f"{number:031x}{position}"
            make_image(
                piece,
                position,
                file=f"products/{name}.jpg",
                alt=f"{piece.name}, photo {position}",
                derivatives={"widths": [360, 768, 1024, 1440]},
            )
    for number in range(articles.PAGE_SIZE + 2):
        article = make_article(
            f"Un titre assez long pour tenir sur deux lignes {number}",
            content_fr=f"## Un chapitre\n\n{TEASER}\n\n" * 8,
            tags=["résine", "débuter"],
            cover=make_picture(f"atelier-{number}").pk,
            products=[piece.pk],
        )
    cache.clear()
    return {
        "home": "/",
        "list": "/produits",
        "product": product_url(piece),
        "blog": "/blog",
        "article": article_url(article),
    }


@pytest.fixture
def forget(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Empties every cache of pages and of their fragments, which are on."""
    monkeypatch.setattr(settings, "FRAGMENT_CACHE_SECONDS", 60)

    def empty() -> None:
        monkeypatch.setattr("shop.core.fragment_cache._fragments", FragmentCache(500))
        monkeypatch.setattr("shop.core.fragment_cache._listings", FragmentCache(50))
        cache.clear()

    empty()
    yield empty
    cache.clear()


def requests_of(html: str) -> int:
    """The page itself, and what a browser fetches before the visitor moves: styles, scripts, fonts, the pictures that
    are not lazy, the drawn signs."""
    links = re.findall(r'<link rel="(?:stylesheet|preload|modulepreload)"[^>]*href="([^"]+)"', html)
    scripts = re.findall(r'<script[^>]*src="([^"]+)"', html)
    pictures = [
        re.search(r'src="([^"]+)"', tag)[1]
        for tag in re.findall(r"<img[^>]*>", html)
        if 'loading="lazy"' not in tag
    ]
    signs = re.findall(r'<use href="([^"#]+)#', html)
    return 1 + len({*links, *scripts, *pictures, *signs})


def test_pages_cost_what_the_table_allows(
    client: Client, addresses: dict[str, str], forget: Callable[[], None]
):
    allowed = budgets()
    costs = {}
    for name in PAGES:
        forget()
        with CaptureQueriesContext(connection) as first:
            html = client.get(addresses[name]).content
        with CaptureQueriesContext(connection) as again:
            client.get(f"{addresses[name]}?utm_source=letter")
        costs[name] = {
            "queries": len(first),
            "queries again": len(again),
            "requests": requests_of(html.decode()),
            "HTML KB": -(-len(html) // 1024),
            "gzip KB": -(-len(gzip.compress(html, 5)) // 1024),
        }
    found = {(name, column): value for name, cost in costs.items() for column, value in cost.items()}
    assert {where: value for where, value in found.items() if value > allowed[where[0]][where[1]]} == {}
    # A budget twice as large as what it holds would hold nothing.
    assert {where: value for where, value in found.items() if 2 * value < allowed[where[0]][where[1]]} == {}


def test_a_collection_reads_the_categories_once(
    client: Client, addresses: dict[str, str], forget: Callable[[], None]
):
    make_product("Boule", category=make_category("noel", kind=CategoryKind.COLLECTION))
    forget()
    with CaptureQueriesContext(connection) as queries:
        client.get("/noel")
    assert sum('ORDER BY "catalog_category"."position"' in query["sql"] for query in queries) == 1


def test_pages_have_the_styles_and_islands_whose_weight_is_checked(client: Client, addresses: dict[str, str]):
    """`npm run check:size` weighs what is listed there."""
    listed = json.loads(SCRIPTS.read_text(encoding="utf-8"))
    for name in PAGES:
        html = client.get(addresses[name]).content.decode()
        found = sorted(set(re.findall(r'<x-island name="([^"]+)"', html)))
        assert (name, found) == (name, sorted(listed[name]["islands"]))
        styles = re.findall(r'<link rel="stylesheet" href="/static/build/(\w+)-', html)
        assert (name, styles) == (name, ["app", listed[name]["styles"]])


def test_every_page_stands_in_the_table():
    assert set(budgets()) == set(PAGES)
