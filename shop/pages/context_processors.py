"""What every page of the shop shows around its content."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from shop.pages.selectors.menus import shop_menu


def menu(request: HttpRequest) -> dict[str, Any]:
    """`shop_menu`: read once a page, and only by pages that show a menu."""
    return {"shop_menu": SimpleLazyObject(shop_menu)}
