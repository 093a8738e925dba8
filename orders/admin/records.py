"""What the shop writes about orders, contracts and money, in Django's admin: rows to look up."""

from __future__ import annotations

from functools import partial

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from orders.admin.base import yes_no
from orders.models import (
    AccountNumber,
    BalanceMovement,
    BankLine,
    CardChange,
    ChainHead,
    ChainLink,
    Contract,
    ContractDocument,
    DiscardedCard,
    DiscardedCustomer,
    FiledReturn,
    InvoiceDocument,
    InvoiceDraft,
    InvoiceGap,
    InvoiceSeries,
    Payout,
    PurgedYear,
    SavedCart,
    ShipmentLine,
    Withdrawal,
    WithdrawalLine,
)
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import RecordAdmin, YesNoFilter

show = partial(admin.site.register, admin_class=RecordAdmin)

show(
    Withdrawal,
    view_action=StaffAction.SEE_WITHDRAWALS,
    staff_list="staff-withdrawals",
    staff_row="staff-withdrawal",
    staff_key="case.pk",
    list_display=("declared_at", "name", "email", "order", "order_text", "channel", "filed_by"),
    list_filter=("channel", "language", "declared_at"),
    search_fields=("id", "name", "email", "order_text", "order__reference"),
    search_help_text=_("Nom, e-mail, commande, ou la référence sans «\u00a0R-\u00a0»."),
    # The key under which a form sent twice is one declaration.
    exclude=("submission_key",),
)
show(
    WithdrawalLine,
    view_action=StaffAction.SEE_WITHDRAWALS,
    staff_list="staff-withdrawals",
    staff_row="staff-withdrawal",
    staff_key="withdrawal.case.pk",
    list_display=("withdrawal", "item", "quantity"),
    search_fields=("withdrawal__order__reference", "withdrawal__email", "item__product_name"),
)
show(
    ShipmentLine,
    view_action=StaffAction.SEE_ORDERS,
    staff_list="staff-dispatch",
    staff_row="staff-order",
    staff_key="shipment.order_id",
    list_display=("shipment", "item", "quantity"),
    list_select_related=("shipment__order",),
    search_fields=(
        "shipment__order__reference",
        "shipment__tracking_number",
        "item__sku",
        "item__french_name",
    ),
)
show(
    SavedCart,
    view_action=StaffAction.SEE_USERS,
    staff_list="staff-users",
    staff_row="staff-user",
    list_display=("user", "version", "updated_at"),
    search_fields=("user__email",),
)

show(
    CardChange,
    view_action=StaffAction.SEE_PAYMENTS,
    staff_list="staff-payments",
    staff_row="staff-order-installments",
    staff_key="order_id",
    list_display=("created_at", "order", "state", "customer_id", "expires_at", "settled_at"),
    list_filter=("state", "created_at"),
    search_fields=("order__reference", "order__email", "customer_id", "checkout_session_id"),
    # Whoever opens it may leave a card for the order.
    exclude=("checkout_session_url",),
)
show(
    DiscardedCard,
    view_action=StaffAction.SEE_PAYMENTS,
    staff_list="staff-payments",
    staff_row="staff-order-installments",
    staff_key="order_id",
    list_display=("payment_method_id", "order", "discarded_at", "deleted_at"),
    list_filter=(("deleted_at", yes_no(_("effacée"))),),
    search_fields=("payment_method_id", "order__reference"),
    ordering=("-pk",),
)
show(
    DiscardedCustomer,
    view_action=StaffAction.SEE_PAYMENTS,
    list_display=("customer_id", "discarded_at"),
    search_fields=("customer_id",),
    ordering=("-pk",),
)

