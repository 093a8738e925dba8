"""Which texts of the catalogue exist in every language of the shop; French fills in where one is missing."""

from django.conf import settings
from modeltranslation.translator import TranslationOptions, register

from catalog.models import (
    CATEGORY_TEXTS,
    PRODUCT_TEXTS,
    Category,
    CategoryFeature,
    CategoryPicture,
    Product,
    ProductImage,
    ProductVariation,
)


@register(Category)
class CategoryTranslation(TranslationOptions):
    fields = CATEGORY_TEXTS
    required_languages = {settings.LANGUAGE_CODE: ("name",)}


@register(CategoryFeature)
class CategoryFeatureTranslation(TranslationOptions):
    fields = ("title", "text")
    required_languages = {settings.LANGUAGE_CODE: ("title",)}


@register(CategoryPicture)
class CategoryPictureTranslation(TranslationOptions):
    fields = ("alt",)


@register(Product)
class ProductTranslation(TranslationOptions):
    fields = PRODUCT_TEXTS
    required_languages = {settings.LANGUAGE_CODE: ("name",)}


@register(ProductVariation)
class ProductVariationTranslation(TranslationOptions):
    fields = ("name",)
    required_languages = {settings.LANGUAGE_CODE: ("name",)}


@register(ProductImage)
class ProductImageTranslation(TranslationOptions):
    fields = ("alt",)
