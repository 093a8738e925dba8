"""Categories and collections in the admin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import Count, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from catalog.admin.forms import CategoryForm, FeatureForm, language_fieldsets, preview_of
from catalog.models import Category, CategoryFeature
from catalog.services.categories import delete_category, save_category
from catalog.services.media import set_category_picture
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin, StaffRights


class FeatureInline(StaffRights, admin.StackedInline[CategoryFeature, Category]):
    view_action = StaffAction.SEE_PRODUCTS
    add_action = change_action = delete_action = StaffAction.EDIT_CATEGORIES
    model = CategoryFeature
    form = FeatureForm
    extra = 0
    max_num = 3


@admin.register(Category)
class CategoryAdmin(StaffAdmin[Category]):
    """Categories and collections."""

    view_action = StaffAction.SEE_PRODUCTS
    add_action = change_action = delete_action = StaffAction.EDIT_CATEGORIES
    form = CategoryForm
    inlines = (FeatureInline,)
    list_display = (
        "name",
        "slug",
        "kind",
        "position",
        "menu_place",
        "in_footer",
        "starts_on",
        "ends_on",
        "product_count",
    )
    list_editable = ("position", "menu_place", "in_footer", "starts_on", "ends_on")
    list_filter = ("kind", "offers_finishes", "offers_formats")
    search_fields = ("name_fr", "name_en", "name_es", "name_de", "slug")
    fieldsets = (
        (
            None,
            {
                "fields": (
                    ("kind", "slug"),
                    ("slug_en", "slug_es", "slug_de"),
                    ("position", "menu_place", "in_footer"),
                    ("starts_on", "ends_on"),
                    ("offers_finishes", "offers_formats"),
                    "colour",
                    ("picture_preview", "new_picture"),
                )
            },
        ),
        *language_fieldsets("name", "title", "description", "intro"),
    )
    readonly_fields = ("picture_preview",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Category]:
        return super().get_queryset(request).annotate(products_found=Count("products"))

    @admin.display(description=_("produits"), ordering="products_found")
    def product_count(self, category: Category) -> int:
        return int(category.products_found)  # type: ignore[attr-defined]

    @admin.display(description=_("image actuelle"))
    def picture_preview(self, category: Category) -> SafeString | str:
        return preview_of(getattr(category, "picture", None))

    def save_model(
        self, request: HttpRequest, obj: Category, form: ModelForm[Category], change: bool
    ) -> None:
        save_category(category=obj)
        image = form.cleaned_data.get("new_picture")
        if image is not None:
            set_category_picture(category=obj, image=image)

    def delete_model(self, request: HttpRequest, obj: Category) -> None:
        delete_category(category=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Category]) -> None:
        with transaction.atomic():
            for category in queryset.order_by("pk"):
                delete_category(category=category)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        view = super().changeform_view
        return self._or_refused(request, lambda: view(request, object_id, form_url, extra_context))

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        view = super().changelist_view
        return self._or_refused(request, lambda: view(request, extra_context))

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        view = super().delete_view
        return self._or_refused(request, lambda: view(request, object_id, extra_context))

    def _or_refused(self, request: HttpRequest, answer: Callable[[], HttpResponse]) -> HttpResponse:
        """What a service refuses after the form was fine, because somebody else was quicker, is said on the same
        page; nothing of it is stored."""
        try:
            with transaction.atomic():
                return answer()
        except Problem as problem:
            for sentence in [text for texts in problem.errors.values() for text in texts] or [problem.detail]:
                messages.error(request, sentence)
            return HttpResponseRedirect(request.get_full_path())
