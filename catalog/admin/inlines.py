"""Photos, formats and 3D model below a product: how they are shown, and how a form of them is saved."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import admin
from django.db import models
from django.db.models import ForeignKey, Model, QuerySet
from django.forms import BaseInlineFormSet, ModelChoiceField
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from catalog.admin.forms import (
    ImageForm,
    ModelForm3D,
    VariantForm,
    VariationFormSet,
    preview_of,
    read_only_fields,
)
from catalog.models import Product, ProductImage, ProductModel, ProductVariation, Variant
from catalog.services.media import (
    add_product_image,
    delete_product_image,
    delete_product_model,
    set_product_model,
)
from catalog.services.products import LANGUAGES, delete_variation, save_variant, save_variation
from shop.core.amounts import TYPED_AMOUNT
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffRights


class ImageInline(StaffRights, admin.TabularInline[ProductImage, Product]):
    view_action = StaffAction.SEE_PRODUCTS
    add_action = change_action = delete_action = StaffAction.EDIT_PRODUCT
    model = ProductImage
    form = ImageForm
    extra = 0
    fields = (
        "preview",
        "upload",
        "position",
        "finish",
        "variation",
        "alt_fr",
        "alt_en",
        "alt_es",
        "alt_de",
    )
    readonly_fields = ("preview",)

    @admin.display(description=_("aperçu"))
    def preview(self, row: ProductImage) -> SafeString | str:
        return preview_of(row)

    def formfield_for_foreignkey(
        self, db_field: ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> ModelChoiceField[Any] | None:
        if db_field.name == "variation":
            match = request.resolver_match
            product_id = str(match.kwargs.get("object_id", "")) if match else ""
            own = (
                ProductVariation.objects.filter(product_id=int(product_id))
                if product_id.isdecimal()
                else None
            )
            kwargs["queryset"] = ProductVariation.objects.none() if own is None else own
        return super().formfield_for_foreignkey(db_field, request, **kwargs)


class ModelInline(StaffRights, admin.StackedInline[ProductModel, Product]):
    view_action = StaffAction.SEE_PRODUCTS
    add_action = change_action = delete_action = StaffAction.EDIT_PRODUCT
    model = ProductModel
    form = ModelForm3D
    extra = 0
    max_num = 1
    fields = ("preview", "upload", "poster")
    readonly_fields = ("preview",)

    @admin.display(description=_("aperçu"))
    def preview(self, row: ProductModel) -> SafeString | str:
        return preview_of(row)


class VariationInline(StaffRights, admin.StackedInline[ProductVariation, Product]):
    view_action = StaffAction.SEE_PRODUCTS
    add_action = change_action = delete_action = StaffAction.EDIT_PRODUCT
    model = ProductVariation
    formfield_overrides = {models.DecimalField: TYPED_AMOUNT}
    formset = VariationFormSet
    extra = 0
    fields = (
        ("name_fr", "name_en", "name_es", "name_de"),
        ("price_adjustment", "price_override", "is_default"),
        "sort_order",
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return read_only_fields(request.user, self.fields)


class VariantInline(StaffRights, admin.StackedInline[Variant, Product]):
    """What is sold of the product; the shop itself adds a row for each format and finish."""

    view_action = StaffAction.SEE_PRODUCTS
    change_action = StaffAction.EDIT_STOCK
    add_action = delete_action = None
    model = Variant
    form = VariantForm
    formfield_overrides = {models.DecimalField: TYPED_AMOUNT}
    extra = 0
    can_delete = False
    fields = (
        ("in_stock", "stock_quantity", "price"),
        ("sku", "weight_grams", "weight"),
        ("dimensions", "height_cm"),
        ("production_days_min", "production_days_max"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Variant]:
        return super().get_queryset(request).select_related("variation")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return read_only_fields(request.user, self.fields)


def save_images(formset: BaseInlineFormSet[Any, Any, Any]) -> None:
    """Delete, change and add photos, in this order: new ones come after those that stay."""
    for image in formset.deleted_objects:
        delete_product_image(image=image)
    for image, _changed in formset.changed_objects:
        image.save()
    for form in formset.extra_forms:
        data = form.cleaned_data
        if not data.get("upload") or data.get("DELETE"):
            continue
        row = add_product_image(
            product=cast(Product, formset.instance),
            image=data["upload"],
            finish=data["finish"],
            variation=data["variation"],
            position=data["position"] or None,
        )
        for language in LANGUAGES:
            setattr(row, f"alt_{language}", data[f"alt_{language}"] or "")
        row.save()


def save_model(formset: BaseInlineFormSet[Any, Any, Any]) -> None:
    """Delete or replace the 3D model."""
    product = cast(Product, formset.instance)
    if formset.deleted_objects:
        delete_product_model(product=product)
    for form in formset.forms:
        data = form.cleaned_data
        if data.get("upload") and data.get("poster") and not data.get("DELETE"):
            set_product_model(product=product, model=data["upload"], poster=data["poster"])


def save_variations(formset: BaseInlineFormSet[Any, Any, Any]) -> None:
    """Delete, change and add variations; each save refreshes the product."""
    for variation in formset.deleted_objects:
        delete_variation(variation=variation)
    changed: list[Model] = [variation for variation, _changed in formset.changed_objects]
    for variation in cast(list[ProductVariation], [*changed, *formset.new_objects]):
        save_variation(variation=variation)


def save_variants(formset: BaseInlineFormSet[Any, Any, Any]) -> None:
    """Change variants; each save refreshes the product. Those whose format was deleted on the same page are gone."""
    changed = [variant for variant, _changed in formset.changed_objects]
    left = set(Variant.objects.filter(pk__in=[row.pk for row in changed]).values_list("pk", flat=True))
    for variant in changed:
        if variant.pk in left:
            save_variant(variant=variant)
