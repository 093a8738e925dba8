"""The blog's pages: addresses, languages, states, queries, what search engines and readers of feeds are told."""

import json
import re
from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

import pytest
import time_machine
from django.conf import settings
from django.core import signing
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from blog.models import Article
from blog.selectors.articles import PAGE_SIZE
from blog.selectors.previews import preview_url
from blog.services.publication import publish_article, trash_articles
from blog.tests.articles import make_article, make_draft, make_picture
from catalog.tests.factories import make_image, make_product
from shop.core.content_version import content_changed
from shop.core.fragment_cache import FragmentCache
from shop.core.models import ShopSettings
from shop.core.shop_settings import renew_link_salt

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 5, 27, 8, 0, tzinfo=UTC)
# The closure, the delivery line (zones with their rates, countries without delivery), the menu and the season's entry
# in the header of every page.
HEADER_QUERIES = 5
GERMAN = {
    "title_de": "Harz schleifen",
    "excerpt_de": "Drei Körnungen.",
    "content_de": "Beginnen Sie mit 400.",
}


def data_of(html: str, kind: str) -> dict:
    blocks = [json.loads(text) for text in re.findall(r'ld\+json">(.*?)</script>', html)]
    return next(block for block in blocks if block["@type"] == kind)


def test_a_new_article_is_begun_from_the_sidebar_by_admins_alone(client):
    head, sidebar = client.get("/blog").content.decode().split("<aside", 1)
    assert ("/admin/blog/new" in head, sidebar.count("Écrire un nouvel article")) == (False, 1)
    box = re.search(r"<member-link>(.*?)</member-link>", sidebar)
    assert box is not None
    # Both the box and its button wait for the role.
    assert box[1].count('data-role="admin" hidden') == 2


def test_the_list_shows_what_is_published_newest_first_with_counts(client):
    make_article("Ancien", at=NOW - timedelta(days=9), category="techniques", tags=["Résine", "Jinx"])
    make_article("Nouveau", at=NOW - timedelta(days=2), category="techniques")
    make_article("Programmé", at=NOW + timedelta(days=2))
    make_draft("Brouillon")
    with time_machine.travel(NOW, tick=False):
        response = client.get("/blog")
    html = response.content.decode()
    assert [card.title for card in response.context["page"].object_list] == ["Nouveau", "Ancien"]
    assert [(entry.label, entry.count) for entry in response.context["categories"]] == [
        ("Présentation", 0),
        ("Techniques", 2),
        ("Collection", 0),
        ("Actualités", 0),
    ]
    assert [(tag.name, tag.url) for tag in response.context["tags"]] == [
        ("Jinx", "/blog?tag=jinx"),
        ("Résine", "/blog?tag=resine"),
    ]
    assert "25\xa0mai 2026" in html
    assert "1\u00a0min de lecture" in html
    assert "Brouillon" not in html
    assert "Programmé" not in html


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("categorie=techniques", ["Un"]),
        ("tag=resine", ["Deux", "Un"]),
        ("categorie=techniques&tag=resine", ["Un"]),
        ("categorie=collection", []),
    ],
)
def test_categories_and_tags_filter(client, query, titles):
    make_article("Un", category="techniques", tags=["Résine"], at=NOW - timedelta(days=9))
    make_article("Deux", tags=["Résine"], at=NOW - timedelta(days=8))
    response = client.get(f"/blog?{query}")
    assert [card.title for card in response.context["page"].object_list] == titles
    assert ("noindex" in response.content.decode()) is ("tag=" in query)


@pytest.mark.parametrize("query", ["categorie=cuisine", "tag=inconnu", "page=2", "page=0", "page=x"])
def test_an_unknown_category_tag_or_page_is_not_found(client, query):
    make_article()
    assert client.get(f"/blog?{query}").status_code == 404


def test_an_empty_blog_leads_to_the_shop(client):
    html = client.get("/blog").content.decode()
    assert "Le premier article est encore sous presse" in html
    assert 'href="/produits"' in html


