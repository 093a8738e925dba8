"""Categories and collections in the admin."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Count, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from catalog.admin.forms import CategoryForm, FeatureForm, language_fieldsets, preview_of
from catalog.models import Category, CategoryFeature
from catalog.services.media import set_category_picture
from catalog.services.products import save_category
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
        "offers_finishes",
        "offers_formats",
        "colour",
        "product_count",
    )
    list_filter = ("kind", "offers_finishes", "offers_formats")
    search_fields = ("name_fr", "name_en", "name_es", "name_de", "slug")
    fieldsets = (
        (
            None,
            {
                "fields": (
                    ("slug", "kind"),
                    ("offers_finishes", "offers_formats"),
                    ("position", "colour"),
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
