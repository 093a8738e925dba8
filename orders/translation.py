"""Which texts of orders exist in every language of the shop; French fills in where one is missing."""

from modeltranslation.translator import TranslationOptions, register

from orders.models import WorkshopClosure


@register(WorkshopClosure)
class WorkshopClosureTranslation(TranslationOptions):
    fields = ("message",)
