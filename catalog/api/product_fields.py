"""The fields of a product as programs write them, checked one by one before anything is written.

Every wrong field has its line. Unknown ones are wrong; those of an answer that can't be written are ignored, so that a
document that was read may be sent back.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext as _
from rest_framework import serializers

from catalog.models import (
    PRODUCT_TEXTS,
    Finish,
    Product,
    ProductVariation,
    PromotionType,
    SafetyClass,
    Variant,
)
from catalog.models.product import ABOVE_ZERO
from catalog.selectors.categories import find_named_category
from catalog.services.gallery import MOST_PICTURES
from catalog.services.products import MOST_FORMATS
from shop.core.languages import SOURCE_LANGUAGE, TRANSLATIONS
from shop.core.outbound import FETCHED_SCHEMES, AddressRefused, check_address
from shop.core.seen_texts import LineField, refuse_control_signs, refuse_unseen
from shop.core.staff_calls import MomentField

MOST_VARIANTS = 200
MOST_UNITS, MOST_GRAMS = 100_000, 1_000_000
# Of texts whose columns have no limit of their own.
TEXT_LENGTHS = {"description": 2000, "full_description": 20_000, "warnings": 2000, "maker": 2000}
_WEEKS = ("semaine", "week", "semana", "woche")
_UNITS = "|".join((*_WEEKS, "jour", "day", "día", "tag"))
_PERIOD = re.compile(rf"(\d{{1,3}})(?: ?(?:-|–|à|to|a|bis) ?(\d{{1,3}}))? ?({_UNITS})[sne]?\Z")


def text(model: type[models.Model], name: str) -> serializers.CharField:
    """A text with the limits of its column; null stands for an empty one."""
    column: Any = model._meta.get_field(name)
    patterns = [each for each in column.validators if isinstance(each, RegexValidator)]
    is_line = isinstance(column, models.CharField)
    rules = (refuse_unseen, refuse_control_signs) if is_line else (refuse_unseen,)
    return serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=column.max_length or TEXT_LENGTHS[name],
        validators=[*rules, *patterns],
    )


def amount(*, required: bool = False, is_price: bool = True, **options: Any) -> serializers.DecimalField:
    """An amount in euros, as a string or a number; a price is above 0."""
    if is_price:
        options |= {
            "min_value": Decimal("0.01"),
            "error_messages": {"min_value": ABOVE_ZERO[0].message},
        }
    return serializers.DecimalField(max_digits=10, decimal_places=2, required=required, **options)


def number(most: int) -> serializers.IntegerField:
    return serializers.IntegerField(required=False, allow_null=True, min_value=0, max_value=most)


def height() -> serializers.DecimalField:
    return serializers.DecimalField(
        max_digits=6, decimal_places=1, required=False, allow_null=True, min_value=Decimal("0.1")
    )


class WebPicture(serializers.CharField):
    """The address of a picture: one of the product's own, or one on the internet, which is copied in the background."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"max_length": 2000, **kwargs})

    def to_internal_value(self, data: Any) -> str:
        url = super().to_internal_value(data)
        if url and url not in self.context.get("own_pictures", ()):
            try:
                check_address(url, schemes=FETCHED_SCHEMES)
            except AddressRefused as refused:
                known = {
                    "private": _("Cette adresse n'est pas sur l'internet public."),
                    "credentials": _("L'adresse ne doit contenir ni nom d'utilisateur ni mot de passe."),
                }
                message = known.get(refused.reason, _("Ce n'est pas une adresse web complète."))
                raise serializers.ValidationError(message) from refused
        return url


def gallery() -> serializers.ListField:
    return serializers.ListField(child=WebPicture(), required=False, max_length=MOST_PICTURES)


class StrictFields(serializers.Serializer[Any]):
    """Refuses fields that do not exist. Of an answer, `ignored` ones may come back."""

    ignored: tuple[str, ...] = ()

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, dict):
            return super().to_internal_value(data)
        unknown = {
            name: [_("Ce champ n'existe pas.")]
            for name in data
            if name not in self.fields and name not in self.ignored
        }
        given = {name: "" if value is None and self._is_text(name) else value for name, value in data.items()}
        try:
            values = super().to_internal_value(given)
        except serializers.ValidationError as error:
            known = error.detail if isinstance(error.detail, dict) else {}
            raise serializers.ValidationError({**known, **unknown}) from error
        if unknown:
            raise serializers.ValidationError(unknown)
        return values

    def _is_text(self, name: str) -> bool:
        field = self.fields.get(name)
        return isinstance(field, serializers.CharField) and field.allow_blank and not field.allow_null


class VariationFields(StrictFields):
    """A format. Found by `id`, else by `name` (the French one). `in_stock` and `sku` are those of its variants."""

    ignored = ("image_url",)

    id = serializers.IntegerField(required=False, min_value=1)
    name = LineField(required=False, max_length=ProductVariation._meta.get_field("name").max_length)
    price_adjustment = amount(is_price=False)
    price_override = amount(allow_null=True)
    in_stock = serializers.BooleanField(required=False)
    sku = text(Variant, "sku")
    is_default = serializers.BooleanField(required=False)
    sort_order = serializers.IntegerField(required=False, min_value=0, max_value=1000)
    gallery_images = gallery()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "id" not in attrs and "name" not in attrs:
            raise serializers.ValidationError({"name": _("Le nom de la variation est obligatoire")})
        return attrs


