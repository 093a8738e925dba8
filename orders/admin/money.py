"""Attempts, refunds, ledger and provider events in the admin."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from orders.admin.parts import ReadOnly, order_link
from orders.models import (
    Attempt,
    LedgerEntry,
    StripeEvent,
)
from orders.payments import gateway
from orders.payments.events import NotYetKnown, process_event


@admin.register(Attempt)
class AttemptAdmin(ReadOnly, admin.ModelAdmin[Attempt]):
    list_display = ("id", "order", "state", "amount_cents", "error_code", "created_at", "expires_at")
    list_filter = ("state", "kind", "created_at")
    search_fields = ("id", "session_id", "intent_id", "payment__order__reference")
    list_select_related = ("payment__order",)

    @admin.display(description=_("commande"))
    def order(self, attempt: Attempt) -> str:
        return order_link(attempt.payment.order)


@admin.register(LedgerEntry)
class LedgerAdmin(ReadOnly, admin.ModelAdmin[LedgerEntry]):
    list_display = ("occurred_at", "order", "kind", "amount", "provider_id", "created_at")
    list_filter = ("kind", "occurred_at")
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
