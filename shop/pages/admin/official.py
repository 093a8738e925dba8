"""The official texts in Django's admin."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin
from shop.pages.admin.forms import OfficialTextForm
from shop.pages.models import OfficialText
from shop.pages.selectors.official import missing_official_texts
from shop.pages.services.official import (
    delete_official_text,
    remove_official_picture,
    save_official_text,
    set_official_picture,
)


@admin.register(OfficialText)
class OfficialTextAdmin(StaffAdmin[OfficialText]):
    """What terms, checkout and confirmation show word for word. The list says what is missing."""

    view_action = StaffAction.SEE_TEXTS
    add_action = change_action = delete_action = StaffAction.EDIT_TEXTS
    form = OfficialTextForm
    list_display = ("kind", "language", "has_picture", "updated_at")
    list_filter = ("kind", "language")
    fields = (("kind", "language"), "text", "picture", ("new_picture", "remove_picture"), "updated_at")
    readonly_fields = ("picture", "updated_at")

    @admin.display(description=gettext_lazy("image"), boolean=True)
    def has_picture(self, row: OfficialText) -> bool:
        return bool(row.file.name)

    @admin.display(description=gettext_lazy("image actuelle"))
    def picture(self, row: OfficialText) -> SafeString | str:
        if not row.file.name:
            return "–"
        return format_html('<img src="{}" alt="" width="320">', row.file.url)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        missing = missing_official_texts()
        if missing:
            text = _("Textes officiels manquants en français : %(names)s") % {"names": ", ".join(missing)}
            self.message_user(request, text, messages.WARNING)
        return super().changelist_view(request, extra_context)

    def save_model(self, request: HttpRequest, obj: OfficialText, form: ModelForm[Any], change: bool) -> None:
        picture = form.cleaned_data.get("new_picture")
        if picture is not None:
            set_official_picture(row=obj, picture=picture)
        elif form.cleaned_data.get("remove_picture"):
            remove_official_picture(row=obj)
        else:
            save_official_text(row=obj)

    def delete_model(self, request: HttpRequest, obj: OfficialText) -> None:
        delete_official_text(row=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[OfficialText]) -> None:
        for row in queryset.order_by("pk"):
            delete_official_text(row=row)