show(
    Payout,
    view_action=StaffAction.SEE_BOOKS,
    staff_list="staff-payouts",
    list_display=("provider_id", "arrives_on", "amount", "state", "reference", "created_at", "closed_at"),
    list_filter=("state", "is_automatic", ("closed_at", yes_no(_("clos")))),
    date_hierarchy="arrives_on",
    search_fields=("provider_id", "reference", "bank_line__label"),
)
show(
    BalanceMovement,
    view_action=StaffAction.SEE_BOOKS,
    staff_list="staff-payouts",
    list_display=(
        "occurred_at",
        "provider_id",
        "kind",
        "amount",
        "fee",
        "source_id",
        "payout",
        "available_at",
    ),
    date_hierarchy="occurred_at",
    search_fields=("provider_id", "source_id", "payout__provider_id", "kind"),
    ordering=("-occurred_at", "-pk"),
)
show(
    BankLine,
    view_action=StaffAction.SEE_BOOKS,
    staff_list="staff-payouts",
    list_display=("booked_on", "label", "amount", "payout", "imported_at", "closed_at"),
    list_filter=(("payout", YesNoFilter), ("closed_at", yes_no(_("close")))),
    search_fields=("label", "payout__provider_id"),
)
show(
    AccountNumber,
    view_action=StaffAction.SEE_BOOKS,
    staff_list="staff-accounts",
    staff_row="staff-accounts-edit",
    list_display=("number", "label", "role"),
    search_fields=("number", "label"),
)
show(
    FiledReturn,
    view_action=StaffAction.SEE_BOOKS,
    staff_list="staff-books",
    list_display=("kind", "period", "filed_at"),
    list_filter=("kind",),
    search_fields=("period",),
)
show(
    ChainLink,
    view_action=StaffAction.SEE_BOOKS,
    list_display=("position", "kind", "row_id", "row_at", "digest", "hash", "created_at"),
    list_filter=("kind",),
    search_fields=("digest__exact", "hash__exact"),
    ordering=("-position",),
)
show(
    ChainHead,
    view_action=StaffAction.SEE_BOOKS,
    list_display=("month", "position", "hash", "created_at"),
    search_fields=("hash__exact",),
    ordering=("-month",),
)
show(
    PurgedYear,
    view_action=StaffAction.SEE_BOOKS,
    list_display=("year", "last_number", "total", "movements", "moved", "purged_orders", "purged_at"),
    search_fields=("year",),
)

show(
    Contract,
    view_action=StaffAction.SEE_INVOICES,
    staff_list="staff-orders",
    staff_row="staff-order",
    staff_key="order_id",
    list_display=("order", "terms_version", "language", "created_at"),
    list_filter=("language",),
    date_hierarchy="created_at",
    search_fields=("order__reference", "order__email", "terms_version"),
)
show(
    ContractDocument,
    view_action=StaffAction.SEE_INVOICES,
    staff_list="staff-orders",
    staff_row="staff-order",
    staff_key="contract.order_id",
    list_display=("contract", "sha256", "created_at"),
    list_select_related=("contract__order",),
    search_fields=("contract__order__reference", "sha256"),
    ordering=("-pk",),
    exclude=("pdf",),
)
show(
    InvoiceDocument,
    view_action=StaffAction.SEE_INVOICES,
    staff_list="staff-invoices",
    list_display=("invoice", "sha256", "created_at"),
    search_fields=("invoice__number", "invoice__order__reference", "sha256"),
    ordering=("-pk",),
    exclude=("pdf",),
)
show(
    InvoiceDraft,
    view_action=StaffAction.SEE_INVOICES,
    staff_list="staff-invoices",
    staff_row="staff-order-invoice",
    staff_key="order_id",
    list_display=("order", "customer_name", "customer_number", "updated_at"),
    search_fields=("order__reference", "order__email", "customer_name", "customer_number"),
    ordering=("-pk",),
)
show(
    InvoiceSeries,
    view_action=StaffAction.SEE_INVOICES,
    staff_list="staff-invoices",
    list_display=("year", "last_number", "last_hash"),
    search_fields=("year",),
    ordering=("-year",),
)
show(
    InvoiceGap,
    view_action=StaffAction.SEE_INVOICES,
    staff_list="staff-invoices",
    list_display=("year", "first_number", "last_number", "backup", "recorded_at"),
    search_fields=("year", "backup"),
)
