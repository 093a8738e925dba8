"""The catalogue in Django's admin. Saving goes through the services, which hold the rules."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import admin
from django.db.models import Count, ForeignKey, Model, QuerySet
from django.forms import BaseInlineFormSet, ModelChoiceField, ModelForm
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from catalog import admin_visitors  # noqa: F401 - registers its rows
from catalog.admin_forms import (
    CategoryForm,
    FeatureForm,
    ImageForm,
    ModelForm3D,
    ProductForm,
    VariationFormSet,
)
from catalog.models import (
    Category,
    CategoryFeature,
    PricePoint,
    Product,
    ProductImage,
    ProductModel,
    ProductVariation,
)
from catalog.selectors import search, wording
from catalog.selectors.customs import without_customs_data
from catalog.selectors.pictures import image_info
from catalog.services.images import add_product_image, delete_product_image, set_category_picture
from catalog.services.models3d import delete_product_model, set_product_model
from catalog.services.products import (
    LANGUAGES,
    delete_product,
    delete_variation,
    refresh_product,
    save_category,
    save_product,
    save_variation,
)


def _texts(*fields: str) -> list[Any]:
    """One foldable part a language: open in French, which the others fall back to."""
    names = {"fr": "Français", "en": "English", "es": "Español", "de": "Deutsch"}
    return [
        (
            names[language],
            {
                "fields": tuple(f"{field}_{language}" for field in fields),
                "classes": () if language == "fr" else ("collapse",),
            },
        )
        for language in LANGUAGES
    ]


class ImageInline(admin.TabularInline[ProductImage, Product]):
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
        return _preview(row)

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


class ModelInline(admin.StackedInline[ProductModel, Product]):
    model = ProductModel
    form = ModelForm3D
    extra = 0
    max_num = 1
    fields = ("preview", "upload", "poster")
    readonly_fields = ("preview",)

    @admin.display(description=_("aperçu"))
    def preview(self, row: ProductModel) -> SafeString | str:
        return _preview(row)


class VariationInline(admin.StackedInline[ProductVariation, Product]):
    model = ProductVariation
    formset = VariationFormSet
    extra = 0
    fields = (
        ("name_fr", "name_en", "name_es", "name_de"),
        ("price_adjustment", "price_override", "is_default"),
        ("in_stock", "stock_quantity"),
        ("sort_order", "sku"),
    )


class CustomsFilter(admin.SimpleListFilter):
    """Pieces that a parcel outside the Union can't declare yet."""

    title = _("données douanières")
    parameter_name = "customs"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("missing", _("À compléter"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Product]) -> QuerySet[Product]:
        if self.value() == "missing":
            return queryset.filter(without_customs_data())
        return queryset


@admin.register(Product)
class ProductAdmin(admin.ModelAdmin[Product]):
    """Products, with their photos and variations."""

    form = ProductForm
    inlines = (ImageInline, VariationInline, ModelInline)
    list_display = (
        "thumbnail",
        "name",
        "category",
        "prices",
        "in_stock",
        "stock_quantity",
        "featured",
        "is_published",
        "promotion",
        "created_at",
    )
    list_display_links = ("thumbnail", "name")
    list_filter = (
        "category",
        "is_published",
        "in_stock",
        "featured",
        "promotion_active",
        "promotion_type",
        "source",
        CustomsFilter,
    )
    list_select_related = ("category",)
    list_per_page = 50
    show_full_result_count = False
    date_hierarchy = "created_at"
    search_fields = ("search_text",)
    search_help_text = _("Nom, description, catégorie ; référence ou identifiant externe exacts.")
    autocomplete_fields = ("picked_similar",)
    readonly_fields = ("updated_at", "price_from", "price_to", "crossed_out")
    actions = ("publish", "unpublish")
    fieldsets = (
        (None, {"fields": ("version", "category", ("is_published", "featured"))}),
        *_texts("name", "slug", "description", "full_description", "material", "paint_type"),
        (
            _("Prix"),
            {
                "fields": (
                    ("price", "original_price"),
                    ("painted_price", "unpainted_price"),
                    ("price_from", "price_to", "crossed_out"),
                )
            },
        ),
        (_("Stock"), {"fields": (("in_stock", "stock_quantity"),)}),
        (
            _("Promotion"),
            {
                "fields": (
                    ("promotion_active", "promotion_type"),
                    ("promotion_buy_quantity", "promotion_get_quantity"),
                )
            },
        ),
        (
            _("Caractéristiques"),
            {
                "fields": (
                    ("dimensions", "height_cm", "weight"),
                    ("production_days_min", "production_days_max"),
                )
            },
        ),
        (
            _("Douane"),
            {
                "description": _(
                    "Déclaré sur les colis hors de l'Union européenne, et gardé avec chaque commande."
                ),
                "fields": (("hs_code", "origin_country", "weight_grams"),),
            },
        ),
        (
            _("Divers"),
            {"fields": ("picked_similar", "source", "external_id", "created_at", "updated_at")},
        ),
    )

    @admin.display(description=_("photo"))
    def thumbnail(self, product: Product) -> SafeString | str:
        return _preview(next(iter(product.images.all()), None))

    @admin.display(description=_("prix"), ordering="price_from")
    def prices(self, product: Product) -> str:
        low, high = wording.amount_text(product.price_from), wording.amount_text(product.price_to)
        return low if low == high else f"{low} – {high}"

    @admin.display(description=_("promotion"))
    def promotion(self, product: Product) -> str:
        return wording.promotion_label(product)

    @admin.action(description=_("Publier"), permissions=("change",))
    def publish(self, request: HttpRequest, chosen: QuerySet[Product]) -> None:
        self._set_published(chosen, published=True)

    @admin.action(description=_("Retirer de la boutique"), permissions=("change",))
    def unpublish(self, request: HttpRequest, chosen: QuerySet[Product]) -> None:
        self._set_published(chosen, published=False)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Product]:
        return super().get_queryset(request).prefetch_related("images")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Product], search_term: str
    ) -> tuple[QuerySet[Product], bool]:
        """As in the shop, plus exact references."""
        words = search.query_words(search_term)
        if not words:
            return queryset, False
        exact = Product.objects.filter(external_id=search_term.strip()) | Product.objects.filter(
            variations__sku=search_term.strip()
        )
        found = search.matching(queryset, words) | queryset.filter(pk__in=exact.order_by().values("pk"))
        return found, False

    def save_model(self, request: HttpRequest, obj: Product, form: ModelForm[Product], change: bool) -> None:
        save_product(product=obj)

    def save_formset(
        self, request: HttpRequest, form: Any, formset: BaseInlineFormSet[Any, Any, Any], change: bool
    ) -> None:
        formset.save(commit=False)
        if formset.model is ProductImage:
            _save_images(formset)
        elif formset.model is ProductModel:
            _save_model(formset)
        else:
            _save_variations(formset)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        refresh_product(product_id=form.instance.pk)

    def delete_model(self, request: HttpRequest, obj: Product) -> None:
        delete_product(product=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Product]) -> None:
        for product in queryset.order_by("pk"):
            delete_product(product=product)

    def _set_published(self, chosen: QuerySet[Product], *, published: bool) -> None:
        for product in chosen.order_by("pk"):
            product.is_published = published
            save_product(product=product)


