"""Which texts of the blog exist in every language of the shop; French fills in where one is missing."""

from django.conf import settings
from modeltranslation.translator import TranslationOptions, register

from blog.models import ARTICLE_TEXTS, Article, Tag


@register(Article)
class ArticleTranslation(TranslationOptions):
    fields = ARTICLE_TEXTS
    required_languages = {settings.LANGUAGE_CODE: ("title",)}


@register(Tag)
class TagTranslation(TranslationOptions):
    fields = ("name",)
    required_languages = {settings.LANGUAGE_CODE: ("name",)}
