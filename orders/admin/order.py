"""Orders in the admin: everything to be seen, and only what is safe to be changed."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.timezone import localtime
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalog.models import Finish
from orders.admin.base import (
    CountryFilter,
    ExplainsRefunds,
    LinkedPagesAdmin,
    PromiseFilter,
    ReadOnlyInline,
    RetentionFilter,
    choices,
    yes_no,
)
from orders.models import (
    LedgerEntry,
    Order,
    OrderEvent,
    OrderItem,
    OrderNote,
    OrderTracking,
    Payment,
    Refund,
    Shipment,
    StockHold,
)
from orders.selectors.addresses import billing_address, delivery_address, is_delivered_elsewhere
from orders.selectors.installments import calendar
from orders.staff.base import PageLink
from orders.staff.money_links import money_links
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.money import format_amount
from shop.core.staff_actions import StaffAction


class ItemInline(ReadOnlyInline):
    model = OrderItem
    fields = (
        "shown_name",
        "shown_finish",
        "shown_variation",
        "quantity",
        "free_quantity",
        "unit_price",
        "line_total",
        "sku",
    )
    readonly_fields = ("shown_name", "shown_finish", "shown_variation")

    @admin.display(description=_("produit"))
    def shown_name(self, item: OrderItem) -> str:
        return item.staff_name

    @admin.display(description=_("format"))
    def shown_variation(self, item: OrderItem) -> str:
        return item.staff_variation_name

    @admin.display(description=_("finition"))
    def shown_finish(self, item: OrderItem) -> str:
        return str(Finish(item.finish).label) if item.finish in Finish.values else "–"


class TrackingInline(ReadOnlyInline):
    model = OrderTracking
    fields = ("created_at", "status", "message", "tracking_number", "actor", "undone")


class ShipmentInline(ReadOnlyInline):
    model = Shipment
    fields = ("sent_at", "carrier", "tracking_number", "actor", "undone_at", "undo_reason")


class NoteInline(ReadOnlyInline):
    model = OrderNote
    fields = ("created_at", "author", "text", "corrects")


class PaymentInline(ReadOnlyInline):
    view_action = StaffAction.SEE_PAYMENTS
    model = Payment
    fields = ("position", "amount", "due_on", "state", "paid_at")


class LedgerInline(ReadOnlyInline):
    view_action = StaffAction.SEE_BOOKS
    model = LedgerEntry
    classes = ("collapse",)
    fields = ("occurred_at", "kind", "amount", "provider_id", "created_at")


class RefundInline(ExplainsRefunds, ReadOnlyInline):
    view_action = StaffAction.SEE_REFUNDS
    model = Refund
    fields = ("created_at", "amount", "method", "reason", "state", "settled_at", "provider_id", "why")
    readonly_fields = ("why",)


class HoldInline(ReadOnlyInline):
    model = StockHold
    classes = ("collapse",)
    fields = ("product", "variant", "quantity", "state")


class EventInline(ReadOnlyInline):
    model = OrderEvent
    classes = ("collapse",)
    fields = ("created_at", "name", "actor", "data")


@admin.register(Order)
class OrderAdmin(LinkedPagesAdmin[Order]):
    """An order is read here; its page in the staff area changes it."""

    view_action = StaffAction.SEE_ORDERS
    list_display = ("reference", "shown_status", "customer", "shown_total", "placed_on", "promise")
    list_filter = (
        "status",
        ("review_reason", yes_no(_("à vérifier"))),
        ("payments__state", choices(_("paiement ou échéance"))),
        "payment_mode",
        ("country", CountryFilter),
        "created_at",
        "promised_by",
        ("archived_at", yes_no(_("archivée"))),
        PromiseFilter,
        RetentionFilter,
    )
    search_fields = (
        "id",
        "reference",
        "email",
        "first_name",
        "last_name",
        "gift_recipient",
        "tracking__tracking_number",
    )
    date_hierarchy = "created_at"
    list_per_page = 50
    ordering = ("-created_at",)
    fieldsets = (
        (
            _("Montants et dates"),
            {
                "classes": ("collapse",),
                "fields": (
                    *(
                        "original_total",
                        "promotion_savings",
                        "subtotal",
                        "shipping_zone",
                        "shipping_cost",
                        "total",
                    ),
                    *("created_at", "paid_at", "start_by", "promised_by", "excused_until"),
                    *(
                        "shipped_at",
                        "delivered_at",
                        "cancelled_at",
                        "retention_reason",
                        "retention_decision",
                        "archived_at",
                    ),
                    *("terms_version", "terms_accepted_at", "mandate_text"),
                ),
            },
        ),
        (
            _("Pour l'assistance"),
            {
                "classes": ("collapse",),
                "fields": ("id", "idempotency_key", "request_fingerprint", "review_reason", "updated_at"),
            },
        ),
    )
    inlines = (
        ItemInline,
        PaymentInline,
        TrackingInline,
        ShipmentInline,
        NoteInline,
        RefundInline,
        LedgerInline,
        HoldInline,
        EventInline,
    )

    change_form_template = "admin/orders/order/change_form.html"

    @admin.display(description=_("statut"), ordering="status")
    def shown_status(self, order: Order) -> str:
        chip = format_html(
            '<span class="shop-status shop-status-{}">{}</span>', order.status, order.get_status_display()
        )
        if not order.review_reason:
            return chip
        return format_html(
            '{} <span class="shop-status shop-status-review">{}</span>', chip, gettext("À vérifier")
        )

    @admin.display(description=_("client"), ordering="last_name")
    def customer(self, order: Order) -> str:
        return format_html('{}<span class="shop-minor">{}</span>', order.customer_name, order.email)

    @admin.display(description=_("total"), ordering="total")
    def shown_total(self, order: Order) -> str:
        return format_html('<span class="shop-money">{}</span>', format_amount(order.total, SOURCE_LANGUAGE))

    @admin.display(description=_("passée le"), ordering="created_at")
    def placed_on(self, order: Order) -> str:
        return date_format(localtime(order.created_at), "SHORT_DATETIME_FORMAT")

    @admin.display(description=_("promise pour le"), ordering="promised_by")
    def promise(self, order: Order) -> str:
        return date_format(order.promised_by, "SHORT_DATE_FORMAT")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Order]:
        """Archived orders are in no list but the one of what is to be checked; the filter « Archivée » shows them."""
        orders = super().get_queryset(request)
        match = request.resolver_match
        listing = match is not None and match.url_name == "orders_order_changelist"
        if listing and "archived_at__isempty" not in request.GET:
            return orders.exclude(archived_at__isnull=False, review_reason="")
        return orders

    def get_readonly_fields(self, request: HttpRequest, obj: Order | None = None) -> list[str]:
        return [field.name for field in Order._meta.fields]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Order], search_term: str
    ) -> tuple[QuerySet[Order], bool]:
        # Any part of the id, with or without its dashes, as it is written in mails and on invoices.
        return super().get_search_results(request, queryset, search_term.replace("#", "").strip())

    def pages_of(self, request: HttpRequest, order: Order) -> list[PageLink]:
        acting = PageLink(_("Agir sur la commande"), reverse("staff-order", args=[order.pk]))
        return [acting, *money_links(request.user, order)]

    def page_context(self, order: Order) -> dict[str, Any]:
        """Nothing is typed on the page: the buttons do what there is to do."""
        return {
            "title": gettext("Commande %(reference)s") % {"reference": order.reference},
            "subtitle": None,
            "plan": calendar(order),
            "delivery": delivery_address(order),
            "billing": billing_address(order) if is_delivered_elsewhere(order) else None,
            "show_save": False,
            "show_save_and_continue": False,
        }
