"""Categories and collections in Django's admin: to look up. Staff keep them on their own screen."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from catalog.models import Category, CategoryFeature
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin, StaffRights


class FeatureInline(StaffRights, admin.StackedInline[CategoryFeature, Category]):
    view_action = StaffAction.SEE_PRODUCTS
    model = CategoryFeature


@admin.register(Category)
class CategoryAdmin(StaffAdmin[Category]):
    """Categories and collections."""

    view_action = StaffAction.SEE_PRODUCTS
    staff_list, staff_row = "staff-categories", "staff-categories-edit"
    inlines = (FeatureInline,)
    list_display = (
        *("name", "slug", "kind", "position", "menu_place", "in_footer", "starts_on", "ends_on"),
        "product_count",
    )
    list_filter = ("kind", "offers_finishes", "offers_formats")
    search_fields = ("name_fr", "name_en", "name_es", "name_de", "slug")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Category]:
        return (
            super()
            .get_queryset(request)
            .annotate(products_found=Count("products", filter=Q(products__trashed_at=None)))
        )

    @admin.display(description=_("produits"), ordering="products_found")
    def product_count(self, category: Category) -> int:
        return int(category.products_found)  # type: ignore[attr-defined]
