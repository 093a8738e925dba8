"""Products as staff write and read them: every field by its name, texts by language (`name` is the French one)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.db import models
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_countries import countries
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from catalog.api.product_fields import TEXT_LENGTHS, read_period
from catalog.api.products import Money, ProductPicture
from catalog.models import PRODUCT_TEXTS, Category, Finish, Product, PromotionType
from catalog.selectors import wording
from catalog.selectors.addresses import product_url
from catalog.selectors.categories import find_named_category
from catalog.selectors.pictures import image_info
from catalog.selectors.product_columns import column_label, product_column
from catalog.selectors.product_documents import PRICES
from catalog.selectors.wording import default_production_days, production_days, production_text
from catalog.services.staff_products import PROMOTION_FIELDS, own_promotion_values
from catalog.services.translations import TRANSLATED_COLUMNS
from shop.core.amounts import AmountField
from shop.core.languages import SOURCE_LANGUAGE, TRANSLATIONS
from shop.core.row_keys import read_key
from shop.core.seen_texts import LineField
from shop.core.staff_calls import KnownFieldsSerializer, MomentField

LOWEST = Decimal("0.01")
ABOVE_ZERO = {"min_value": gettext_lazy("Le prix doit être supérieur à 0,00\u00a0€.")}
TEXT_SOURCES: dict[str, str] = {
    **{text: f"{text}_{SOURCE_LANGUAGE}" for text in PRODUCT_TEXTS},
    **{f"{text}_{code}": f"{text}_{code}" for text in PRODUCT_TEXTS for code in TRANSLATIONS},
}
_DAYS = ("production_days_min", "production_days_max")
WRITABLE = (
    *(*TEXT_SOURCES, "category", *PRICES, *PROMOTION_FIELDS),
    *("featured", "in_stock", "stock_quantity", "is_published"),
    *("dimensions", "height_cm", "weight", "weight_grams", "hs_code", "origin_country"),
    *("production_time", "production_days_min", "production_days_max", "picked_similar", "external_id"),
    *("safety_class", "minimum_age", "maker"),
)


def _text_options(name: str) -> dict[str, Any]:
    options: dict[str, Any] = {} if TEXT_SOURCES[name] == name else {"source": TEXT_SOURCES[name]}
    if name == "name":
        return options | {"required": True, "allow_null": False, "allow_blank": False}
    options |= {"required": False, "allow_blank": True}
    text, _underscore, _language = TEXT_SOURCES[name].rpartition("_")
    if isinstance(Product._meta.get_field(text), models.TextField):
        options["max_length"] = TEXT_LENGTHS[text]
    return options


@extend_schema_field(OpenApiTypes.STR)
class CategoryField(serializers.Field[Category, Any, str, Product]):
    """A category by its number, or its address or name in some language; as text « 151 » is an address first. Read: its
    name."""

    default_error_messages = {"unknown": gettext_lazy("Cette catégorie n'existe pas.")}

    def to_internal_value(self, data: Any) -> Category:
        if isinstance(data, bool) or not isinstance(data, int | str):
            self.fail("unknown")
        text = str(data).strip()[:200]
        found = find_named_category(text) if isinstance(data, str) else None
        if found is None and (key := read_key(text)) is not None:
            found = Category.objects.filter(pk=key).first()
        if found is None:
            self.fail("unknown")
        return found

    def to_representation(self, value: Category) -> str:
        return value.name


class OriginField(serializers.ChoiceField):
    """An ISO 3166-1 alpha-2 code, or ""."""

    def to_representation(self, value: Any) -> str:
        return str(value)


class ProductionTimeField(serializers.CharField):
    """`2 à 4 semaines`, `10 jours`: sets both days, and counts for nothing beside one of them. Read: the shop's own
    where the product has none."""

    def get_attribute(self, instance: Product) -> Any:
        return production_text(production_days(instance, None, default_production_days()))

    def run_validation(self, data: Any = serializers.empty) -> Any:
        return read_period(super().run_validation(data) or "")


class FormatSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    price_adjustment = Money()
    price_override = Money(allow_null=True)
    is_default = serializers.BooleanField()
    sort_order = serializers.IntegerField()


class VariantSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    variation_id = serializers.IntegerField(allow_null=True)
    finish = serializers.ChoiceField(choices=Finish.choices, allow_blank=True)
    sku = serializers.CharField(allow_blank=True)
    price = Money(allow_null=True)
    in_stock = serializers.BooleanField()
    stock_quantity = serializers.IntegerField(allow_null=True)


class NamedProductSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(read_only=True)
    name = serializers.CharField(read_only=True)


class StaffPictureSerializer(ProductPicture):
    id = serializers.IntegerField()
    finish = serializers.CharField(allow_blank=True)
    variation_id = serializers.IntegerField(allow_null=True)


class AdminProductSerializer(KnownFieldsSerializer, serializers.ModelSerializer[Product]):
    """A product in full. `name` and the other texts are the French ones, `name_en` and so on their translations;
    `stale_texts` name those that the French text left behind. `category` is written by number, address or name.

    A change may carry `expected_updated_at`, the `updated_at` that was read, and `seen_stock_quantity`; another version
    meanwhile answers 409 `conflict` with `current`. `confirmed_texts` are translations that are right as they are.
    """

    category = CategoryField()
    category_id = serializers.IntegerField(read_only=True)
    category_slug = serializers.CharField(source="category.slug", read_only=True)
    offers_finishes = serializers.BooleanField(source="category.offers_finishes", read_only=True)
    price = AmountField(min_value=LOWEST, error_messages=ABOVE_ZERO)
    original_price = AmountField(
        min_value=LOWEST, error_messages=ABOVE_ZERO, required=False, allow_null=True, default=None
    )
    painted_price = AmountField(
        min_value=LOWEST, error_messages=ABOVE_ZERO, required=False, allow_null=True, default=None
    )
    unpainted_price = AmountField(
        min_value=LOWEST, error_messages=ABOVE_ZERO, required=False, allow_null=True, default=None
    )
    origin_country = OriginField(choices=tuple(countries), required=False, allow_blank=True, default="")
    promotion_active = serializers.BooleanField(required=False)
    promotion_type = serializers.ChoiceField(
        choices=PromotionType.choices, required=False, allow_blank=True, allow_null=True
    )
    promotion_buy_quantity = serializers.IntegerField(
        min_value=1, max_value=99, required=False, allow_null=True
    )
    promotion_get_quantity = serializers.IntegerField(
        min_value=1, max_value=99, required=False, allow_null=True
    )
    promotion_percent = serializers.IntegerField(min_value=1, max_value=99, required=False, allow_null=True)
    promotion_amount = AmountField(min_value=LOWEST, required=False, allow_null=True)
    production_time = ProductionTimeField(max_length=40, required=False, allow_blank=True, allow_null=True)
    picked_similar = serializers.PrimaryKeyRelatedField(
        many=True, queryset=Product.objects.all(), required=False
    )
    picked_similar_names = NamedProductSerializer(source="picked_similar", many=True, read_only=True)
    expected_updated_at = MomentField(write_only=True, required=False, allow_null=True)
    seen_stock_quantity = serializers.IntegerField(write_only=True, required=False, allow_null=True)
    confirmed_texts = serializers.ListField(
        child=serializers.ChoiceField(choices=TRANSLATED_COLUMNS), write_only=True, required=False
    )
    url = serializers.SerializerMethodField()
    images = serializers.SerializerMethodField()
    image_url = serializers.SerializerMethodField()
    gallery_images = serializers.SerializerMethodField()
    variations = FormatSerializer(many=True, read_only=True)
    variants = VariantSerializer(many=True, read_only=True)
    promotion_label = serializers.SerializerMethodField()
    stale_texts = serializers.ListField(child=serializers.CharField(), read_only=True)

    class Meta:
        model = Product
        fields = (
            *("id", "url", *WRITABLE, "category_id", "category_slug", "offers_finishes"),
            *("images", "image_url", "gallery_images", "variations", "variants", "picked_similar_names"),
            *("price_from", "price_to", "crossed_out", "promotion_label", "stale_texts"),
            *("is_available", "archived_at", "trashed_at", "source", "created_at", "updated_at"),
            *("expected_updated_at", "seen_stock_quantity", "confirmed_texts"),
        )
        read_only_fields = (
            *("price_from", "price_to", "crossed_out", "is_available", "archived_at", "trashed_at"),
            *("source", "created_at", "updated_at"),
        )
        extra_kwargs = {
            **{text: _text_options(text) for text in TEXT_SOURCES},
            "maker": {"max_length": TEXT_LENGTHS["maker"]},
            # Whether it is taken is judged where the row is stored, in one place.
            "external_id": {"validators": LineField.default_validators},
        }

    def to_representation(self, instance: Product) -> dict[str, Any]:
        for name, value in own_promotion_values(getattr(instance, "own_promotion", None)).items():
            setattr(instance, name, value)
        written = super().to_representation(instance)
        return written | {
            **{text: written[text] or "" for text in TEXT_SOURCES},
            "promotion_type": written["promotion_type"] or None,
        }

    @extend_schema_field(OpenApiTypes.STR)
    def get_url(self, product: Product) -> str:
        """Its page, shown only while it is published."""
        return product_url(product)

    @extend_schema_field(StaffPictureSerializer(many=True))
    def get_images(self, product: Product) -> list[dict[str, Any]]:
        return [
            {
                "id": row.pk,
                "finish": row.finish,
                "variation_id": row.variation_id,
                "url": image.url,
                "alt": image.alt,
                "width": image.width,
                "height": image.height,
                "srcset": image.webp_srcset,
            }
            for row, image in ((row, image_info(row, product.name)) for row in product.images.all())
        ]

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_image_url(self, product: Product) -> str | None:
        return next(iter(self.get_gallery_images(product)), None)

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_gallery_images(self, product: Product) -> list[str]:
        return [image_info(row, "").url for row in product.images.all()]

    @extend_schema_field(OpenApiTypes.STR)
    def get_promotion_label(self, product: Product) -> str:
        """The promotion that runs, its own or another: « 2 achetés, 1 offert »."""
        return wording.promotion_label(product.running_promotion)


class AdminProductRowSerializer(serializers.Serializer[Product]):
    """A product in the staff's list."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    url = serializers.SerializerMethodField()
    summary = serializers.SerializerMethodField()
    category = serializers.CharField(source="category.name")
    price = Money()
    price_from = Money()
    price_to = Money()
    original_price = Money(allow_null=True)
    image = serializers.SerializerMethodField()
    featured = serializers.BooleanField()
    in_stock = serializers.BooleanField()
    sold_out = serializers.SerializerMethodField()
    stock_quantity = serializers.IntegerField(allow_null=True)
    is_published = serializers.BooleanField()
    archived_at = serializers.DateTimeField(allow_null=True)
    trashed_at = serializers.DateTimeField(allow_null=True)
    promotion_label = serializers.SerializerMethodField()
    stale_texts = serializers.ListField(child=serializers.CharField())
    source = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    external_id = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()

    @extend_schema_field(OpenApiTypes.STR)
    def get_url(self, product: Product) -> str:
        return product_url(product)

    @extend_schema_field(OpenApiTypes.STR)
    def get_summary(self, product: Product) -> str:
        """The first line of the detailed description, else of the short one."""
        texts = (product.full_description, product.description)
        return next((line.strip() for text in texts for line in text.splitlines() if line.strip()), "")

    @extend_schema_field(ProductPicture(allow_null=True))
    def get_image(self, product: Product) -> dict[str, Any] | None:
        row = next(iter(product.images.all()), None)
        if row is None or not row.file.name:
            return None
        image = image_info(row, product.name)
        return {
            "url": image.smallest_url,
            "alt": image.alt,
            "width": image.width,
            "height": image.height,
            "srcset": "",
        }

    @extend_schema_field(OpenApiTypes.BOOL)
    def get_sold_out(self, product: Product) -> bool:
        """Marked as such, or on sale with nothing left to buy."""
        return not product.in_stock or (product.is_published and not product.is_available)

    @extend_schema_field(OpenApiTypes.STR)
    def get_promotion_label(self, product: Product) -> str:
        return wording.promotion_label(product.running_promotion)


