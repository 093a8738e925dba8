"""The address of the home page in each language: `/`, `/en`, `/es`, `/de`, without the slash that Django would add."""

from __future__ import annotations

from django.conf import settings
from django.urls import URLResolver
from django.urls.resolvers import LocalePrefixPattern
from django.utils.translation import get_language


class LanguageRoot(LocalePrefixPattern):
    """A language prefix that is the whole path. Other pages stand under `i18n_patterns`, whose prefix ends in `/`."""

    @property
    def language_prefix(self) -> str:
        code = get_language() or settings.LANGUAGE_CODE
        return "" if code == settings.LANGUAGE_CODE else code

    @classmethod
    def resolver(cls, urlconf: str) -> URLResolver:
        """The resolver to put into `urlpatterns`; `urlconf` holds the one page of the empty path."""
        return URLResolver(cls(prefix_default_language=False), urlconf)
