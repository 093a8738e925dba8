"""Articles for staff: the list, one article, its pictures, its preview, what is typed and not saved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from blog.api.serializers import (
    API_NAMES,
    TEXT_SOURCES,
    AdminArticleSerializer,
    ArticleAutosaveWriteSerializer,
    ArticlePageSerializer,
    ArticlePictureSerializer,
    ArticlePreviewSerializer,
    ArticlePreviewWriteSerializer,
    ArticleValuesSerializer,
    ArticleWriteSerializer,
    picture_values,
)
from blog.markup import reading_minutes, word_count
from blog.models import Article, ArticleAutosave, ArticleCategory, ArticleState
from blog.selectors import staff_articles
from blog.selectors.articles import article_url, render_values
from blog.selectors.previews import preview_url
from blog.services.articles import autosave_article, discard_autosave
from blog.services.editing import Publication, store_article
from blog.services.pictures import FOLDER, add_picture
from blog.services.publication import restore_articles, trash_articles
from catalog.api.staff_pictures import PictureUploadSerializer
from shop.core.images import store_image
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.parsers import StrictJSONParser
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction
from shop.core.staff_calls import allowed, next_address, private, staff_actor
from shop.integrations.repeated_calls import make_once_for_staff

_WRITER = allowed(**dict.fromkeys(("get", "post", "put", "patch", "delete"), StaffAction.EDIT_ARTICLES))


class ArticleQuerySerializer(serializers.Serializer[Any]):
    """The trash only when `state` asks for it. `cursor` is the `next_cursor` of the page before."""

    search = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")
    state = serializers.ChoiceField(
        choices=ArticleState.choices, required=False, allow_blank=True, default=""
    )
    category = serializers.ChoiceField(
        choices=ArticleCategory.choices, required=False, allow_blank=True, default=""
    )
    cursor = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")
    page_size = serializers.IntegerField(min_value=1, max_value=100, required=False, default=30)


class ArticleListView(APIView):
    """The articles, last changed first."""

    permission_classes = (_WRITER,)

    @extend_schema(
        operation_id="admin_posts_list",
        parameters=[ArticleQuerySerializer],
        responses=ArticlePageSerializer,
    )
    def get(self, request: Request) -> Response:
        # Two queries.
        form = ArticleQuerySerializer(data=request.query_params)
        form.is_valid(raise_exception=True)
        asked = dict(form.validated_data)
        page = staff_articles.find_articles(size=asked.pop("page_size"), **asked)
        written = form.validated_data.keys() & request.query_params.keys() - {"cursor"}
        kept = {name: form.validated_data[name] for name in request.query_params if name in written}
        answer = {
            "next": next_address(request, kept, page.next_cursor),
            "next_cursor": page.next_cursor or None,
            "results": [_row(article) for article in page.rows],
        }
        return private(ArticlePageSerializer(answer).data)

    @extend_schema(
        operation_id="admin_posts_create",
        request=ArticleWriteSerializer,
        responses={201: AdminArticleSerializer},
    )
    def post(self, request: Request) -> Response:
        """A new article, once per `Idempotency-Key`: a draft unless `published` says otherwise. A draft needs no more
        than its title."""
        form = ArticleWriteSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        made = make_once_for_staff(
            request,
            body=request.data,
            make=lambda: _stored(request, form, None).pk,
        )
        return private(full(made.subject_id, request), 201)


class ArticleView(APIView):
    """One article, whatever its state."""

    permission_classes = (_WRITER,)

    @extend_schema(operation_id="admin_posts_retrieve", responses=AdminArticleSerializer)
    def get(self, request: Request, article_id: str) -> Response:
        return private(full(int(article_id), request))

    @extend_schema(
        operation_id="admin_posts_update", request=ArticleWriteSerializer, responses=AdminArticleSerializer
    )
    def patch(self, request: Request, article_id: str) -> Response:
        """Changes what is sent. 409 `conflict` with the fresh article as `current`, 409 `trashed`."""
        form = ArticleWriteSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        with current_article(int(article_id), request):
            _stored(request, form, int(article_id))
        return private(full(int(article_id), request))

    @extend_schema(operation_id="admin_posts_destroy", responses={204: None})
    def delete(self, request: Request, article_id: str) -> Response:
        """Moves it to the trash, where it stays for 30 days."""
        full(int(article_id), request)
        trash_articles(article_ids=[int(article_id)], actor=staff_actor(request))
        return Response(status=204)


class ArticleRestoreView(APIView):
    """Out of the trash."""

    permission_classes = (_WRITER,)

    @extend_schema(operation_id="admin_posts_restore", request=None, responses=AdminArticleSerializer)
    def post(self, request: Request, article_id: str) -> Response:
        """The article as it was before; repeated, it changes nothing more."""
        full(int(article_id), request)
        restore_articles(article_ids=[int(article_id)], actor=staff_actor(request))
        return private(full(int(article_id), request))


class ArticleAutosaveView(APIView):
    """What the person who asks has typed into an article and not saved. Nobody else sees it."""

    permission_classes = (_WRITER,)

    @extend_schema(
        operation_id="admin_posts_autosave", request=ArticleAutosaveWriteSerializer, responses={204: None}
    )
    def put(self, request: Request, article_id: str) -> Response:
        """Replaces what was kept before. 409 `conflict` with the fresh article as `current`, 409 `trashed`."""
        form = ArticleAutosaveWriteSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        with current_article(int(article_id), request):
            autosave_article(
                article_id=int(article_id),
                values=_values(form),
                user=staff_actor(request),
                base_updated_at=form.validated_data["base_updated_at"],
            )
        return Response(status=204)

    @extend_schema(operation_id="admin_posts_autosave_discard", responses={204: None})
    def delete(self, request: Request, article_id: str) -> Response:
        discard_autosave(article_id=int(article_id), user=staff_actor(request))
        return Response(status=204)


class ArticlePreviewView(APIView):
    """A text as the article's page would show it: the same renderer."""

    permission_classes = (_WRITER,)

    @extend_schema(
        operation_id="admin_posts_preview",
        request=ArticlePreviewWriteSerializer,
        responses=ArticlePreviewSerializer,
    )
    def post(self, request: Request) -> Response:
        """Changes nothing."""
        form = ArticlePreviewWriteSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        content, language = form.validated_data["content"], form.validated_data["language"]
        words = word_count(content)
        answer = {
            "html": str(render_values({f"content_{language}": content}, language).html),
            "words": words,
            "minutes": reading_minutes(words),
        }
        return private(ArticlePreviewSerializer(answer).data)