class AdminProductPageSerializer(serializers.Serializer[Any]):
    count = serializers.IntegerField()
    next = serializers.CharField(allow_null=True, help_text="Address of the following page.")
    previous = serializers.CharField(
        allow_null=True, help_text="Address of the page before, of numbered ones."
    )
    next_cursor = serializers.CharField(allow_null=True)
    results = AdminProductRowSerializer(many=True)


class FieldChangeSerializer(serializers.Serializer[Any]):
    field = serializers.CharField()
    label = serializers.SerializerMethodField()  # type: ignore[assignment]
    before = serializers.JSONField(allow_null=True)
    after = serializers.JSONField(allow_null=True)

    @extend_schema_field(OpenApiTypes.STR)
    def get_label(self, change: Any) -> str:
        label = column_label(change.field)
        if not change.is_idle:
            return label
        return _("%(field)s, sans effet\u00a0: chaque déclinaison a son propre prix") % {"field": label}

    def to_representation(self, change: Any) -> Any:
        shown = super().to_representation(change)
        return shown | {side: _in_words(change.field, shown[side]) for side in ("before", "after")}


def _in_words(name: str, value: Any) -> Any:
    """A value of a change as people read it: amounts with their comma, choices and rows by their names."""
    column = product_column(name)
    if isinstance(value, list):
        return [_in_words(name, each) for each in value]
    if isinstance(column, models.DecimalField) and value is not None:
        return number_format(Decimal(value))
    if isinstance(column, models.ForeignKey | models.ManyToManyField) and value is not None:
        return value.rpartition(" (")[0]
    return dict(getattr(column, "flatchoices", ())).get(value, value)


def values_of(form: serializers.BaseSerializer[Any]) -> dict[str, Any]:
    """The validated values as the services want them: texts never null, no external reference as null."""
    values = dict(form.validated_data)
    for name, value in values.items():
        if value is None and (name in TEXT_SOURCES.values() or name in ("promotion_type", "origin_country")):
            values[name] = ""
    if "production_time" in values:
        days = values.pop("production_time") or (None, None)
        if not values.keys() & set(_DAYS):
            values |= zip(_DAYS, days, strict=True)
    if values.get("external_id") == "":
        values["external_id"] = None
    return values
