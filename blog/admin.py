"""The blog and the newsletter in Django's admin: to look up. Staff write both on their own screens."""

from __future__ import annotations

from functools import partial

from django.conf import settings
from django.contrib import admin

from blog.models import (
    Article,
    ArticleAutosave,
    ArticlePicture,
    ArticleRevision,
    Campaign,
    CampaignRecipient,
    CampaignText,
    ConsentRecord,
    Subscriber,
    Tag,
)
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import RecordAdmin, StaffAdmin, StaffRights, YesNoFilter


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


show = partial(admin.site.register, admin_class=RecordAdmin)

show(
    ArticleAutosave,
    view_action=StaffAction.EDIT_ARTICLES,
    staff_list="staff-articles",
    staff_row="staff-article",
    staff_key="article_id",
    list_display=("article", "user", "base_updated_at", "saved_at"),
    search_fields=("article__title_fr", "user__email"),
    ordering=("-pk",),
)
show(
    ArticlePicture,
    view_action=StaffAction.EDIT_ARTICLES,
    staff_list="staff-articles",
    list_display=("file", "alt", "width", "height", "created_at"),
    search_fields=("file", "alt"),
)
show(
    Campaign,
    view_action=StaffAction.SEE_NEWSLETTER,
    staff_list="staff-newsletter",
    staff_row="staff-newsletter-letter",
    list_display=("title", "topic", "state", "scheduled_at", "finished_at", "sent_count", "failed_count"),
    list_filter=("state", "topic"),
    search_fields=("title", "texts__subject"),
)
show(
    CampaignText,
    view_action=StaffAction.SEE_NEWSLETTER,
    staff_list="staff-newsletter",
    staff_row="staff-newsletter-letter",
    staff_key="campaign_id",
    list_display=("campaign", "language", "subject", "preheader"),
    list_filter=("language",),
    search_fields=("campaign__title", "subject", "body"),
    ordering=("-pk",),
)
show(
    CampaignRecipient,
    view_action=StaffAction.SEE_SUBSCRIBERS,
    staff_list="staff-newsletter",
    staff_row="staff-newsletter-letter",
    staff_key="campaign_id",
    list_display=("campaign", "subscriber", "unsubscribed_at"),
    list_filter=(("unsubscribed_at", YesNoFilter),),
    search_fields=("subscriber__email", "campaign__title"),
    ordering=("-pk",),
)
show(
    Subscriber,
    view_action=StaffAction.SEE_SUBSCRIBERS,
    staff_list="staff-newsletter-subscribers",
    list_display=(
        "email",
        "language",
        "asked_at",
        "subscribed_at",
        "unsubscribed_at",
        "suspended_at",
        "suspension",
    ),
    list_filter=("language", "wants_articles", "wants_pieces", "wants_promotions", "suspension"),
    search_fields=("email",),
    ordering=("-pk",),
    # The secret of the links in their letters.
    exclude=("token",),
)
show(
    ConsentRecord,
    view_action=StaffAction.SEE_SUBSCRIBERS,
    staff_list="staff-newsletter-subscribers",
    list_display=("created_at", "subscriber", "purpose", "action", "source", "text_version", "language"),
    list_filter=("purpose", "action", "source"),
    search_fields=("subscriber__email", "text_version"),
    ordering=("-pk",),
    # A hash of where somebody was.
    exclude=("network",),
)