def test_pages_of_the_list(client):
    for number in range(PAGE_SIZE + 1):
        make_article(f"Article {number}", at=NOW - timedelta(days=number + 1))
    html = client.get("/blog?page=2").content.decode()
    assert f"Article {PAGE_SIZE}" in html
    assert '<link rel="canonical" href="http://localhost:8000/blog?page=2">' in html


@pytest.mark.both_engines
def test_the_list_costs_six_queries_whatever_is_on_it(client, django_assert_num_queries):
    for number in range(3):
        make_article(
            f"Article {number}", tags=["Résine", f"mot {number}"], cover=make_picture(f"{number}").pk
        )
    client.get("/blog")
    cache.clear()
    content_changed()
    # Count, articles with their covers, their tags, categories, tags, the shop's settings.
    with django_assert_num_queries(HEADER_QUERIES + 6):
        client.get("/blog")


@pytest.mark.both_engines
def test_an_article_costs_seventeen_queries_whatever_stands_around_it(client):
    piece, cited = make_product("Golem"), make_product("Hibou")
    for one in (piece, cited):
        make_image(one)
    cover, inside = make_picture("a"), make_picture("b")
    article = make_article(
        content_fr=f"## Un\n\n![x](/media/blog/{inside.file.name[5:]})\n\n[Hibou](/produit/{cited.pk})",
        tags=["Résine"],
        products=[piece.pk],
        cover=cover.pk,
        at=NOW,
    )
    for day in range(1, 5):
        make_article(f"Avant {day}", tags=["Résine"], at=NOW - timedelta(days=day))
        make_article(f"Après {day}", tags=["Résine"], at=NOW + timedelta(hours=day), cover=cover.pk)
    with time_machine.travel(NOW + timedelta(days=1), tick=False):
        path = f"/blog/{article.pk}-poncer-la-resine"
        client.get(path)
        cache.clear()
        content_changed()
        with CaptureQueriesContext(connection) as queries:
            response = client.get(path)
    assert [card.title for card in response.context["related"]] == ["Après 4", "Après 3", "Après 2"]
    assert (response.context["previous"].title, response.context["following"].title) == ("Avant 1", "Après 1")
    assert [card.name for card in response.context["article"].products] == ["Golem"]
    # The article and its tags; its products' keys, their cards (rows, photos, the shop's settings, variants); the
    # pictures of its text; two neighbours; the related ones and their tags; the territories for the day a piece can
    # arrive.
    assert len(queries) == HEADER_QUERIES + 2 + 5 + 1 + 2 + 2 + 1


def test_an_article_that_the_shop_signs_is_the_shops_for_search_engines(client):
    name = ShopSettings.load().shop_name
    article = make_article("Ours", author_name=name)
    author = {"@type": "Organization", "@id": "http://localhost:8000/#shop", "name": name}
    page, blog = (client.get(path).content.decode() for path in (f"/blog/{article.pk}-ours", "/blog"))
    assert data_of(page, "BlogPosting")["author"] == author
    assert [post["author"] for post in data_of(blog, "Blog")["blogPost"]] == [author]


