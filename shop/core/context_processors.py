"""What every page knows. Nothing here depends on the visitor: public pages are the same bytes for all."""

from functools import lru_cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import translate_url
from django.utils import translation
from django.utils.functional import SimpleLazyObject

from shop.core.fragment_cache import cached_fragment
from shop.core.models import ShopSettings


def shop(request: HttpRequest) -> dict[str, Any]:
    """`shop` (the shop's settings row), `language`, `canonical_url`, `site_url` and `alternates`
    (code, name, absolute address of this page in each language)."""
    return {
        "shop": SimpleLazyObject(lambda: cached_fragment(ShopSettings.load, "shop-settings")),
        "language": translation.get_language(),
        "site_url": settings.SITE_URL,
        "canonical_url": settings.SITE_URL + request.path,
        "alternates": SimpleLazyObject(lambda: _alternates(request)),
        "debug": settings.DEBUG,
    }


def _alternates(request: HttpRequest) -> list[tuple[str, str, str]]:
    current = translation.get_language()
    return [
        (code, name, settings.SITE_URL + _path_in(code, request.path, current))
        for code, name in settings.LANGUAGES
    ]


# Addresses are code: they change with a new start only.
@lru_cache(maxsize=1024)
def _path_in(code: str, path: str, current: str | None) -> str:
    return translate_url(path, code)
