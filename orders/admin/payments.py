"""Payments for operators: rows to search, which the staff area acts on."""

from django.contrib import admin
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from orders.admin.base import StaffPageAdmin, order_link
from orders.models import Attempt, InstallmentPause, Payment, StoredCard, StripeEvent
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin, YesNoFilter


@admin.register(Payment)
class PaymentAdmin(StaffPageAdmin[Payment]):
    """Every payment by its day: what comes in soon, what is late."""

    view_action = StaffAction.SEE_PAYMENTS
    list_display = ("order", "position", "count", "amount", "due_on", "state", "next_try_on", "stopped_code")
    list_filter = ("state", "due_on", "position")
    search_fields = ("order__reference", "order__email")
    date_hierarchy = "due_on"
    list_select_related = ("order",)
    ordering = ("due_on", "pk")

    def staff_url(self, payment: Payment) -> str:
        return reverse("staff-payments", query={"q": payment.order.reference})


@admin.register(InstallmentPause)
class InstallmentPauseAdmin(StaffPageAdmin[InstallmentPause]):
    """Suspended payments, by whom and why."""

    view_action = StaffAction.SEE_PAYMENTS
    list_display = ("order", "started_at", "started_by", "reason", "ended_at", "ended_by")
    list_filter = (("ended_at", YesNoFilter), "started_by")
    search_fields = ("order__reference", "order__email")
    list_select_related = ("order",)
    ordering = ("-started_at",)

    def staff_url(self, pause: InstallmentPause) -> str:
        return reverse("staff-order-installments", args=[pause.order_id])


@admin.register(StoredCard)
class StoredCardAdmin(StaffAdmin[StoredCard]):
    """Saved cards: their last digits, and whether the bank refuses them for good."""

    view_action = StaffAction.SEE_PAYMENTS
    list_display = ("order", "brand", "last4", "expiry_month", "expiry_year", "refused_code", "forgotten_at")
    list_filter = ("brand", ("forgotten_at", YesNoFilter))
    search_fields = ("order__reference", "last4")
    list_select_related = ("order",)


@admin.register(Attempt)
class AttemptAdmin(StaffAdmin[Attempt]):
    """Each try to collect a payment, with its state at Stripe."""

    view_action = StaffAction.SEE_PAYMENTS
    list_display = ("id", "order", "state", "amount_cents", "error_code", "created_at", "expires_at")
    list_filter = ("state", "kind", "created_at")
    search_fields = ("id", "checkout_session_id", "intent_id", "payment__order__reference")
    list_select_related = ("payment__order",)

    @admin.display(description=_("commande"))
    def order(self, attempt: Attempt) -> str:
        return order_link(attempt.payment.order)


@admin.register(StripeEvent)
class StripeEventAdmin(StaffPageAdmin[StripeEvent]):
    """Webhook messages as they were received."""

    view_action = StaffAction.SEE_PAYMENTS
    list_display = ("received_at", "kind", "event_id", "processed_at", "tries", "error")
    list_filter = ("kind", ("processed_at", YesNoFilter), "received_at")
    search_fields = ("event_id", "kind")

    def staff_url(self, event: StripeEvent) -> str:
        return reverse("staff-stripe-events", query={"q": event.event_id})
