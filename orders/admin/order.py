"""Orders in the admin: everything to be seen, and only what is safe to be changed."""

from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from orders.admin.parts import (
    ORDER_PAGES,
    PROVIDER_AWAY,
    LinkedPagesAdmin,
    OrderPage,
    ReadOnlyInline,
    find_order,
    order_page,
)
from orders.models import (
    Attempt,
    LedgerEntry,
    Order,
    OrderEvent,
    OrderItem,
    OrderStatus,
    OrderTracking,
    Payment,
    Refund,
    StockHold,
)
from orders.payments import gateway
from orders.payments.sessions import abandon_order
from orders.payments.settlement import settle


class ItemInline(ReadOnlyInline):
    model = OrderItem
    fields = (
        "product_name",
        "finish",
        "variation_name",
        "quantity",
        "free_quantity",
        "unit_price",
        "line_total",
        "sku",
    )


class TrackingInline(ReadOnlyInline):
    model = OrderTracking
    fields = ("created_at", "status", "message", "tracking_number", "actor")


class PaymentInline(ReadOnlyInline):
    model = Payment
    fields = ("position", "amount", "due_on", "state", "paid_at")


class LedgerInline(ReadOnlyInline):
    model = LedgerEntry
    fields = ("occurred_at", "kind", "amount", "provider_id", "created_at")


class RefundInline(ReadOnlyInline):
    model = Refund
    fields = ("created_at", "amount", "method", "reason", "state", "settled_at", "provider_id", "error")


class HoldInline(ReadOnlyInline):
    model = StockHold
    fields = ("product", "variation", "quantity", "state")


class EventInline(ReadOnlyInline):
    model = OrderEvent
    fields = ("created_at", "name", "actor", "data")


@admin.register(Order)
class OrderAdmin(LinkedPagesAdmin[Order]):
    list_display = (
        "reference",
        "created_at",
        "customer_name",
        "email",
        "status",
        "total",
        "promised_by",
        "to_check",
    )
    list_filter = (
        "status",
        ("review_reason", admin.EmptyFieldListFilter),
        "payments__state",
        "payment_mode",
        "shipping_zone",
        "country",
        "created_at",
        "promised_by",
        ("archived_at", admin.EmptyFieldListFilter),
    )
    search_fields = ("id", "reference", "email", "first_name", "last_name", "tracking__tracking_number")
    date_hierarchy = "created_at"
    list_per_page = 50
    ordering = ("-created_at",)
    inlines = (
        ItemInline,
        TrackingInline,
        PaymentInline,
        RefundInline,
        LedgerInline,
        HoldInline,
        EventInline,
    )
    actions = ("ask_provider",)

    @admin.display(description=_("à vérifier"), boolean=True)
    def to_check(self, order: Order) -> bool:
        return bool(order.review_reason)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Order]:
        """Archived orders are in no list; the filter « archivée le » shows them."""
        orders = super().get_queryset(request)
        match = request.resolver_match
        listing = match is not None and match.url_name == "orders_order_changelist"
        if listing and "archived_at__isempty" not in request.GET:
            return orders.filter(archived_at=None)
        return orders

    def get_readonly_fields(self, request: HttpRequest, obj: Order | None = None) -> list[str]:
        return [field.name for field in Order._meta.fields]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Order | None = None) -> bool:
        return False

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Order], search_term: str
    ) -> tuple[QuerySet[Order], bool]:
        # Any part of the id, with or without its dashes, as it stands in mails and on invoices.
        return super().get_search_results(request, queryset, search_term.replace("#", "").strip())

    def get_urls(self) -> list[URLPattern]:
        own = [
            path(
                f"<uuid:order_id>/{page.name}/",
                self.admin_site.admin_view(partial(self.order_view, page)),
                name=f"orders_order_{page.name}",
            )
            for page in ORDER_PAGES.values()
        ]
        return own + super().get_urls()

    def order_view(self, page: OrderPage, request: HttpRequest, order_id: Any) -> HttpResponseBase:
        """One of the pages that the rooms of the admin add to an order."""
        order = find_order(order_id)
        if not self.has_view_permission(request, order):
            raise PermissionDenied
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "order": order,
            "title": page.label,
        }
        return page.view(request, order, context)

    def pages_of(self, order: Order) -> list[tuple[str | Promise, str]]:
        return [
            (page.label, reverse(f"admin:orders_order_{page.name}", args=[order.pk]))
            for page in ORDER_PAGES.values()
            if page.shown(order)
        ]

    @admin.action(description=_("Demander l'état du paiement à Stripe"))
    def ask_provider(self, request: HttpRequest, queryset: QuerySet[Order]) -> None:
        asked = 0
        for attempt in Attempt.objects.filter(payment__order__in=queryset, session_id__isnull=False):
            try:
                settle(attempt.pk)
                asked += 1
            except gateway.GatewayError:
                messages.error(request, PROVIDER_AWAY)
                return
        messages.success(
            request,
            ngettext("%(count)d paiement vérifié.", "%(count)d paiements vérifiés.", asked)
            % {"count": asked},
        )


@order_page(
    "close",
    label=_("Annuler cette commande impayée"),
    shown=lambda order: order.status == OrderStatus.PENDING,
)
def close_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """Closes an order that nobody has paid: its payment page first, so that no money can come afterwards."""
    if request.method == "POST":
        try:
            paid = abandon_order(str(order.pk))
        except gateway.GatewayError:
            messages.error(request, PROVIDER_AWAY)
        else:
            if paid is not None:
                messages.warning(request, _("Cette commande vient d'être payée : elle reste ouverte."))
            elif Order.objects.filter(pk=order.pk, status=OrderStatus.PENDING).exists():
                messages.warning(
                    request, _("Un paiement est en route ou à vérifier : la commande reste ouverte.")
                )
            else:
                messages.success(request, _("Commande annulée, stock rendu."))
        return redirect("admin:orders_order_change", order.pk)
    return TemplateResponse(request, "admin/orders/order/close.html", context)
