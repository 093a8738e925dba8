"""Attempts, refunds, ledger and provider events in the admin."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from orders.admin.parts import order_link
from orders.models import (
    Attempt,
    LedgerEntry,
    StripeEvent,
)
from orders.services.reconciliation.webhook_events import NotYetKnown, process_event
from orders.stripe import gateway
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin, staff_action


@admin.register(Attempt)
class AttemptAdmin(StaffAdmin[Attempt]):
    view_action = StaffAction.SEE_PAYMENTS
    list_display = ("id", "order", "state", "amount_cents", "error_code", "created_at", "expires_at")
    list_filter = ("state", "kind", "created_at")
    search_fields = ("id", "checkout_session_id", "intent_id", "payment__order__reference")
    list_select_related = ("payment__order",)

    @admin.display(description=_("commande"))
    def order(self, attempt: Attempt) -> str:
        return order_link(attempt.payment.order)


@admin.register(LedgerEntry)
class LedgerAdmin(StaffAdmin[LedgerEntry]):
    view_action = StaffAction.SEE_BOOKS
    list_display = ("occurred_at", "order", "kind", "amount", "provider_id", "created_at")
    list_filter = ("kind", "occurred_at")
    search_fields = ("order__reference", "provider_id")
    list_select_related = ("order",)


@admin.register(StripeEvent)
class StripeEventAdmin(StaffAdmin[StripeEvent]):
    view_action = StaffAction.SEE_PAYMENTS
    list_display = ("received_at", "kind", "event_id", "processed_at", "tries", "error")
    list_filter = ("kind", ("processed_at", admin.EmptyFieldListFilter), "received_at")
    search_fields = ("event_id", "kind")
    actions = ("process_again",)

    @staff_action(StaffAction.REPLAY_EVENT, description=_("Traiter à nouveau"))
    def process_again(self, request: HttpRequest, queryset: QuerySet[StripeEvent]) -> None:
        for event in queryset.filter(processed_at__isnull=True):
            try:
                process_event(event)
            except (gateway.GatewayError, NotYetKnown) as error:
                messages.error(request, f"{event}: {error}")
            else:
                messages.success(request, str(event))
