"""Texts, questions, bands and redirects in Django's admin."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from shop.core import images
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin
from shop.pages.admin.forms import BannerForm, FaqForm, PageTextForm, RedirectForm
from shop.pages.models import (
    FaqEntry,
    HomeSection,
    PageText,
    Redirect,
    SeasonalBanner,
)
from shop.pages.services.content import delete_content, save_content, set_banner_picture
from shop.pages.views.previews import preview


def _texts(*fields: str) -> list[Any]:
    """One foldable part a language: open in French, which the others fall back to."""
    return [
        (
            name,
            {
                "fields": tuple(f"{field}_{language}" for field in fields),
                "classes": () if language == SOURCE_LANGUAGE else ("collapse",),
            },
        )
        for language, name in settings.LANGUAGES
    ]


class ContentAdmin(StaffAdmin[Any]):
    """Rows of pages: saved through the services, seen beforehand in each language."""

    view_action = StaffAction.SEE_TEXTS
    add_action = change_action = delete_action = StaffAction.EDIT_TEXTS
    list_per_page = 50
    previewed = True

    def get_urls(self) -> list[URLPattern]:
        if not self.previewed:
            return super().get_urls()
        name = f"{self.opts.app_label}_{self.opts.model_name}_preview"
        view = self.admin_site.admin_view(self.preview_view)
        return [path("<path:object_id>/preview/<slug:language>", view, name=name), *super().get_urls()]

    def preview_view(self, request: HttpRequest, object_id: str, language: str) -> HttpResponseBase:
        row = self.get_object(request, object_id)
        if (
            row is None
            or language not in dict(settings.LANGUAGES)
            or not self.has_view_permission(request, row)
        ):
            raise Http404
        return preview(request, row, language)

    @admin.display(description=gettext_lazy("aperçu"))
    def preview_links(self, row: Any) -> SafeString | str:
        if row.pk is None:
            return _("Enregistrez d'abord.")
        view = f"admin:{self.opts.app_label}_{self.opts.model_name}_preview"
        return format_html_join(
            " · ",
            '<a href="{}" target="_blank" rel="noopener">{}</a>',
            ((reverse(view, args=[row.pk, language]), name) for language, name in settings.LANGUAGES),
        )

    def save_model(self, request: HttpRequest, obj: Any, form: ModelForm[Any], change: bool) -> None:
        save_content(row=obj)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        delete_content(row=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        for row in queryset.order_by("pk"):
            delete_content(row=row)


@admin.register(FaqEntry)
class FaqEntryAdmin(ContentAdmin):
    form = FaqForm
    list_display = (
        "question",
        "category",
        "on_home",
        "on_contact",
        "on_faq",
        "position",
        "is_published",
        "preview_links",
    )
    list_filter = ("category", "is_published", "on_home", "on_contact")
    search_fields = ("question_fr", "answer_fr", "question_en", "question_es", "question_de")
    readonly_fields = ("preview_links",)
    fieldsets = (
        (
            None,
            {
                "fields": (
                    ("category", "position", "is_published"),
                    ("on_home", "on_contact", "on_faq"),
                    "preview_links",
                )
            },
        ),
        *_texts("question", "answer"),
    )


@admin.register(PageText)
class PageTextAdmin(ContentAdmin):
    form = PageTextForm
    list_display = ("key", "title", "starts_at", "ends_at", "preview_links")
    search_fields = ("key", "title_fr", "body_fr")
    readonly_fields = ("preview_links",)
    fieldsets = (
        (None, {"fields": ("key", ("starts_at", "ends_at"), "preview_links")}),
        *_texts("title", "body"),
    )


@admin.register(SeasonalBanner)
class SeasonalBannerAdmin(ContentAdmin):
    form = BannerForm
    list_display = ("title", "starts_at", "ends_at", "in_menu", "preview_links")
    search_fields = ("title_fr", "text_fr")
    readonly_fields = ("picture", "preview_links")
    fieldsets = (
        (
            None,
            {
                "fields": (
                    ("starts_at", "ends_at"),
                    ("link", "in_menu"),
                    ("picture", "new_picture"),
                    "preview_links",
                )
            },
        ),
        *_texts("title", "text", "link_label", "alt"),
    )

    @admin.display(description=gettext_lazy("image actuelle"))
    def picture(self, row: SeasonalBanner) -> SafeString | str:
        if not row.file.name:
            return "–"
        image = images.describe(
            name=row.file.name,
            width=row.width,
            height=row.height,
            alt=row.alt,
            colour=row.colour,
            derivatives=row.derivatives,
        )
        return format_html(
            '<img src="{}" alt="{}" width="120" loading="lazy">', image.smallest_url, image.alt
        )

    def save_model(
        self, request: HttpRequest, obj: SeasonalBanner, form: ModelForm[Any], change: bool
    ) -> None:
        upload = form.cleaned_data.get("new_picture")
        if upload is None:
            save_content(row=obj)
        else:
            set_banner_picture(banner=obj, image=upload)


@admin.register(HomeSection)
class HomeSectionAdmin(ContentAdmin):
    """What the home page shows, arranged in its list."""

    previewed = False
    list_display = ("kind", "position", "is_visible", "starts_on", "ends_on")
    list_editable = ("position", "is_visible", "starts_on", "ends_on")
    fields = ("kind", "position", "is_visible", "starts_on", "ends_on")


@admin.register(Redirect)
class RedirectAdmin(ContentAdmin):
    form = RedirectForm
    previewed = False
    list_display = ("old_path", "new_path", "created_at")
    search_fields = ("old_path", "new_path")
