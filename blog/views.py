"""Pages of the blog, the same bytes for every visitor, but for the preview of what is not published."""

from __future__ import annotations

from typing import Any

from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from blog.models import Article, ArticleCategory
from blog.selectors import articles
from blog.selectors.articles import ArticleCard, ArticleDetail
from blog.selectors.previews import previewed_article
from shop.core import structured_data
from shop.core.fragment_cache import cached_fragment
from shop.core.languages import SOURCE_LANGUAGE, active_language
from shop.core.models import ShopSettings
from shop.core.public_pages import is_later_page, public_page
from shop.core.site import absolute_url, redirect_for_good
from shop.core.xml_text import xml_text

FEED_SIZE = 20


@require_safe
@public_page(
    # What is no tag is answered 404, and so is a page beyond the last.
    params={"categorie": ArticleCategory.values.__contains__, "tag": bool, "page": is_later_page}
)
def article_list(request: HttpRequest) -> HttpResponse:
    """`/blog?categorie=techniques&tag=resine&page=2`. 404 for an unknown category, tag or page."""
    category, slug = request.GET.get("categorie", ""), request.GET.get("tag", "")
    tag = articles.find_tag(slug) if slug else None
    if (category and category not in ArticleCategory.values) or (slug and tag is None):
        raise Http404
    page_text = request.GET.get("page", "")
    if page_text and page_text != "1" and not is_later_page(page_text):
        raise Http404
    number = int(page_text or 1)
    try:
        page = articles.article_page(number=number, category=category, tag=slug)
    except articles.PageOutOfRangeError as error:
        raise Http404 from error
    chosen = ArticleCategory(category).label if category else ""
    title = str(chosen) if chosen else tag.name if tag else _("Le blog de l'atelier")
    breadcrumbs: list[tuple[str, str | None]] = [
        (_("Accueil"), reverse("home")),
        (_("Blog"), articles.list_url() if category or tag else None),
    ]
    if category or tag:
        breadcrumbs.append((title, None))
    context = {
        "page_title": title,
        "category": category,
        "tag": tag,
        "page": page,
        "categories": articles.category_links(category),
        "tags": articles.tag_links(slug),
        "all_url": articles.list_url(),
        "breadcrumbs": breadcrumbs,
        # Lists by tag are parts of the whole.
        "is_filtered": bool(tag),
        "structured_data": structured_data.blog(
            name=_("Le blog de l'atelier"),
            url=articles.list_url(),
            language=active_language(),
            posts=[_posting(card) for card in page.object_list],
            publisher=_shop_name(),
        ),
    }
    return render(request, "blog/list.html", context)


@require_safe
@public_page()
def article(request: HttpRequest, article_id: str, slug: str) -> HttpResponseBase:
    """`/blog/12-bienvenue-a-l-etabli`. Another name than the article's own in this language is sent there (301)."""
    found = articles.find_article(int(article_id))
    if found is None:
        return no_article(request)
    if request.path != articles.article_url(found):
        return redirect_for_good(articles.article_url(found), request)
    return render(request, "blog/article.html", _article_context(found))


@require_safe
def article_by_number(request: HttpRequest, article_id: str) -> HttpResponseBase:
    """`/blog/12` and addresses whose name no article has: sent to the article's own address (301)."""
    found = articles.find_article(int(article_id))
    return no_article(request) if found is None else redirect_for_good(articles.article_url(found), request)


@require_safe
def no_article(request: HttpRequest) -> HttpResponse:
    """« Article non trouvé », for everything under `/blog/` that is no article of the public."""
    return render(request, "errors/404-article.html", status=404)


@require_safe
def preview(request: HttpRequest, token: str) -> HttpResponse:
    """An article as it stands, published or not, for whoever has the link, for a week."""
    try:
        found = previewed_article(token)
    except (signing.BadSignature, Article.DoesNotExist):
        return no_article(request)
    context = {**_article_context(found), "is_preview": True}
    # Other languages are previews as well: the article's own addresses are not there yet.
    del context["alternates"]
    response = render(request, "blog/article.html", context)
    add_never_cache_headers(response)
    response.headers["X-Robots-Tag"] = "noindex"
    return response


@require_safe
@public_page()
def feed(request: HttpRequest) -> HttpResponse:
    """The newest articles as an Atom feed, in the language of its address."""
    shop_name = xml_text(_shop_name())
    cards = articles.newest_articles(FEED_SIZE)
    atom = Atom1Feed(
        title=" · ".join((_("Le blog de l'atelier"), shop_name)),
        link=absolute_url(articles.list_url()),
        description="",
        language=active_language(),
        feed_url=absolute_url(request.path),
        author_name=shop_name,
    )
    for card in cards:
        home = "" if card.language == SOURCE_LANGUAGE else f"/{card.language}"
        atom.add_item(
            title=xml_text(card.title),
            link=absolute_url(card.url),
            description=xml_text(escape(card.excerpt)),
            author_name=xml_text(card.author),
            pubdate=card.published_at,
            updateddate=card.updated_at,
            unique_id=absolute_url(f"{home}/blog/{card.id}"),
            categories=[card.category_label, *(xml_text(tag.name) for tag in card.tags)],
        )
    return HttpResponse(atom.writeString("utf-8"), content_type="application/atom+xml; charset=utf-8")


def _article_context(found: Article) -> dict[str, Any]:
    detail = articles.article_detail(found)
    previous, following = articles.neighbours(found)
    paths = articles.article_paths(found)
    return {
        "article": detail,
        "card": detail.card,
        "previous": previous,
        "following": following,
        "related": articles.related_articles(found),
        "back_url": articles.list_url(),
        "category_url": articles.list_url(category=detail.card.category),
        "breadcrumbs": [
            (_("Accueil"), reverse("home")),
            (_("Blog"), articles.list_url()),
            (detail.card.title, None),
        ],
        # The name in the address is translated too.
        "alternates": articles.in_languages(paths),
        # The languages that the article is written in, for search engines.
        "written_in": [entry for entry in articles.in_languages(paths) if entry[0] in detail.languages],
        "own_url": absolute_url(detail.card.own_url),
        "structured_data": structured_data.blog_posting(
            _posting(detail.card, detail), publisher=_shop_name()
        ),
    }


def _shop_name() -> str:
    return cached_fragment(ShopSettings.load, "shop-settings").shop_name


def _posting(card: ArticleCard, detail: ArticleDetail | None = None) -> structured_data.BlogPosting:
    return structured_data.BlogPosting(
        title=card.title,
        description=card.excerpt,
        url=card.own_url,
        language=card.language,
        author=card.author,
        published_at=card.published_at,
        changed_at=card.updated_at,
        image=card.image.url if card.image else "",
        section=card.category_label,
        keywords=[tag.name for tag in card.tags],
        words=0 if detail is None else detail.words,
    )