class ArticlePicturesView(APIView):
    """Pictures for covers and texts. Unless something shows it, one is deleted 30 days later."""

    parser_classes = (StrictJSONParser, MultiPartParser)
    permission_classes = (_WRITER,)

    @extend_schema(
        operation_id="admin_posts_pictures_create",
        request=PictureUploadSerializer,
        responses={201: ArticlePictureSerializer},
    )
    def post(self, request: Request) -> Response:
        """Stores a file, or a copy of what an address shows, once per `Idempotency-Key`."""
        form = PictureUploadSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        # Before the transaction: a storage may take seconds to answer.
        image = store_image(image=form.drawn(), folder=FOLDER)
        made = make_once_for_staff(
            request,
            body={"article_picture": form.validated_data.get("url", "")},
            make=lambda: add_picture(image=image).pk,
        )
        row = staff_articles.find_picture(made.subject_id)
        if row is None:
            raise Problem("not_found", _("Cette photo n'existe plus."), 404)
        return private(ArticlePictureSerializer(picture_values(row)).data, 201)


@contextmanager
def current_article(article_id: int, request: Request) -> Iterator[None]:
    """Answers 404 for an article that is gone, and adds what is stored to a `conflict`."""
    try:
        yield
    except Article.DoesNotExist:
        raise article_not_found() from None
    except Problem as problem:
        if problem.code == "conflict":
            problem.extra["current"] = full(article_id, request)
        raise


def full(article_id: int, request: Request) -> Any:
    """The answer about one article. Raises `Problem` (404)."""
    article = staff_articles.staff_article(article_id)
    if article is None:
        raise article_not_found()
    state = article.state_at(timezone.now())
    autosave = staff_articles.autosave_of(article_id, staff_actor(request))
    answer = {
        "id": article.pk,
        **{column: getattr(article, column) or "" for column in TEXT_SOURCES.values()},
        "category": article.category,
        "author_name": article.author_name,
        "tags": [tag.french_name for tag in article.tags.all()],
        "products": sorted(article.products.all(), key=lambda row: row.pk),
        "cover": picture_values(article.cover),
        "state": state,
        "published": article.is_published,
        "publish_at": article.publish_at,
        "stale_texts": [API_NAMES[column] for column in article.stale_texts],
        "url": article_url(article) if state == ArticleState.PUBLISHED else None,
        "preview_url": None if article.trashed_at else preview_url(article),
        "created_at": article.created_at,
        "updated_at": article.updated_at,
        "trashed_at": article.trashed_at,
        "autosave": None if autosave is None else _autosave(autosave),
    }
    return AdminArticleSerializer(answer).data


def article_not_found() -> Problem:
    """The refusal of an article that does not exist."""
    return Problem("not_found", _("Article non trouvé"), 404)


def _stored(request: Request, form: ArticleWriteSerializer, article_id: int | None) -> Article:
    sent = form.validated_data
    publication = None
    if "published" in sent:
        publication = Publication(sent["published"], sent.get("publish_at"))
    try:
        return store_article(
            article_id=article_id,
            values=_values(form),
            actor=staff_actor(request),
            publication=publication,
            expected_updated_at=sent.get("expected_updated_at"),
            confirmed_texts=[TEXT_SOURCES[name] for name in sent.get("confirmed_texts", ())],
        )
    except Problem as problem:
        problem.errors = {API_NAMES.get(name, name): texts for name, texts in problem.errors.items()}
        raise


def _values(form: ArticleValuesSerializer) -> dict[str, Any]:
    """What was sent, as the services take it."""
    known = {*TEXT_SOURCES.values(), "category", "author_name", "tags", "products", "cover"}
    return {name: value for name, value in form.validated_data.items() if name in known}


def _autosave(row: ArticleAutosave) -> dict[str, Any]:
    values = dict(row.values)
    if "products" in values:
        values["products"] = staff_articles.named_products(values["products"])
    if "cover" in values:
        values["cover"] = picture_values(staff_articles.find_picture(values["cover"]))
    return {"values": values, "base_updated_at": row.base_updated_at, "saved_at": row.saved_at}


def _row(article: Article) -> dict[str, Any]:
    cover = picture_values(article.cover)
    return {
        "id": article.pk,
        "title": article.french_title,
        "excerpt": getattr(article, f"excerpt_{SOURCE_LANGUAGE}") or "",
        "category": article.category,
        "tags": [tag.french_name for tag in article.tags.all()],
        "image": None if cover is None else cover["thumbnail_url"],
        "author_name": article.author_name,
        "state": article.state_at(timezone.now()),
        "published": article.is_published,
        "publish_at": article.publish_at,
        "created_at": article.created_at,
        "updated_at": article.updated_at,
    }
