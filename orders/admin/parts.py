"""What the admin's rooms share: read-only rows, links, and the pages that each room adds to an order."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from orders.models import Order, Refund
from orders.selectors.refunds import refund_error_text
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin, StaffRights

PROVIDER_AWAY = _("Le service de paiement ne répond pas : rien n'a changé. Réessayez.")

Row = TypeVar("Row", bound=Model)
OrderView = Callable[[HttpRequest, Order, dict[str, Any]], HttpResponseBase]


@dataclass(frozen=True, slots=True)
class OrderPage:
    """A page of one order in the admin. Its button shows when `shown` says so, to whoever may do its action; the page
    itself must check the order again."""

    name: str
    label: str | Promise
    action: StaffAction | Callable[[Order], StaffAction]
    shown: Callable[[Order], bool]
    view: OrderView

    def action_for(self, order: Order) -> StaffAction:
        """What opening the page for this order asks for."""
        return self.action if isinstance(self.action, StaffAction) else self.action(order)


ORDER_PAGES: dict[str, OrderPage] = {}


def order_page(
    name: str,
    *,
    label: str | Promise,
    action: StaffAction | Callable[[Order], StaffAction],
    shown: Callable[[Order], bool] = lambda order: True,
) -> Callable[[OrderView], OrderView]:
    """Registers `view(request, order, context)` at `<order>/<name>/`; URL name `admin:orders_order_<name>`.

    `context` holds what an admin template needs, the order included. Only who may do `action` gets here; what else the
    page does asks for itself.
    """

    def register(view: OrderView) -> OrderView:
        if name in ORDER_PAGES:
            raise ValueError(f"The order page {name!r} is registered twice.")
        ORDER_PAGES[name] = OrderPage(name, label, action, shown, view)
        return view

    return register


def find_order(order_id: Any) -> Order:
    """The order of an admin page; 404 when there is none."""
    return get_object_or_404(Order, pk=order_id)


def order_link(order: Order | None) -> str:
    """The order's reference, leading to its page; a dash for none."""
    if order is None:
        return "–"
    return format_html('<a href="{}">{}</a>', reverse("admin:orders_order_change", args=[order.pk]), order)


def row_number(text: str) -> int:
    """The key that an address or a hidden field names; 0, which no row has, when it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else 0


class LinkedPagesAdmin(StaffAdmin[Row]):
    """A row's own page shows a button for each further page that `pages_of` names."""

    change_form_template = "admin/orders/linked_change_form.html"

    def pages_of(self, request: HttpRequest, row: Row) -> list[tuple[str | Promise, str]]:
        """Label and address of each that the person may open."""
        raise NotImplementedError

    def page_context(self, row: Row) -> dict[str, Any]:
        """What else the page's template reads: `title` heads it."""
        return {}

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        row = self.get_object(request, object_id)
        values = {} if row is None else {"pages": self.pages_of(request, row), **self.page_context(row)}
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **values})


class ExplainsRefunds:
    """Refunds with a column `why`."""

    @admin.display(description=_("explication"))
    def why(self, refund: Refund) -> str:
        """What went wrong, in words; a dash for nothing."""
        return refund_error_text(refund.error) or "–"


class ReadOnlyInline(StaffRights, admin.TabularInline[Model, Order]):
    """Rows of an order; none is shown when there are none."""

    view_action = StaffAction.SEE_ORDERS
    template = "admin/orders/rows.html"
    extra = 0
    can_delete = False
    show_change_link = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        """With what its rows name, in the same query."""
        relations = {field.name for field in self.model._meta.fields if field.is_relation}
        shown = [name for name in self.fields or () if name in relations]
        rows = super().get_queryset(request)
        return rows.select_related(*shown) if shown else rows
