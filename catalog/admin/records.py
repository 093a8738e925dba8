"""What belongs to products and categories, in Django's admin: whose SKU, file or old address something is."""

from __future__ import annotations

from functools import partial

from django.contrib import admin

from catalog.models import CategoryPicture, FormerSlug, PictureImport, ProductImage, RetiredPicture, Variant
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import RecordAdmin

show = partial(admin.site.register, admin_class=RecordAdmin, view_action=StaffAction.SEE_PRODUCTS)

show(
    Variant,
    staff_list="staff-products",
    staff_row="staff-product",
    staff_key="product_id",
    list_display=("sku", "product", "variation", "finish", "in_stock", "stock_quantity", "price"),
    list_filter=("finish", "in_stock"),
    search_fields=("sku", "product__name_fr"),
    ordering=("-pk",),
)
show(
    ProductImage,
    staff_list="staff-products",
    staff_row="staff-product",
    staff_key="product_id",
    list_display=("file", "product", "finish", "variation", "position", "width", "height"),
    list_filter=("finish",),
    search_fields=("file", "product__name_fr"),
    ordering=("-pk",),
)
show(
    PictureImport,
    staff_list="staff-products",
    staff_row="staff-product",
    staff_key="product_id",
    list_display=("url", "product", "variation", "state", "failure", "attempts", "next_attempt_at"),
    list_filter=("state",),
    search_fields=("url", "product__name_fr", "failure"),
    ordering=("-pk",),
)
show(
    CategoryPicture,
    staff_list="staff-categories",
    staff_row="staff-categories-edit",
    staff_key="category_id",
    list_display=("file", "category", "width", "height"),
    search_fields=("file", "category__name_fr"),
    ordering=("-pk",),
)
show(
    FormerSlug,
    staff_list="staff-categories",
    staff_row="staff-categories-edit",
    staff_key="category_id",
    list_display=("slug", "category"),
    search_fields=("slug", "category__name_fr"),
)
show(RetiredPicture, list_display=("file", "retired_at"), search_fields=("file",), ordering=("-pk",))