def test_the_page_of_an_article_tells_what_it_is(client):
    article = make_article(
        content_fr="## Le grain\n\nTexte.\n\n## L'eau\n\nTexte.",
        tags=["Résine"],
        cover=make_picture().pk,
        cover_alt_fr="Deux grains de papier",
        at=NOW,
        **GERMAN,
    )
    html = client.get(f"/blog/{article.pk}-poncer-la-resine").content.decode()
    assert "<h1>Poncer la résine</h1>" in html
    assert '<li><a href="#le-grain">Le grain</a></li>' in html
    assert 'alt="Deux grains de papier" fetchpriority="high"' in html
    assert "par Alix" in html
    assert '<meta property="og:type" content="article">' in html
    assert '<meta name="description" content="Trois grains, de l&#x27;eau et de la patience.">' in html
    site = "http://localhost:8000"
    assert re.findall(r'hreflang="([\w-]+)" href="(http[^"]+)"', html) == [
        ("fr", f"{site}/blog/{article.pk}-poncer-la-resine"),
        ("x-default", f"{site}/blog/{article.pk}-poncer-la-resine"),
        ("de", f"{site}/de/blog/{article.pk}-harz-schleifen"),
    ]
    data = data_of(html, "BlogPosting")
    assert data["headline"] == "Poncer la résine"
    assert data["author"] == {"@type": "Person", "name": "Alix"}
    assert data["image"].startswith(f"{site}/media/blog/atelier")
    assert (data["datePublished"], data["keywords"], data["inLanguage"]) == (
        "2026-05-27T08:00:00Z",
        "Résine",
        "fr",
    )
    trail = [entry["name"] for entry in data_of(html, "BreadcrumbList")["itemListElement"]]
    assert trail == ["Accueil", "Blog", "Poncer la résine"]


def test_an_article_in_another_language_has_its_own_address_and_text(client):
    article = make_article(**GERMAN)
    assert client.get(f"/de/blog/{article.pk}-poncer-la-resine").headers["Location"] == (
        f"/de/blog/{article.pk}-harz-schleifen"
    )
    html = client.get(f"/de/blog/{article.pk}-harz-schleifen").content.decode()
    assert "Beginnen Sie mit 400." in html
    assert f'<link rel="canonical" href="http://localhost:8000/de/blog/{article.pk}-harz-schleifen">' in html


def test_an_article_that_a_language_lacks_is_shown_in_french_and_says_so(client):
    article = make_article(**GERMAN)
    html = client.get(f"/es/blog/{article.pk}-poncer-la-resine").content.decode()
    assert '<article class="wrap article" lang="fr">' in html
    assert '<p class="article-facts" lang="es">' in html
    listed = client.get("/es/blog").content.decode()
    assert '<article class="article-card" lang="fr">' in listed
    assert '<p class="article-facts" lang="es">' in listed
    assert re.search(r'<p class="category-label category--\w+" lang="es">', listed)
    assert re.search(r'<a class="button" href="[^"]+"><span lang="es">Leer', listed)
    assert "Commencez par le grain 400." in html
    own_url = f"http://localhost:8000/blog/{article.pk}-poncer-la-resine"
    assert f'<link rel="canonical" href="{own_url}">' in html
    data = data_of(html, "BlogPosting")
    assert (data["url"], data["mainEntityOfPage"], data["inLanguage"]) == (own_url, own_url, "fr")
    [entry] = data_of(listed, "Blog")["blogPost"]
    assert (entry["url"], entry["inLanguage"]) == (own_url, "fr")


@pytest.mark.parametrize("query", ["", "?utm_source=lettre&utm_campaign=noel"])
@pytest.mark.parametrize("rest", ["", "-ancienne-adresse", "-été", "-"])
def test_old_addresses_lead_to_the_article_with_the_words_of_a_campaign(client, rest, query):
    article = make_article()
    response = client.get(f"/blog/{article.pk}{rest}{query}")
    own = f"/blog/{article.pk}-poncer-la-resine{query}"
    assert (response.status_code, response.headers["Location"]) == (301, own)


@pytest.mark.parametrize("make", [make_draft, lambda: make_article(at=NOW + timedelta(days=9999))])
def test_what_is_not_published_is_not_found(client, make):
    article = make()
    response = client.get(f"/blog/{article.pk}-poncer-la-resine")
    html = response.content.decode()
    assert response.status_code == 404
    assert "Article non trouvé" in html
    assert 'href="/blog"' in html
    assert "Poncer la résine" not in html


@pytest.mark.parametrize(
    "path", ["/blog/0", "/blog/999999999999999999999", "/blog/mot", "/blog/apercu/x", "/blog/"]
)
def test_addresses_of_nothing_are_not_found(client, path):
    assert client.get(path, follow=path == "/blog/").status_code == (200 if path == "/blog/" else 404)


