"""Photos, formats, variants and 3D model below a product, to look at."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from catalog.admin.forms import preview_of
from catalog.models import Product, ProductImage, ProductModel, ProductVariation, Variant
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffRights


class ImageInline(StaffRights, admin.TabularInline[ProductImage, Product]):
    """Its photos, to look at."""

    view_action = StaffAction.SEE_PRODUCTS
    model = ProductImage
    fields = readonly_fields = (
        *("preview", "position", "finish", "variation", "alt_fr", "alt_en", "alt_es", "alt_de"),
        *("focus_x", "focus_y", "crop"),
    )

    @admin.display(description=_("aperçu"))
    def preview(self, row: ProductImage) -> SafeString | str:
        return preview_of(row)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ProductImage]:
        return super().get_queryset(request).select_related("variation")


class ModelInline(StaffRights, admin.StackedInline[ProductModel, Product]):
    """Its 3D model, to look at."""

    view_action = StaffAction.SEE_PRODUCTS
    model = ProductModel
    fields = readonly_fields = ("preview", "model_bytes")

    @admin.display(description=_("aperçu"))
    def preview(self, row: ProductModel) -> SafeString | str:
        return preview_of(row)


class VariationInline(StaffRights, admin.TabularInline[ProductVariation, Product]):
    """Its formats, to look at."""

    view_action = StaffAction.SEE_PRODUCTS
    model = ProductVariation
    fields = readonly_fields = (
        *("name_fr", "name_en", "name_es", "name_de"),
        *("price_adjustment", "price_override", "is_default", "sort_order"),
    )


class VariantInline(StaffRights, admin.TabularInline[Variant, Product]):
    """What is sold of the product, to look at."""

    view_action = StaffAction.SEE_PRODUCTS
    model = Variant
    fields = readonly_fields = (
        *("in_stock", "stock_quantity", "price", "sku", "weight_grams", "weight", "dimensions", "height_cm"),
        *("production_days_min", "production_days_max"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Variant]:
        return super().get_queryset(request).select_related("variation")
