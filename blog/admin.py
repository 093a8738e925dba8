"""The blog in Django's admin: to look up, and the names of tags. Staff write articles on their own screen."""

from __future__ import annotations

from django.conf import settings
from django.contrib import admin

from blog.models import Article, ArticleRevision, Tag
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin, StaffRights


class RevisionInline(StaffRights, admin.TabularInline[ArticleRevision, Article]):
    view_action = StaffAction.EDIT_ARTICLES
    model = ArticleRevision
    fields = readonly_fields = ("number", "created_at", "created_by")


@admin.register(Article)
class ArticleAdmin(StaffAdmin[Article]):
    view_action = StaffAction.EDIT_ARTICLES
    staff_list, staff_row = "staff-articles", "staff-article"
    inlines = (RevisionInline,)
    list_display = ("title", "category", "is_published", "publish_at", "author_name", "updated_at")
    list_filter = ("category", "is_published")
    search_fields = ("search_text",)
    date_hierarchy = "publish_at"
    exclude = ("search_text", "word_counts")


@admin.register(Tag)
class TagAdmin(StaffAdmin[Tag]):
    """Tags, to look at: staff translate them on their own screen."""

    view_action = StaffAction.EDIT_ARTICLES
    staff_list, staff_row = "staff-tags", "staff-tags-edit"
    list_display = ("name", "slug")
    search_fields = ("slug", *(f"name_{code}" for code in settings.MODELTRANSLATION_LANGUAGES))
    fields = ("slug", *(f"name_{code}" for code in settings.MODELTRANSLATION_LANGUAGES))
