"""What a page is called in the statistics: its route, and the thing that it shows."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from django.conf import settings
from django.urls import Resolver404, resolve
from django.utils import translation

from shop.core.languages import language_of_path
from shop.core.request_kind import STAFF_PREFIX
from shop.statistics.models import LABEL_LENGTH

# Of the parts of an address only these are counted by: neither keys of links nor orders.
_OBJECTS = ("product_id", "article_id", "slug")
_LONGEST_PATH = 300
_PARTS_OF_NO_PAGE = ("/api/", "/webhooks/", "/functions/", "/media/", "/static/", f"{STAFF_PREFIX}/")


class PageName(NamedTuple):
    """A route, `catalog:product`, the same with its object, `catalog:product/12`, and the page's language."""

    route: str
    label: str
    language: str


@lru_cache(maxsize=4096)
def page_name(path: str) -> PageName | None:
    """Return what a path of the shop is counted as; None for what is no page of it. No query.

    Whether the object exists is not asked: how many labels a day can have is limited (`shop.statistics.batch`).
    """
    if len(path) > _LONGEST_PATH or path == STAFF_PREFIX or path.startswith(_PARTS_OF_NO_PAGE):
        return None
    if path.startswith(f"/{settings.ADMIN_PATH}"):
        return None
    language = language_of_path(path) or settings.LANGUAGE_CODE
    with translation.override(language):
        try:
            match = resolve(path)
        except Resolver404:
            return None
    if not match.url_name:
        return None
    key = next((str(match.kwargs[name]) for name in _OBJECTS if name in match.kwargs), "")
    label = f"{match.view_name}/{key}" if key else match.view_name
    return PageName(match.view_name, label[:LABEL_LENGTH], language)