class FeatureInline(admin.StackedInline[CategoryFeature, Category]):
    model = CategoryFeature
    form = FeatureForm
    extra = 0
    max_num = 3


@admin.register(Category)
class CategoryAdmin(admin.ModelAdmin[Category]):
    """Categories and collections."""

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
        *_texts("name", "title", "description", "intro"),
    )
    readonly_fields = ("picture_preview",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Category]:
        return super().get_queryset(request).annotate(products_found=Count("products"))

    @admin.display(description=_("produits"), ordering="products_found")
    def product_count(self, category: Category) -> int:
        return int(category.products_found)  # type: ignore[attr-defined]

    @admin.display(description=_("image actuelle"))
    def picture_preview(self, category: Category) -> SafeString | str:
        return _preview(getattr(category, "picture", None))

    def save_model(
        self, request: HttpRequest, obj: Category, form: ModelForm[Category], change: bool
    ) -> None:
        save_category(category=obj)
        upload = form.cleaned_data.get("new_picture")
        if upload is not None:
            set_category_picture(category=obj, file=upload, name=upload.name)


@admin.register(PricePoint)
class PricePointAdmin(admin.ModelAdmin[PricePoint]):
    """Prices over time: the proof of what was asked. Nobody writes them here."""

    list_display = ("product_id", "variation_id", "finish", "amount", "starts_at", "lowest_prior")
    list_filter = ("finish",)
    date_hierarchy = "starts_at"
    search_fields = ("product_id",)
    search_help_text = _("Nom du produit ou son numéro.")
    ordering = ("-starts_at", "-pk")
    fields = list_display
    show_full_result_count = False

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[PricePoint], search_term: str
    ) -> tuple[QuerySet[PricePoint], bool]:
        words = search.query_words(search_term)
        if not words:
            return queryset, False
        named = search.matching(Product.objects.all(), words).order_by().values("pk")
        found = queryset.filter(product_id__in=named)
        number = search_term.strip()
        if number.isascii() and number.isdigit() and len(number) <= 18:
            # Also of products that were deleted.
            found |= queryset.filter(product_id=int(number))
        return found, False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: PricePoint | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: PricePoint | None = None) -> bool:
        return False


def _preview(row: Any) -> SafeString | str:
    if row is None or not row.file.name:
        return "–"
    image = image_info(row, "")
    return format_html(
        '<img src="{}" alt="{}" width="72" height="72" loading="lazy">', image.smallest_url, image.alt
    )


def _save_images(formset: BaseInlineFormSet[Any, Any, Any]) -> None:
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
            file=data["upload"],
            name=data["upload"].name,
            finish=data["finish"],
            variation=data["variation"],
            position=data["position"] or None,
        )
        for language in LANGUAGES:
            setattr(row, f"alt_{language}", data[f"alt_{language}"] or "")
        row.save()


def _save_model(formset: BaseInlineFormSet[Any, Any, Any]) -> None:
    product = cast(Product, formset.instance)
    if formset.deleted_objects:
        delete_product_model(product=product)
    for form in formset.forms:
        data = form.cleaned_data
        if data.get("upload") and data.get("poster") and not data.get("DELETE"):
            set_product_model(
                product=product,
                file=data["upload"],
                name=data["upload"].name,
                poster=data["poster"],
                poster_name=data["poster"].name,
            )


def _save_variations(formset: BaseInlineFormSet[Any, Any, Any]) -> None:
    for variation in formset.deleted_objects:
        delete_variation(variation=variation)
    changed: list[Model] = [variation for variation, _changed in formset.changed_objects]
    for variation in cast(list[ProductVariation], [*changed, *formset.new_objects]):
        save_variation(variation=variation)
