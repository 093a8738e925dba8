"""Refunds as money moves: what failed is tried again or settled by transfer; what a bank sent back is taken back."""

from __future__ import annotations

import uuid
from typing import cast

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from accounts.models import User
from orders.models import Dispute, Refund, RefundMethod, RefundState
from orders.models.payment import OPEN_DISPUTES
from orders.selectors.money import waiting_refunds
from orders.selectors.refund_words import is_of_installment_not_owed
from orders.selectors.refunds import refund_error_in_words
from orders.services.refunds.decisions import retry_refund
from orders.staff.base import PageLink, ask_page, carry_out
from orders.staff.transfers import RETURNED_LABEL, SENT_LABEL
from shop.core.amounts import localised_amount
from shop.core.staff_actions import StaffAction, may
from shop.core.staff_lists import Part, staff_list
from shop.core.staff_pages import WRITE, staff_page

REFUND_PARTS = (
    Part(
        "a-refaire",
        "À refaire",
        lambda rows: rows.filter(pk__in=waiting_refunds().values("pk")),
        oldest_first=True,
    ),
    Part(
        "en-cours",
        "En cours",
        lambda rows: rows.exclude(state__in=(RefundState.FAILED, RefundState.SUCCEEDED)),
    ),
    Part("virements", "Virements", lambda rows: rows.filter(method=RefundMethod.TRANSFER)),
    Part("tous", "Tous"),
)
REFUND_SEARCHED = ("order__reference", "order__email", "provider_id", "transfer_reference")

DISPUTE_PARTS = (
    Part("ouverts", "Ouverts", lambda rows: rows.filter(state__in=OPEN_DISPUTES), oldest_first=True),
    Part("clos", "Clos", lambda rows: rows.exclude(state__in=OPEN_DISPUTES)),
    Part("tous", "Tous"),
)
DISPUTE_SEARCHED = ("order__reference", "order__email", "provider_id")


@staff_page(StaffAction.SEE_REFUNDS)
def refunds_page(request: HttpRequest) -> HttpResponseBase:
    """What went back of each payment; first what failed and waits for a person."""
    rows = Refund.objects.select_related("attempt", "order", "replaced_by")
    listed = staff_list(request, rows, REFUND_PARTS, searched=REFUND_SEARCHED, moment="created_at")
    steps = [
        (refund, _reason(refund), refund_error_in_words(refund.error), _steps(request, refund))
        for refund in listed.rows
    ]
    return render(request, "staff/refunds/list.html", {"list": listed, "rows": steps})


def _reason(refund: Refund) -> str:
    if is_of_installment_not_owed(refund):
        return "Échéance qui n'était plus à payer"
    return str(refund.get_reason_display())


def _steps(request: HttpRequest, refund: Refund) -> list[PageLink]:
    steps = []
    if refund.state == RefundState.FAILED and not hasattr(refund, "replaced_by"):
        if may(request.user, StaffAction.REFUND_ORDER):
            steps.append(PageLink("Réessayer", reverse("staff-refund-retry", args=[refund.pk])))
        if may(request.user, StaffAction.RECORD_TRANSFER):
            asked = reverse("staff-order-transfer", args=[refund.order_id], query={"refund": refund.pk})
            steps.append(PageLink(SENT_LABEL, asked))
    is_transfer = refund.method == RefundMethod.TRANSFER and refund.state == RefundState.SUCCEEDED
    if is_transfer and may(request.user, StaffAction.RECORD_TRANSFER_RETURN):
        steps.append(
            PageLink(RETURNED_LABEL, reverse("staff-order-transfer-returned", args=[refund.order_id]))
        )
    return steps


@staff_page(StaffAction.REFUND_ORDER, WRITE)
def retry_page(request: HttpRequest, refund_id: uuid.UUID) -> HttpResponseBase:
    """Say what is sent again, and send it once confirmed."""
    refund = get_object_or_404(Refund.objects.select_related("order"), pk=refund_id)
    back = reverse("staff-refunds")
    if request.method == "POST":
        carry_out(
            request,
            lambda: retry_refund(refund_id=refund.pk, actor=cast(User, request.user)),
            "Le remboursement est envoyé à nouveau.",
        )
        return redirect(back)
    amount = localised_amount(refund.amount)
    return ask_page(
        request,
        title=f"Réessayer le remboursement de {amount}",
        back=back,
        submit="Réessayer",
        sentences=(
            f"Commande {refund.order.reference} de {refund.order.customer_name}.",
            f"Il a échoué\u00a0: {refund_error_in_words(refund.error)}",
            "Stripe reçoit la demande à nouveau, au plus pour ce qui est encore dû. Son état se lit dans la liste.",
        ),
    )


@staff_page(StaffAction.SEE_REFUNDS)
def disputes_page(request: HttpRequest) -> HttpResponseBase:
    """What banks take back. It is answered at Stripe; the shop follows."""
    rows = Dispute.objects.select_related("order")
    listed = staff_list(request, rows, DISPUTE_PARTS, searched=DISPUTE_SEARCHED, moment="opened_at")
    return render(request, "staff/refunds/disputes.html", {"list": listed, "open": OPEN_DISPUTES})
