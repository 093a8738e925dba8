"""Which texts of the pages exist in every language of the shop; French fills in where one is missing."""

from modeltranslation.translator import TranslationOptions, register

from shop.core.languages import SOURCE_LANGUAGE
from shop.pages.models import FaqEntry, PageText, SeasonalBanner


@register(FaqEntry)
class FaqEntryTranslation(TranslationOptions):
    fields = ("question", "answer")
    required_languages = {SOURCE_LANGUAGE: ("question", "answer")}


@register(PageText)
class PageTextTranslation(TranslationOptions):
    fields = ("title", "body")


@register(SeasonalBanner)
class SeasonalBannerTranslation(TranslationOptions):
    fields = ("title", "text", "link_label", "alt")
    required_languages = {SOURCE_LANGUAGE: ("title", "link_label")}
