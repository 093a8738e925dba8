"""What there is to do with an order's dates, its money and its declarations: links for the order's page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse

from orders.models import Order, PaymentMode
from orders.selectors.provider_events import askable_attempts
from orders.selectors.refund_retries import retryable_refunds
from orders.selectors.workshop import is_awaited
from orders.services.checkout.guest_accounts import may_correct_email
from orders.staff.base import PageLink
from orders.staff.dates import (
    DELIVERY_LABEL,
    EMAIL_LABEL,
    PROMISE_LABEL,
    RETENTION_LABEL,
    has_delivery,
    has_kept_money,
)
from orders.staff.invoices import CORRECTION_LABEL, DRAFT_LABEL, has_uncredited_invoice
from orders.staff.provider import ASK_LABEL
from orders.staff.transfers import RETURNED_LABEL, SENT_LABEL, succeeded_transfers
from orders.staff.withdrawal_filing import LABEL as FILE_LABEL
from shop.core.staff_actions import StaffAction, may


@dataclass(frozen=True, slots=True)
class MoneyStep:
    """A page of one order. Its link shows when `shown` says so, to whoever may do its action; the page itself checks
    both again."""

    view_name: str
    label: str
    action: StaffAction
    shown: Callable[[Order], bool]


MONEY_STEPS = (
    MoneyStep("staff-order-promise", PROMISE_LABEL, StaffAction.FULFIL_ORDER, is_awaited),
    MoneyStep("staff-order-delivery", DELIVERY_LABEL, StaffAction.FULFIL_ORDER, has_delivery),
    MoneyStep("staff-order-email", EMAIL_LABEL, StaffAction.FULFIL_ORDER, may_correct_email),
    MoneyStep("staff-order-retention", RETENTION_LABEL, StaffAction.REFUND_ORDER, has_kept_money),
    MoneyStep(
        "staff-order-installments",
        "Échéances",
        StaffAction.SEE_PAYMENTS,
        lambda order: order.payment_mode == PaymentMode.INSTALLMENTS,
    ),
    MoneyStep(
        "staff-order-provider-state",
        ASK_LABEL,
        StaffAction.ASK_PROVIDER,
        lambda order: askable_attempts(order).exists(),
    ),
    MoneyStep(
        "staff-order-pause",
        "Suspendre ou reprendre les échéances",
        StaffAction.PAUSE_INSTALLMENTS,
        lambda order: order.payment_mode == PaymentMode.INSTALLMENTS and order.is_paid,
    ),
    MoneyStep(
        "staff-order-transfer",
        SENT_LABEL,
        StaffAction.RECORD_TRANSFER,
        lambda order: bool(retryable_refunds(order)),
    ),
    MoneyStep(
        "staff-order-transfer-returned",
        RETURNED_LABEL,
        StaffAction.RECORD_TRANSFER_RETURN,
        lambda order: succeeded_transfers(order).exists(),
    ),
    MoneyStep(
        "staff-order-invoice",
        DRAFT_LABEL,
        StaffAction.CORRECT_INVOICE,
        lambda order: order.paid_at is None,
    ),
    MoneyStep("staff-order-invoice", CORRECTION_LABEL, StaffAction.CORRECT_INVOICE, has_uncredited_invoice),
    MoneyStep(
        "staff-order-withdrawals",
        "Rétractations",
        StaffAction.SEE_WITHDRAWALS,
        lambda order: order.withdrawal_cases.exists(),
    ),
    MoneyStep(
        "staff-order-withdrawal-file",
        FILE_LABEL,
        StaffAction.FILE_WITHDRAWAL,
        lambda order: order.paid_at is not None,
    ),
)


def money_links(user: AbstractBaseUser | AnonymousUser, order: Order) -> list[PageLink]:
    """Return the pages that the person may open and that have something to do there."""
    return [
        PageLink(step.label, reverse(step.view_name, args=[order.pk]))
        for step in MONEY_STEPS
        if may(user, step.action) and step.shown(order)
    ]
