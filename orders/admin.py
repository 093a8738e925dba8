"""Django's admin for operators: everything to be seen, and only what is safe to be changed."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

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
    ShippingZone,
    StockHold,
    StripeEvent,
)
from orders.models.order import PAID_STATUSES
from orders.payments import gateway
from orders.payments.events import NotYetKnown, process_event
from orders.payments.sessions import abandon_order
from orders.payments.settlement import settle
from orders.services.fulfilment import update_status
from shop.core.problems import Problem
from shop.core.public_pages import content_changed


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
    fields = ("created_at", "kind", "amount", "provider_id")


class RefundInline(ReadOnlyInline):
    model = Refund
    fields = ("created_at", "amount", "reason", "state", "provider_id", "error")


class HoldInline(ReadOnlyInline):
    model = StockHold
    fields = ("product", "variation", "quantity", "state")


class EventInline(ReadOnlyInline):
    model = OrderEvent
    fields = ("created_at", "name", "actor", "data")


class StepForm(forms.Form):
    """The next step of a paid order, as the workshop tells it to the customer."""

    status = forms.ChoiceField(
        label=_("Statut"), choices=[(status.value, status.label) for status in PAID_STATUSES]
    )
    message = forms.CharField(
        label=_("Message au client"), max_length=500, required=False, widget=forms.Textarea
    )
    tracking_number = forms.CharField(label=_("Numéro de suivi"), max_length=100, required=False)


@admin.register(Order)
class OrderAdmin(admin.ModelAdmin[Order]):
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
    list_filter = ("status", "payment_mode", "shipping_zone", "country", "created_at")
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
    change_form_template = "admin/orders/order/change_form.html"

    @admin.display(description=_("à vérifier"), boolean=True)
    def to_check(self, order: Order) -> bool:
        return bool(order.review_reason)

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
                "<uuid:order_id>/step/",
                self.admin_site.admin_view(self.step_view),
                name="orders_order_step",
            ),
            path(
                "<uuid:order_id>/close/",
                self.admin_site.admin_view(self.close_view),
                name="orders_order_close",
            ),
        ]
        return own + super().get_urls()

    def step_view(self, request: HttpRequest, order_id: Any) -> HttpResponseBase:
        """Asks for the step, then writes it; the customer gets a mail."""
        order = get_object_or_404(Order, pk=order_id)
        form = StepForm(request.POST or None, initial={"status": order.status})
        if request.method == "POST" and form.is_valid():
            try:
                update_status(order_id=order.pk, actor=request.user, **form.cleaned_data)  # type: ignore[arg-type]
            except Problem as problem:
                messages.error(request, problem.detail)
            else:
                messages.success(request, _("Suivi mis à jour"))
            return redirect("admin:orders_order_change", order.pk)
        return TemplateResponse(
            request,
            "admin/orders/order/step.html",
            {**self.admin_site.each_context(request), "order": order, "form": form, "opts": self.opts},
        )

    def close_view(self, request: HttpRequest, order_id: Any) -> HttpResponseBase:
        """Closes an order that nobody has paid: its payment page first, so that no money can come afterwards."""
        order = get_object_or_404(Order, pk=order_id)
        if request.method == "POST":
            try:
                paid = abandon_order(str(order.pk))
            except gateway.GatewayError:
                messages.error(
                    request, _("Le service de paiement ne répond pas : rien n'a changé. Réessayez.")
                )
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
        return TemplateResponse(
            request,
            "admin/orders/order/close.html",
            {**self.admin_site.each_context(request), "order": order, "opts": self.opts},
        )

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        order = self.get_object(request, object_id)
        context = dict(extra_context or {})
        if order is not None:
            context["step_url"] = (
                reverse("admin:orders_order_step", args=[order.pk]) if order.status in PAID_STATUSES else ""
            )
            context["close_url"] = (
                reverse("admin:orders_order_close", args=[order.pk])
                if order.status == OrderStatus.PENDING
                else ""
            )
        return super().change_view(request, object_id, form_url, context)

    @admin.action(description=_("Demander l'état du paiement à Stripe"))
    def ask_provider(self, request: HttpRequest, queryset: QuerySet[Order]) -> None:
        asked = 0
        for attempt in Attempt.objects.filter(payment__order__in=queryset, session_id__isnull=False):
            try:
                settle(attempt.pk)
                asked += 1
            except gateway.GatewayError:
                messages.error(
                    request, _("Le service de paiement ne répond pas : rien n'a changé. Réessayez.")
                )
                return
        messages.success(
            request,
            ngettext("%(count)d paiement vérifié.", "%(count)d paiements vérifiés.", asked)
            % {"count": asked},
        )


@admin.register(Attempt)
class AttemptAdmin(ReadOnly, admin.ModelAdmin[Attempt]):
    list_display = ("id", "order", "state", "amount_cents", "error_code", "created_at", "expires_at")
    list_filter = ("state", "kind", "created_at")
    search_fields = ("id", "session_id", "intent_id", "payment__order__reference")
    list_select_related = ("payment__order",)

    @admin.display(description=_("commande"))
    def order(self, attempt: Attempt) -> str:
        order = attempt.payment.order
        return format_html(
            '<a href="{}">{}</a>', reverse("admin:orders_order_change", args=[order.pk]), order
        )


@admin.register(Refund)
class RefundAdmin(ReadOnly, admin.ModelAdmin[Refund]):
    list_display = ("order", "amount", "reason", "state", "created_at", "error")
    list_filter = ("state", "reason", "created_at")
    search_fields = ("order__reference", "provider_id", "order__email")
    list_select_related = ("order",)


@admin.register(LedgerEntry)
class LedgerAdmin(ReadOnly, admin.ModelAdmin[LedgerEntry]):
    list_display = ("created_at", "order", "kind", "amount", "provider_id")
    list_filter = ("kind", "created_at")
    search_fields = ("order__reference", "provider_id")
    list_select_related = ("order",)


@admin.register(StripeEvent)
class StripeEventAdmin(ReadOnly, admin.ModelAdmin[StripeEvent]):
    list_display = ("received_at", "kind", "event_id", "processed_at", "tries", "error")
    list_filter = ("kind", ("processed_at", admin.EmptyFieldListFilter), "received_at")
    search_fields = ("event_id", "kind")
    actions = ("process_again",)

    def has_view_permission(self, request: HttpRequest, obj: StripeEvent | None = None) -> bool:
        return bool(request.user.is_active and request.user.is_staff)

    @admin.action(description=_("Traiter à nouveau"), permissions=["view"])
    def process_again(self, request: HttpRequest, queryset: QuerySet[StripeEvent]) -> None:
        for event in queryset.filter(processed_at__isnull=True):
            try:
                process_event(event)
            except (gateway.GatewayError, NotYetKnown) as error:
                messages.error(request, f"{event}: {error}")
            else:
                messages.success(request, str(event))


class ZoneForm(forms.ModelForm[ShippingZone]):
    """One country belongs to one zone."""

    class Meta:
        model = ShippingZone
        fields = "__all__"  # noqa: DJ007

    def clean_countries(self) -> Any:
        codes = set(self.cleaned_data["countries"] or [])
        for zone in ShippingZone.objects.exclude(pk=self.instance.pk):
            both = codes & {country.code for country in zone.countries}
            if both:
                raise forms.ValidationError(
                    _("%(codes)s : déjà dans la zone « %(zone)s »."),
                    params={"codes": ", ".join(sorted(both)), "zone": zone.name},
                )
        return self.cleaned_data["countries"]


@admin.register(ShippingZone)
class ShippingZoneAdmin(admin.ModelAdmin[ShippingZone]):
    form = ZoneForm
    list_display = (
        "name",
        "code",
        "rate",
        "free_from",
        "delivery_days_min",
        "delivery_days_max",
        "is_fallback",
    )

    def save_model(self, request: HttpRequest, obj: ShippingZone, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        content_changed()

    def delete_model(self, request: HttpRequest, obj: ShippingZone) -> None:
        super().delete_model(request, obj)
        content_changed()

    def has_delete_permission(self, request: HttpRequest, obj: ShippingZone | None = None) -> bool:
        # Without the zone of all other countries no cart could be priced.
        return obj is None or not obj.is_fallback

    def get_readonly_fields(self, request: HttpRequest, obj: ShippingZone | None = None) -> tuple[str, ...]:
        return ("code", "is_fallback") if obj is not None else ("is_fallback",)
