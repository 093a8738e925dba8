"""Refunds in the admin: proposed, confirmed, followed, tried again; and disputes."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.forms.boundfield import BoundField
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.recent_authentication import ask_again
from orders.admin.base import ExplainsRefunds, LinksOrder, StaffPageAdmin, order_page
from orders.models import Dispute, Order, OrderItem, OrderStatus, Refund, RefundLine, RefundRequest
from orders.selectors.refund_rules import (
    ReturnedLine,
    needs_recent_authentication,
    paid_amounts,
    propose_refund,
    refundable,
    units_returned,
)
from orders.selectors.refunds import RefundProgress, order_requests, progress
from orders.services.refunds.decisions import request_refund, restock_line
from orders.staff.base import row_number
from shop.core.amounts import AmountFormField, localised_amount
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffRights

NOT_REFUNDED_HERE = (OrderStatus.PENDING, OrderStatus.REFUNDED)


@dataclass(frozen=True, slots=True)
class LineRow:
    """A line of the order in the form: what is left of it, and its two fields."""

    item: OrderItem
    left: int
    paid: Decimal
    units: BoundField
    restock: BoundField


class RefundForm(forms.Form):
    """What goes back: everything, units of lines, or an amount. `key` makes one decision of two clicks."""

    scope = forms.ChoiceField(
        label=gettext_lazy("Que rembourser\u00a0?"),
        choices=[
            ("all", gettext_lazy("Tout ce qui reste, livraison comprise")),
            ("lines", gettext_lazy("Des articles")),
            ("amount", gettext_lazy("Un montant")),
        ],
        initial="all",
        widget=forms.RadioSelect,
    )
    restock_all = forms.BooleanField(
        label=gettext_lazy("Si tout est remboursé\u00a0: remettre les articles en stock"), required=False
    )
    amount = AmountFormField(
        label=gettext_lazy("Montant (€)"),
        required=False,
        max_digits=10,
        decimal_places=2,
        min_value=Decimal("0.01"),
        help_text=gettext_lazy(
            "Avec des articles\u00a0: laissez vide pour rembourser leur valeur, ou indiquez moins s'ils sont abîmés."
        ),
    )
    reason = forms.CharField(
        label=gettext_lazy("Motif, lu par le client"),
        max_length=500,
        required=False,
        initial=gettext_lazy("Demande de remboursement"),
        widget=forms.TextInput(attrs={"class": "vLargeTextField"}),
    )
    key = forms.UUIDField(widget=forms.HiddenInput)

    def __init__(self, data: Any, *, order: Order) -> None:
        super().__init__(data, initial={"key": uuid.uuid4()})
        returned, paid = units_returned(order), paid_amounts(order)
        self._rows = []
        for item in order.items.all():
            left = item.quantity - returned.get(item.pk, 0)
            self.fields[f"units_{item.pk}"] = forms.IntegerField(
                label=_("Quantité\u00a0: %(product)s") % {"product": item.label},
                min_value=0,
                max_value=left,
                required=False,
                initial=0,
            )
            self.fields[f"restock_{item.pk}"] = forms.BooleanField(
                label=_("Remettre %(product)s en stock") % {"product": item.label}, required=False
            )
            self._rows.append((item, left, paid[item.pk]))

    def rows(self) -> Iterator[LineRow]:
        """Yield the lines of the order with their two fields."""
        for item, left, paid in self._rows:
            yield LineRow(item, left, paid, self[f"units_{item.pk}"], self[f"restock_{item.pk}"])

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        scope = values.get("scope")
        if scope == "lines" and not any(values.get(f"units_{item.pk}") for item, *_rest in self._rows):
            self.add_error("scope", _("Indiquez au moins une quantité."))
        if scope == "amount" and not values.get("amount") and "amount" not in self.errors:
            self.add_error("amount", _("Indiquez un montant."))
        return values

    def wanted_lines(self) -> list[ReturnedLine] | None:
        """The units of the demand; None when it is about money alone, or about everything without restocking."""
        values = self.cleaned_data
        if values["scope"] == "lines":
            wanted = [
                ReturnedLine(item.pk, values[f"units_{item.pk}"] or 0, values[f"restock_{item.pk}"])
                for item, *_rest in self._rows
            ]
        elif values["scope"] == "all" and values["restock_all"]:
            wanted = [ReturnedLine(item.pk, left, True) for item, left, _paid in self._rows]
        else:
            return None
        return [line for line in wanted if line.quantity] or None

    def wanted_amount(self) -> Decimal | None:
        """Return the amount that was typed; None when everything is refunded."""
        values = self.cleaned_data
        return values["amount"] if values["scope"] != "all" else None


@order_page(
    "refund",
    label=gettext_lazy("Rembourser"),
    action=StaffAction.REFUND_ORDER,
    shown=lambda order: order.paid_at is not None and order.status not in NOT_REFUNDED_HERE,
)
def refund_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """Ask what is refunded, show what that means, and decide it once it was confirmed."""
    posted = request.POST if request.method == "POST" and "line" not in request.POST else None
    if request.method == "POST" and "line" in request.POST:
        return _restock(request, order)
    form = RefundForm(posted, order=order)
    context |= {
        "form": form,
        "left": refundable(order),
        "requests": [(decided, progress(decided)) for decided in order_requests(order)],
        "failed": RefundProgress.FAILED,
    }
    if posted is None or not form.is_valid():
        return TemplateResponse(request, "admin/orders/order/refund.html", context)
    key = f"admin-{form.cleaned_data['key']}"
    decided = RefundRequest.objects.filter(key=key).first()
    try:
        if decided is None:
            context["proposal"] = proposal = propose_refund(
                order, form.wanted_lines(), amount=form.wanted_amount()
            )
            if posted.get("confirmed") != str(proposal.amount):
                return TemplateResponse(request, "admin/orders/order/refund_confirm.html", context)
            if needs_recent_authentication(proposal.amount) and (answer := ask_again(request)):
                return answer
            decided = request_refund(
                order_id=order.pk,
                key=key,
                actor=cast(User, request.user),
                reason=form.cleaned_data["reason"],
                lines=form.wanted_lines(),
                amount=form.wanted_amount(),
            )
    except Problem as problem:
        messages.error(request, problem.detail)
        return TemplateResponse(request, "admin/orders/order/refund.html", context)
    messages.success(
        request,
        _("Remboursement de %(amount)s décidé. Cette page montre son état.")
        % {"amount": localised_amount(decided.amount)},
    )
    return redirect("admin:orders_refundrequest_change", decided.pk)


def _restock(request: HttpRequest, order: Order) -> HttpResponseBase:
    line = RefundLine.objects.filter(request__order=order, pk=row_number(request.POST["line"])).first()
    if line is not None and restock_line(line_id=line.pk):
        messages.success(request, _("Article remis en stock."))
    else:
        messages.warning(request, _("Cet article est déjà en stock, ou n'est plus au catalogue."))
    return redirect("admin:orders_order_refund", order.pk)


class RefundLineInline(StaffRights, admin.TabularInline[RefundLine, RefundRequest]):
    view_action = StaffAction.SEE_REFUNDS
    model = RefundLine
    fields = ("item", "quantity", "amount", "restocked")
    extra = 0


class RefundInline(ExplainsRefunds, StaffRights, admin.TabularInline[Refund, RefundRequest]):
    view_action = StaffAction.SEE_REFUNDS
    model = Refund
    fields = (
        "created_at", "amount", "method", "state", "settled_at", "provider_id", "transfer_reference", "why",
    )  # fmt: skip
    readonly_fields = ("why",)
    extra = 0


@admin.register(RefundRequest)
class RefundRequestAdmin(LinksOrder, StaffPageAdmin[RefundRequest]):
    """What was decided, and how far it is."""

    view_action = StaffAction.SEE_REFUNDS
    list_display = ("created_at", "order_link", "amount", "voided", "progress", "reason", "external", "actor")
    list_filter = ("external", ("settled_at", admin.EmptyFieldListFilter), "created_at")
    search_fields = ("id", "order__reference", "order__email", "refunds__provider_id")
    list_select_related = ("order", "actor")
    inlines = (RefundLineInline, RefundInline)
    fields = (
        "order_link", "progress", "amount", "voided", "shipping", "reason", "external", "withdrawal", "actor",
        "created_at", "settled_at",
    )  # fmt: skip
    readonly_fields = ("order_link", "progress")

    def get_queryset(self, request: HttpRequest) -> QuerySet[RefundRequest]:
        return super().get_queryset(request).prefetch_related("refunds")

    @admin.display(description=gettext_lazy("état"))
    def progress(self, decided: RefundRequest) -> str:
        return str(progress(decided).label)

    def staff_url(self, decided: RefundRequest) -> str:
        return reverse("staff-refunds", query={"q": decided.order.reference})


@admin.register(Refund)
class RefundAdmin(ExplainsRefunds, LinksOrder, StaffPageAdmin[Refund]):
    """What is refunded of each charge: asked for, on its way, done or failed."""

    view_action = StaffAction.SEE_REFUNDS
    list_display = (
        "created_at", "order_link", "amount", "method", "reason", "state", "settled_at", "why", "provider_id",
    )  # fmt: skip
    list_filter = ("state", "method", "reason", "created_at")
    search_fields = ("order__reference", "provider_id", "transfer_reference", "order__email")
    list_select_related = ("order",)

    def staff_url(self, refund: Refund) -> str:
        return reverse("staff-refunds", query={"q": refund.order.reference})


@admin.register(Dispute)
class DisputeAdmin(LinksOrder, StaffPageAdmin[Dispute]):
    """What banks take back. It is answered at Stripe; the shop follows."""

    view_action = StaffAction.SEE_REFUNDS
    list_display = ("opened_at", "order_link", "amount", "reason", "state", "answer_by", "closed_at")
    list_filter = ("state", "opened_at")
    search_fields = ("order__reference", "order__email", "provider_id")
    list_select_related = ("order",)

    def staff_url(self, dispute: Dispute) -> str:
        return reverse("staff-disputes", query={"q": dispute.provider_id})
