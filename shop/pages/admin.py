"""The pages in Django's admin: texts, questions, bands, redirects, and what visitors wrote."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, QuerySet
from django.forms import ModelForm
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from shop.core import images
from shop.core.staff_actions import StaffAction, may
from shop.core.staff_admin import StaffAdmin, staff_action
from shop.pages import (
    contact_admin,
    official_admin,  # noqa: F401 - registers its rows
)
from shop.pages.admin_forms import BannerForm, FaqForm, PageTextForm, RedirectForm
from shop.pages.models import (
    ContactImage,
    ContactRequest,
    ContactState,
    FaqEntry,
    PageText,
    Redirect,
    SeasonalBanner,
)
from shop.pages.previews import preview
from shop.pages.services.contact import delete_request, private_storage, set_answered
from shop.pages.services.content import delete_content, save_content, set_banner_picture
from shop.pages.shipped import LANGUAGES

_NAMES = {"fr": "Français", "en": "English", "es": "Español", "de": "Deutsch"}


def _texts(*fields: str) -> list[Any]:
    """One foldable part a language: open in French, which the others fall back to."""
    return [
        (
            _NAMES[language],
            {
                "fields": tuple(f"{field}_{language}" for field in fields),
                "classes": () if language == "fr" else ("collapse",),
            },
        )
        for language in LANGUAGES
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
        if row is None or language not in LANGUAGES or not self.has_view_permission(request, row):
            raise Http404
        return preview(request, row, language)

    @admin.display(description=gettext_lazy("aperçu"))
    def preview_links(self, row: Any) -> SafeString | str:
        if row.pk is None:
            return _("Enregistrez d'abord.")
        name = f"admin:{self.opts.app_label}_{self.opts.model_name}_preview"
        return format_html_join(
            " · ",
            '<a href="{}" target="_blank" rel="noopener">{}</a>',
            ((reverse(name, args=[row.pk, language]), _NAMES[language]) for language in LANGUAGES),
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


@admin.register(Redirect)
class RedirectAdmin(ContentAdmin):
    form = RedirectForm
    previewed = False
    list_display = ("old_path", "new_path", "created_at")
    search_fields = ("old_path", "new_path")


@admin.register(ContactRequest)
class ContactRequestAdmin(StaffAdmin[ContactRequest]):
    """What visitors wrote: read, marked as answered, deleted; never changed."""

    view_action = StaffAction.SEE_CONTACTS
    delete_action = StaffAction.DELETE_CONTACT
    list_display = (
        "reference",
        "created_at",
        "kind",
        "state",
        "first_name",
        "last_name",
        "email",
        "subject",
        "picture_count",
    )
    list_filter = ("state", "kind", "language")
    search_fields = ("reference", "email", "last_name", "subject", "message")
    date_hierarchy = "created_at"
    actions = ("mark_answered", "mark_new")
    fields = (
        "reference",
        ("state", "answered_at"),
        ("kind", "created_at", "language"),
        ("first_name", "last_name", "email"),
        "product",
        "subject",
        "message",
        ("budget", "deadline"),
        "pictures",
        "answers",
    )
    readonly_fields = ("pictures", "answers")

    def get_queryset(self, request: HttpRequest) -> QuerySet[ContactRequest]:
        return super().get_queryset(request).annotate(images_found=Count("images"))

    def get_urls(self) -> list[URLPattern]:
        pages = (
            ("picture/<int:pk>", self.picture_view, "pages_contactimage_file"),
            ("<int:contact_id>/reply/", contact_admin.reply_page, "pages_contactrequest_reply"),
            ("<int:contact_id>/mark/", contact_admin.mark_page, "pages_contactrequest_mark"),
        )
        own = [path(route, self.admin_site.admin_view(view), name=name) for route, view, name in pages]
        return own + super().get_urls()

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        context = {**(extra_context or {}), "may_answer": may(request.user, StaffAction.ANSWER_CONTACT)}
        return super().change_view(request, object_id, form_url, context)

    def picture_view(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        """A visitor's picture, for operators alone: no cache keeps it."""
        if not self.has_view_permission(request):
            raise Http404
        row = get_object_or_404(ContactImage, pk=pk)
        if not private_storage().exists(row.file):
            raise Http404
        response = FileResponse(private_storage().open(row.file), content_type="image/jpeg")
        response["Cache-Control"] = "private, no-store"
        response["Content-Security-Policy"] = "default-src 'none'; sandbox"
        return response

    @admin.display(description=gettext_lazy("images"), ordering="images_found")
    def picture_count(self, row: ContactRequest) -> int:
        return int(row.images_found)  # type: ignore[attr-defined]

    @admin.display(description=gettext_lazy("images de référence"))
    def pictures(self, row: ContactRequest) -> SafeString | str:
        shown = [
            (reverse("admin:pages_contactimage_file", args=[image.pk]), image.width, image.height)
            for image in row.images.all()
        ]
        if not shown:
            return "–"
        return format_html_join(
            " ",
            '<a href="{0}" target="_blank" rel="noopener"><img src="{0}" alt="{1} × {2}" height="160"></a>',
            shown,
        )

    @admin.display(description=gettext_lazy("réponses"))
    def answers(self, row: ContactRequest) -> SafeString | str:
        sent = [
            (date_format(localtime(reply.created_at), "SHORT_DATETIME_FORMAT"), reply.text)
            for reply in row.replies.all()
        ]
        return format_html_join("", '<p>{}</p><p class="shop-words">{}</p>', sent) if sent else "–"

    @staff_action(StaffAction.ANSWER_CONTACT, description=gettext_lazy("Marquer comme répondues"))
    def mark_answered(self, request: HttpRequest, chosen: QuerySet[ContactRequest]) -> None:
        self._mark(request, chosen, answered=True)

    @staff_action(StaffAction.ANSWER_CONTACT, description=gettext_lazy("Marquer comme nouvelles"))
    def mark_new(self, request: HttpRequest, chosen: QuerySet[ContactRequest]) -> None:
        self._mark(request, chosen, answered=False)

    def delete_model(self, request: HttpRequest, obj: ContactRequest) -> None:
        delete_request(request=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[ContactRequest]) -> None:
        for row in queryset.order_by("pk"):
            delete_request(request=row)

    def _mark(self, request: HttpRequest, chosen: QuerySet[ContactRequest], *, answered: bool) -> None:
        wanted = ContactState.ANSWERED if answered else ContactState.NEW
        rows = list(chosen.exclude(state=wanted).order_by("pk"))
        for row in rows:
            set_answered(request=row, answered=answered)
            self.log_change(request, row, str(wanted.label))
        self.message_user(
            request,
            ngettext("%(count)d demande modifiée.", "%(count)d demandes modifiées.", len(rows))
            % {"count": len(rows)},
            messages.SUCCESS,
        )