def test_a_preview_link_shows_a_draft_and_is_not_kept_anywhere(client):
    draft = make_draft(**GERMAN)
    response = client.get(preview_url(draft))
    html = response.content.decode()
    assert "Commencez par le grain 400." in html
    german = re.search(r'<a href="([^"]+)" hreflang="de"', html)[1]
    assert "Beginnen Sie mit 400." in client.get(german).content.decode()
    assert '<meta name="robots" content="noindex">' in html
    assert "no-store" in response.headers["Cache-Control"]
    assert response.headers["X-Robots-Tag"] == "noindex"


def test_a_preview_link_ends_after_a_week_and_with_the_trash(client, django_capture_on_commit_callbacks):
    draft = make_draft()
    with time_machine.travel(NOW, tick=False):
        link = preview_url(draft)
        assert client.get(link).status_code == 200
    with time_machine.travel(NOW + timedelta(days=8), tick=False):
        assert client.get(link).status_code == 404
    former = preview_url(draft)
    with django_capture_on_commit_callbacks(execute=True):
        renew_link_salt("restored")
    assert [client.get(link).status_code for link in (former, preview_url(draft))] == [404, 200]
    forged = signing.dumps(draft.pk, salt="something.else")
    assert client.get(f"/blog/apercu/{forged}").status_code == 404
    trash_articles(article_ids=[draft.pk], actor=None)
    assert client.get(preview_url(draft)).status_code == 404


def test_a_cached_list_shows_a_scheduled_article_once_its_moment_has_come(
    client, monkeypatch, django_capture_on_commit_callbacks
):
    """Nobody presses anything."""
    monkeypatch.setattr(settings, "PAGE_CACHE_SECONDS", 3600)
    monkeypatch.setattr(settings, "FRAGMENT_CACHE_SECONDS", 3600)
    monkeypatch.setattr("shop.core.boundaries._known", None)
    clock = {"now": 0.0}
    monkeypatch.setattr("shop.core.fragment_cache.monotonic", lambda: clock["now"])
    monkeypatch.setattr("shop.core.public_pages.page_cache", FragmentCache(10))
    with time_machine.travel(NOW, tick=False) as traveller:
        with django_capture_on_commit_callbacks(execute=True):
            article = make_draft("Demain")
            publish_article(article_id=article.pk, actor=None, publish_at=NOW + timedelta(minutes=5))

        def shows(seconds: int) -> bool:
            clock["now"] = seconds
            traveller.move_to(NOW + timedelta(seconds=seconds), tick=False)
            return "Demain" in client.get("/blog").content.decode()

        assert [shows(seconds) for seconds in (0, 299, 300)] == [False, False, True]


def test_the_feed_lists_the_newest_articles_of_its_language(client):
    # As a text processor copies a broken line; no XML may hold it.
    article = make_article(at=NOW, tags=["Résine\x0b"], excerpt_fr="Trois\x0b grains & de l'eau.", **GERMAN)
    response = client.get("/de/blog/atom.xml")
    assert response.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    atom = {"a": "http://www.w3.org/2005/Atom"}
    feed = ElementTree.fromstring(response.content)
    entry = feed.find("a:entry", atom)
    assert feed.get("{http://www.w3.org/XML/1998/namespace}lang") == "de"
    assert entry.findtext("a:title", namespaces=atom) == "Harz schleifen"
    assert (
        entry.find("a:link", atom).get("href") == f"http://localhost:8000/de/blog/{article.pk}-harz-schleifen"
    )
    # Another text is another entry (RFC 4287 4.2.6); without one of its own a feed has the French entry.
    french, spanish = (
        ElementTree.fromstring(client.get(address).content).find("a:entry", atom)
        for address in ("/blog/atom.xml", "/es/blog/atom.xml")
    )
    assert [row.findtext("a:id", namespaces=atom) for row in (entry, french, spanish)] == [
        f"http://localhost:8000/de/blog/{article.pk}",
        *[f"http://localhost:8000/blog/{article.pk}"] * 2,
    ]
    assert french.findtext("a:summary", namespaces=atom) == "Trois grains &amp; de l&#x27;eau."
    assert 'type="application/atom+xml"' in client.get("/blog").content.decode()


