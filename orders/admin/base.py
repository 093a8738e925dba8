"""What the modules of the admin share: filters, a day's field, read-only rows, links, and the pages of an order."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django_countries import countries

from orders.models import Order, Refund
from orders.selectors.money import with_undecided_money
from orders.selectors.refunds import refund_error_in_words
from orders.selectors.workshop import orders_at_risk
from orders.staff.base import PageLink
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin, StaffRights, YesNoFilter

Row = TypeVar("Row", bound=Model)
OrderView = Callable[[HttpRequest, Order, dict[str, Any]], HttpResponseBase]


def order_link(order: Order | None) -> str:
    """Return the order's reference, leading to its page; a dash for none."""
    if order is None:
        return "–"
    return format_html('<a href="{}">{}</a>', reverse("admin:orders_order_change", args=[order.pk]), order)


class LinkedPagesAdmin(StaffAdmin[Row]):
    """A row's own page shows a button for each further page that `pages_of` names."""

    change_form_template = "admin/orders/linked_change_form.html"

    def pages_of(self, request: HttpRequest, row: Row) -> list[PageLink]:
        """Return each that the person may open."""
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


class StaffPageAdmin(LinkedPagesAdmin[Row]):
    """Rows to search and read; the button leads to the page of the staff area that acts."""

    def staff_url(self, row: Row) -> str:
        """Return the address of that page."""
        raise NotImplementedError

    def pages_of(self, request: HttpRequest, row: Row) -> list[PageLink]:
        return [PageLink(_("Ouvrir dans l'administration"), self.staff_url(row))]


class LinksOrder:
    """Rows of an order with a column `order_link`."""

    @admin.display(description=_("commande"))
    def order_link(self, row: Any) -> str:
        """The order's reference, leading to its page."""
        return order_link(row.order)


class ExplainsRefunds:
    """Refunds with a column `why`."""

    @admin.display(description=_("explication"))
    def why(self, refund: Refund) -> str:
        """What went wrong, in words; a dash for nothing."""
        return refund_error_in_words(refund.error) or "–"


class ReadOnlyInline(StaffRights, admin.TabularInline[Model, Order]):
    """Rows of an order; none is shown when there are none."""

    view_action = StaffAction.SEE_ORDERS
    template = "admin/orders/rows.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Model]:
        """With what its rows name, in the same query."""
        relations = {field.name for field in self.model._meta.fields if field.is_relation}
        shown = [name for name in self.fields or () if name in relations]
        rows = super().get_queryset(request)
        return rows.select_related(*shown) if shown else rows


class CountryFilter(admin.AllValuesFieldListFilter):
    """Countries by their names."""

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        for choice in super().choices(changelist):
            yield {**choice, "display": countries.name(str(choice["display"])) or choice["display"]}


def yes_no(title: str | Promise) -> type[YesNoFilter]:
    """Return a `YesNoFilter` under a title of its own: « archivée » where the column says « archivée le »."""
    return type("TitledYesNoFilter", (_Titled, YesNoFilter), {"own_title": title})


def choices(title: str | Promise) -> type[admin.ChoicesFieldListFilter]:
    """Return a filter by the values of another model's column, under a title that says so."""
    return type("TitledChoicesFilter", (_Titled, admin.ChoicesFieldListFilter), {"own_title": title})


class _Titled:
    own_title: str | Promise

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title = self.own_title


class RetentionFilter(admin.SimpleListFilter):
    """Closed orders of which the shop keeps money that nobody has decided about."""

    title = _("argent gardé")
    parameter_name = "retention"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("undecided", _("à décider"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() != "undecided":
            return queryset
        return queryset.filter(pk__in=with_undecided_money().values("pk"))


class PromiseFilter(admin.SimpleListFilter):
    """Orders at the workshop whose promised date is to come and can't be kept any more."""

    title = _("date promise")
    parameter_name = "promise"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("at_risk", _("ne peut plus être tenue"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() != "at_risk":
            return queryset
        return queryset.filter(pk__in=orders_at_risk(timezone.localdate()).values("pk"))
