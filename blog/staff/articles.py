"""The staff's pages of the blog: the list of articles, and the editor."""

from __future__ import annotations

import re
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from blog.islands import StaffArticleProps
from blog.models import Article, ArticleCategory, ArticleState
from blog.selectors.articles import article_url
from blog.selectors.staff_articles import count_states, find_articles, staff_article
from blog.services.articles import default_author_name
from blog.services.publication import (
    TRASH_DAYS,
    publish_article,
    restore_articles,
    trash_articles,
    unpublish_article,
)
from blog.services.tags import MOST_TAGS
from catalog.selectors.pictures import image_info
from shop.core.assets import asset, island_file
from shop.core.audit_labels import field_label
from shop.core.keyset import BadCursor
from shop.core.problems import InvalidFields, Problem
from shop.core.staff_actions import StaffAction
from shop.core.staff_calls import allowed
from shop.core.staff_pages import WRITE, staff_page

# By the word in the address; the first is shown where there is none.
STATES = (
    ("", "Tous", ""),
    ("brouillons", "Brouillons", ArticleState.DRAFT.value),
    ("programmes", "Programmés", ArticleState.SCHEDULED.value),
    ("publies", "Publiés", ArticleState.PUBLISHED.value),
    ("corbeille", "Corbeille", ArticleState.TRASHED.value),
)


class ArticleInPlaceAnswer(serializers.Serializer[Any]):
    """Addresses of what is fetched, and what the editor is given."""

    script = serializers.CharField()
    styles = serializers.CharField()
    props = StaffArticleProps()


@staff_page(StaffAction.EDIT_ARTICLES)
def article_list(request: HttpRequest) -> HttpResponseBase:
    """The articles, last changed first. Seven queries, one more right after an article was written or removed."""
    word, search = request.GET.get("etat", ""), request.GET.get("recherche", "").strip()[:100]
    category = request.GET.get("categorie", "")
    state = next((state for asked, _label, state in STATES if asked == word), "")
    try:
        page = find_articles(
            state=state,
            search=search,
            category=category if category in ArticleCategory.values else "",
            cursor=request.GET.get("suite", "")[:200],
        )
    except BadCursor:
        return redirect("staff-articles")
    counts = count_states()
    left = request.GET.copy()
    for done in ("cree", "retire"):
        left.pop(done, None)
    created, removed = _named(request, "cree"), _named(request, "retire")
    context = {
        "rows": [_row(article) for article in page.rows],
        "next_cursor": page.next_cursor,
        "states": [(asked, label, counts.get(value), value) for asked, label, value in STATES],
        "state": state,
        "asked": word,
        "search": search,
        "categories": ArticleCategory.choices,
        "category": category,
        "trash_days": TRASH_DAYS,
        "left": f"?{left.urlencode()}" if left else "",
        # What was done just before, and can be taken back.
        "created": created if created and created.trashed_at is None else None,
        "removed": removed if removed and removed.trashed_at else None,
    }
    return render(request, "staff/articles/list.html", context)


@staff_page(StaffAction.EDIT_ARTICLES, others_to="home")
def article_new(request: HttpRequest) -> HttpResponse:
    """An empty editor."""
    return render(request, "staff/articles/edit.html", {"props": editor_props(request, None)})


@staff_page(StaffAction.EDIT_ARTICLES)
def article_edit(request: HttpRequest, article_id: int) -> HttpResponse:
    """The editor of one article, also of the trash."""
    article = staff_article(article_id)
    if article is None:
        raise Http404
    context = {"props": editor_props(request, article_id), "row": _row(article)}
    return render(request, "staff/articles/edit.html", context)


@staff_page(StaffAction.EDIT_ARTICLES, WRITE)
def article_act(request: HttpRequest, article_id: int, action: str) -> HttpResponseBase:
    """`publier`, `depublier`, `corbeille`, `restaurer`: done by a POST, which leads back to the list
    with the filters of its address."""
    if request.method != "POST" or staff_article(article_id) is None:
        raise Http404
    left = request.GET.copy()
    back = redirect(reverse("staff-articles", query=left))
    try:
        if action == "publier":
            publish_article(article_id=article_id, actor=request.user)  # type: ignore[arg-type]
            messages.success(request, "Article publié.")
        elif action == "depublier":
            unpublish_article(article_id=article_id, actor=request.user)  # type: ignore[arg-type]
            messages.success(request, "Article remis en brouillon.")
        elif action == "corbeille":
            trash_articles(article_ids=[article_id], actor=request.user)  # type: ignore[arg-type]
            left["retire"] = str(article_id)
            back = redirect(reverse("staff-articles", query=left))
        else:
            restore_articles(article_ids=[article_id], actor=request.user)  # type: ignore[arg-type]
            messages.success(request, "Article restauré.")
    except InvalidFields as problem:
        missing = ", ".join(field_label("blog.article", name) for name in problem.errors)
        messages.error(request, f"L'article n'est pas publié. À remplir d'abord\u00a0: {missing}.")
        back = redirect("staff-article", article_id)
    except Problem as problem:
        messages.error(request, problem.detail)
    return back


@method_decorator(never_cache, name="dispatch")
class ArticleInPlaceView(APIView):
    """What the article's public page needs to become its editor, for whoever may change it: the page itself is the same
    for everybody and names none of it."""

    permission_classes = (allowed(get=StaffAction.EDIT_ARTICLES),)

    @extend_schema(operation_id="admin_posts_in_place", responses=ArticleInPlaceAnswer)
    def get(self, request: Request, article_id: str) -> Response:
        if staff_article(int(article_id)) is None:
            raise Http404
        answer = {
            "script": island_file("staff-article-in-place").url,
            "styles": asset("staff.css").url,
            "props": editor_props(request, int(article_id)).data,
        }
        return Response(ArticleInPlaceAnswer(answer).data)


def editor_props(request: HttpRequest | Request, article_id: int | None) -> StaffArticleProps:
    """What the editor is given."""
    return StaffArticleProps(
        {
            "article_id": article_id,
            "author_name": default_author_name(request.user),  # type: ignore[arg-type]
            "categories": [{"value": value, "label": str(label)} for value, label in ArticleCategory.choices],
            "most_tags": MOST_TAGS,
            "trash_days": TRASH_DAYS,
            "list_url": reverse("staff-articles"),
        }
    )


def _named(request: HttpRequest, name: str) -> Article | None:
    key = request.GET.get(name, "")
    return Article.objects.filter(pk=int(key)).first() if re.fullmatch("[0-9]{1,18}", key) else None


def _row(article: Article) -> dict[str, Any]:
    state = article.state_at(timezone.now())
    return {
        "pk": article.pk,
        "title": article.french_title,
        "state": state.value,
        "state_label": state.label,
        "category": article.get_category_display(),
        "author": article.author_name,
        "publish_at": article.publish_at,
        "updated_at": article.updated_at,
        "tags": [tag.french_name for tag in article.tags.all()],
        "stale": len(article.stale_texts),
        "image": image_info(article.cover, "").smallest_url if article.cover else "",
        "url": article_url(article) if state == ArticleState.PUBLISHED else "",
    }
