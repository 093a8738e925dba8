"""What the admin's rooms share: read-only rows, and the pages that each room adds to an order."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.functional import Promise

from orders.models import Order

OrderView = Callable[[HttpRequest, Order, dict[str, Any]], HttpResponseBase]


@dataclass(frozen=True, slots=True)
class OrderPage:
    """A page of one order in the admin. Its button shows when `shown` says so; the page itself must check again."""

    name: str
    label: str | Promise
    shown: Callable[[Order], bool]
    view: OrderView


ORDER_PAGES: dict[str, OrderPage] = {}


def order_page(
    name: str, *, label: str | Promise, shown: Callable[[Order], bool] = lambda order: True
) -> Callable[[OrderView], OrderView]:
    """Registers `view(request, order, context)` at `<order>/<name>/`; URL name `admin:orders_order_<name>`.

    `context` holds what an admin template needs, the order included. Only operators who may see orders get here.
    """

    def register(view: OrderView) -> OrderView:
        if name in ORDER_PAGES:
            raise ValueError(f"The order page {name!r} is registered twice.")
        ORDER_PAGES[name] = OrderPage(name, label, shown, view)
        return view

    return register


def find_order(order_id: Any) -> Order:
    """The order of an admin page; 404 when there is none."""
    return get_object_or_404(Order, pk=order_id)


class ReadOnly:
    """Rows that only the shop itself writes."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False


class ReadOnlyInline(ReadOnly, admin.TabularInline[Model, Order]):
    extra = 0
    can_delete = False
    show_change_link = False
