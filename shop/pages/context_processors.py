"""What every page of the shop shows around its content."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from shop.pages.selectors.menus import shop_menu
from shop.pages.staff_navigation import staff_groups


def menu(request: HttpRequest) -> dict[str, Any]:
    """`shop_menu`: read once a page, and only by pages that show a menu."""
    return {"shop_menu": SimpleLazyObject(shop_menu)}


def navigation(request: HttpRequest) -> dict[str, Any]:
    """`staff_groups`: read by pages of the staff area alone."""
    return {"staff_groups": SimpleLazyObject(lambda: staff_groups(request))}
