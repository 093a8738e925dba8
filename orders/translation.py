"""Which texts of orders exist in every language of the shop; French fills in where one is missing."""

from modeltranslation.translator import TranslationOptions, register

from orders.models import ShippingZone, Territory, WorkshopClosure
from shop.core.languages import SOURCE_LANGUAGE


@register(ShippingZone)
class ShippingZoneTranslation(TranslationOptions):
    fields = ("name",)
    required_languages = {SOURCE_LANGUAGE: ("name",)}


@register(Territory)
class TerritoryTranslation(TranslationOptions):
    fields = ("name",)
    required_languages = {SOURCE_LANGUAGE: ("name",)}


@register(WorkshopClosure)
class WorkshopClosureTranslation(TranslationOptions):
    fields = ("message",)