def test_an_article_that_was_written_ahead_is_new_on_its_day(client):
    make_article(at=timezone.now() - timedelta(days=2))
    # Already the next day in the workshop.
    day = (timezone.now() + timedelta(days=9)).replace(hour=23, minute=30)
    article = make_article("Demain", at=day)
    with time_machine.travel(day + timedelta(hours=1), tick=False):
        feed = ElementTree.fromstring(client.get("/blog/atom.xml").content)
        page = client.get(f"/blog/{article.pk}-demain").content.decode()
        sitemap = b"".join(client.get("/sitemap-pages.xml").streaming_content).decode()
    atom = {"a": "http://www.w3.org/2005/Atom"}
    assert [found.findtext("a:updated", namespaces=atom) for found in (feed, feed.find("a:entry", atom))] == [
        day.isoformat(),
        day.isoformat(),
    ]
    [published, changed] = re.findall(r'"date(?:Published|Modified)":\s*"([^"]+)"', page)
    assert published == changed
    assert f"demain</loc><lastmod>{timezone.localdate(day).isoformat()}</lastmod>" in sitemap


def test_the_sitemap_names_articles_in_the_languages_they_are_written_in(client):
    article = make_article(cover=make_picture().pk, **GERMAN)
    make_draft("Brouillon")
    sitemap = b"".join(client.get("/sitemap-pages.xml").streaming_content).decode()
    assert f"<loc>http://localhost:8000/blog/{article.pk}-poncer-la-resine</loc>" in sitemap
    assert f'hreflang="de" href="http://localhost:8000/de/blog/{article.pk}-harz-schleifen"' in sitemap
    assert f"/es/blog/{article.pk}" not in sitemap
    assert "<image:loc>http://localhost:8000/media/blog/atelier.jpg</image:loc>" in sitemap
    assert "<loc>http://localhost:8000/blog</loc>" in sitemap
    assert "brouillon" not in sitemap


@pytest.mark.parametrize("typed", ["poncer", "résines", "grain 400", "Schleifen"])
def test_the_shops_search_and_its_suggestions_find_articles(client, typed):
    article = make_article(**GERMAN)
    make_draft("Poncer en secret")
    url = f"/blog/{article.pk}-poncer-la-resine"
    answer = client.get("/api/search/suggestions", {"q": typed}).json()
    assert answer["links"] == [{"name": "Poncer la résine", "url": url}]
    html = client.get("/produits", {"search": typed}).content.decode()
    assert f'<a href="{url}">Poncer la résine</a>' in html


def test_the_search_names_first_the_articles_whose_title_has_the_words(client):
    make_article("Vernir", content_fr="Après avoir poncé.", at=NOW)
    make_article("Poncer", at=NOW - timedelta(days=1))
    with time_machine.travel(NOW + timedelta(days=1), tick=False):
        answer = client.get("/api/search/suggestions", {"q": "ponc"}).json()
        html = client.get("/produits", {"search": "ponc"}).content.decode()
    assert [link["name"] for link in answer["links"]] == ["Poncer", "Vernir"]
    # Nothing between them that a narrow page would leave alone at the end of a line.
    assert '>Poncer</a> <a href="/blog/' in html
    assert client.get("/api/search/suggestions", {"q": "de la"}).json()["links"] == []


def test_public_pages_tell_nothing_of_who_asks(client, admin_client):
    article = make_article()
    path = f"/blog/{article.pk}-poncer-la-resine"
    assert client.get(path).content == admin_client.get(path).content
    assert Article.objects.count() == 1