class VariantFields(StrictFields):
    """One format in one finish, found by `id`, else by `variation` (name) and `finish`. Only those on sale exist."""

    ignored = ("variation_id", "full_price")

    id = serializers.IntegerField(required=False, min_value=1)
    variation = serializers.CharField(required=False, allow_null=True, max_length=120)
    finish = serializers.ChoiceField(required=False, allow_null=True, choices=Finish.choices)
    sku = text(Variant, "sku")
    price = amount(allow_null=True)
    in_stock = serializers.BooleanField(required=False)
    stock_quantity = number(MOST_UNITS)
    seen_stock_quantity = number(MOST_UNITS)
    weight_grams = number(MOST_GRAMS)
    production_days_min = number(Product.MAX_PRODUCTION_DAYS)
    production_days_max = number(Product.MAX_PRODUCTION_DAYS)
    dimensions = text(Variant, "dimensions")
    height_cm = height()
    weight = text(Variant, "weight")


class TextFields(StrictFields):
    """The texts of a product in one language."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {name: text(Product, name) for name in PRODUCT_TEXTS}


class Translations(StrictFields):
    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {language: TextFields(required=False) for language in TRANSLATIONS}


class PendingFields(StrictFields):
    """A picture that an answer said is still to be copied."""

    ignored = ("state", "failure")

    url = serializers.CharField(max_length=2000)
    variation_id = serializers.IntegerField(required=False, allow_null=True, min_value=1)


class ProductFields(StrictFields):
    """A product. A list that is given replaces the one there was: photos and formats that it does not name are removed.
    Texts are French; `translations` has the others."""

    ignored = (
        *("id", "url", "category_slug", "created_at"),
        *("price_from", "price_to", "archived"),
    )

    name = LineField(max_length=Product._meta.get_field("name").max_length)
    slug = serializers.SlugField(required=False, allow_blank=True, max_length=180)
    description = text(Product, "description")
    full_description = text(Product, "full_description")
    material = text(Product, "material")
    paint_type = text(Product, "paint_type")
    safety_class = serializers.ChoiceField(
        required=False, allow_blank=True, choices=SafetyClass.choices, help_text="Empty: the category's."
    )
    minimum_age = number(99)
    warnings = text(Product, "warnings")
    maker = text(Product, "maker")
    translations = Translations(required=False)
    category = serializers.CharField(max_length=120, help_text="Name in any language, or slug.")
    price = amount(required=True)
    original_price = amount(allow_null=True)
    painted_price = amount(allow_null=True)
    unpainted_price = amount(allow_null=True)
    featured = serializers.BooleanField(required=False)
    in_stock = serializers.BooleanField(required=False)
    stock_quantity = number(MOST_UNITS)
    seen_stock_quantity = number(MOST_UNITS)
    is_published = serializers.BooleanField(required=False)
    dimensions = text(Product, "dimensions")
    height_cm = height()
    weight = text(Product, "weight")
    weight_grams = number(MOST_GRAMS)
    hs_code = text(Product, "hs_code")
    origin_country = serializers.RegexField(r"\A([A-Z]{2})?\Z", required=False, allow_blank=True)
    production_time = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=40,
        help_text="`2 à 4 semaines`, `10 jours`; sets both days.",
    )
    production_days_min = number(Product.MAX_PRODUCTION_DAYS)
    production_days_max = number(Product.MAX_PRODUCTION_DAYS)
    promotion_active = serializers.BooleanField(required=False)
    promotion_type = serializers.ChoiceField(
        required=False,
        allow_null=True,
        choices=PromotionType.choices,
        help_text="`percent` and `amount`, reductions of the price, only of a product that has that one.",
    )
    promotion_buy_quantity = number(1000)
    promotion_get_quantity = number(1000)
    image_url = WebPicture(required=False, allow_blank=True, help_text="The first photo of the gallery.")
    gallery_images = gallery()
    pending_images = PendingFields(
        many=True, required=False, help_text="Those that stay beside the galleries that are given."
    )
    variations = VariationFields(many=True, required=False, max_length=MOST_FORMATS)  # type: ignore[call-arg]
    variants = VariantFields(many=True, required=False, max_length=MOST_VARIANTS)  # type: ignore[call-arg]
    source = text(Product, "source")  # type: ignore[assignment]
    external_id = LineField(required=False, allow_null=True, max_length=120)
    updated_at = MomentField(
        required=False, help_text="The version that was read: another one since is a 409."
    )

    def validate_category(self, value: str) -> Any:
        own = self.context.get("own_category")
        # As it was read: another category may have the same name, or its address.
        if own is not None and value == getattr(own, f"name_{SOURCE_LANGUAGE}"):
            return own
        category = find_named_category(value)
        if category is None:
            raise serializers.ValidationError(_("Cette catégorie n'existe pas."))
        return category

    def validate_production_time(self, value: str) -> tuple[int, int] | None:
        return read_period(value)

    def validate_variations(self, value: list[dict[str, Any]]) -> list[dict[str, Any]]:
        keys = [each["id"] for each in value if "id" in each]
        if len(keys) != len(set(keys)):
            raise serializers.ValidationError(_("Deux variations ont le même nom ou le même numéro."))
        if sum(each.get("is_default", False) for each in value) > 1:
            raise serializers.ValidationError(_("Une seule variation peut être celle par défaut."))
        return value


def read_period(value: str) -> tuple[int, int] | None:
    """Return the days of a production time (`2 à 4 semaines`, `10 jours`), None for an empty one. Raises
    ValidationError."""
    written = " ".join(value.lower().replace("\u00a0", " ").split())
    if not written:
        return None
    found = _PERIOD.match(written)
    if found is None:
        raise serializers.ValidationError(
            _(
                "Écrivez un délai en jours ou en semaines\u00a0: «\u00a010 jours\u00a0», «\u00a02 à 4 semaines\u00a0»."
            )
        )
    low, high, unit = found.groups()
    days = 7 if unit in _WEEKS else 1
    return int(low) * days, int(high or low) * days
