"""Withdrawals in the admin: how urgent each is, and each step as a page that explains and asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.templatetags.static import static
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.recent_authentication import ask_again
from orders.admin.base import LinkedPagesAdmin, PageLink, carry_out, order_link, order_page
from orders.admin.withdrawal_filing import LABEL, filing_page
from orders.admin.withdrawal_steps import STEPS, is_accepted
from orders.models import Order, WithdrawalCase
from orders.models.returns import OPEN_CASES
from orders.selectors.refund_rules import (
    RefundProposal,
    ReturnedLine,
    needs_recent_authentication,
    propose_refund,
)
from orders.selectors.withdrawals import (
    ReturnableLine,
    Urgency,
    cases_of,
    may_wait,
    returnable_lines,
    urgency_of,
)
from orders.services.refunds.decisions import stopped_by
from orders.services.withdrawals.cases import refund_case
from shop.core.amounts import AmountFormField
from shop.core.money import amount_string
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may, require


@dataclass(frozen=True, slots=True)
class UrgencySign:
    """How a list shows an urgency."""

    icon: str
    label: str | Promise


URGENCY_SIGNS = {
    Urgency.GREEN: UrgencySign("icon-yes.svg", _("dans les temps")),
    Urgency.WAITING: UrgencySign("icon-viewlink.svg", _("retour attendu")),
    Urgency.AMBER: UrgencySign("icon-alert.svg", _("à rembourser bientôt")),
    Urgency.RED: UrgencySign("icon-no.svg", _("à rembourser maintenant")),
    Urgency.CLOSED: UrgencySign("icon-hidelink.svg", _("terminée")),
}


class OpenCasesFilter(admin.SimpleListFilter):
    """Cases that are open, or closed."""

    title = _("à faire")
    parameter_name = "open"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("1", _("en cours")), ("0", _("terminées"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[WithdrawalCase]) -> QuerySet[WithdrawalCase]:
        if self.value() == "1":
            return queryset.filter(state__in=OPEN_CASES)
        return queryset.exclude(state__in=OPEN_CASES) if self.value() == "0" else queryset


@admin.register(WithdrawalCase)
class WithdrawalCaseAdmin(LinkedPagesAdmin[WithdrawalCase]):
    """Nothing is edited here: the declaration never changes, the rest follows the steps. What is added came otherwise
    than by the site."""

    view_action = StaffAction.SEE_WITHDRAWALS
    add_action = StaffAction.FILE_WITHDRAWAL
    list_display = (
        "urgency",
        "reference",
        "declared_at",
        "channel",
        "name",
        "order_link",
        "state",
        "in_time",
        "refund_by",
    )
    list_display_links = ("reference",)
    list_filter = (OpenCasesFilter, "state", "in_time", "withdrawal__channel")
    search_fields = ("withdrawal__name", "withdrawal__email", "withdrawal__order_text", "order__reference")
    list_select_related = ("withdrawal", "order")
    ordering = ("refund_by", "pk")
    change_list_template = "admin/orders/withdrawalcase/change_list.html"
    fieldsets = (
        (None, {"fields": ("urgency", "state", "in_time", "refund_by", "order_link", "decision")}),
        (_("Renoncement du client à sa rétractation"), {"fields": ("revoked_on", "revocation_text")}),
        (
            _("Déclaration"),
            {
                "fields": (
                    "reference",
                    "channel",
                    "sent_on",
                    "declared_at",
                    "name",
                    "email",
                    "order_text",
                    "statement",
                    "lines",
                    "filed_by",
                )
            },
        ),
        (
            _("Suites"),
            {
                "fields": (
                    "taken_up_at",
                    "voided",
                    "goods",
                    "shipping_allowed_at",
                    "goods_received_at",
                    "shipping_proof_at",
                )
            },
        ),
    )

    @admin.display(description=_("urgence"))
    def urgency(self, case: WithdrawalCase) -> str:
        sign = URGENCY_SIGNS[urgency_of(case)]
        return format_html('<img src="{}" alt=""> {}', static(f"admin/img/{sign.icon}"), sign.label)

    @admin.display(description=_("référence"))
    def reference(self, case: WithdrawalCase) -> str:
        return case.withdrawal.reference

    @admin.display(description=_("reçue le"), ordering="withdrawal__declared_at")
    def declared_at(self, case: WithdrawalCase) -> str:
        named_format = "DATETIME_FORMAT" if case.withdrawal.by_site else "DATE_FORMAT"
        return date_format(timezone.localtime(case.withdrawal.declared_at), named_format)

    @admin.display(description=_("comment"))
    def channel(self, case: WithdrawalCase) -> str:
        return case.withdrawal.get_channel_display()

    @admin.display(description=_("envoyée le"))
    def sent_on(self, case: WithdrawalCase) -> str:
        sent_on = case.withdrawal.sent_on
        return "–" if sent_on is None else date_format(sent_on, "DATE_FORMAT")

    @admin.display(description=_("enregistrée par"))
    def filed_by(self, case: WithdrawalCase) -> str:
        return str(case.withdrawal.filed_by or "–")

    @admin.display(description=_("nom"), ordering="withdrawal__name")
    def name(self, case: WithdrawalCase) -> str:
        return case.withdrawal.name

    @admin.display(description=_("e-mail"))
    def email(self, case: WithdrawalCase) -> str:
        return case.withdrawal.email

    @admin.display(description=_("commande déclarée"))
    def order_text(self, case: WithdrawalCase) -> str:
        return case.withdrawal.order_text

    @admin.display(description=_("texte de la déclaration"))
    def statement(self, case: WithdrawalCase) -> str:
        return case.withdrawal.statement

    @admin.display(description=_("articles rendus"))
    def lines(self, case: WithdrawalCase) -> str:
        lines = case.withdrawal.lines.select_related("item")
        return ", ".join(str(line) for line in lines) or case.goods or str(_("toute la commande"))

    @admin.display(description=_("commande"), ordering="order__reference")
    def order_link(self, case: WithdrawalCase) -> str:
        if case.order is None:
            return str(_("à retrouver"))
        return order_link(case.order)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """A declaration without a known order that came by letter or e-mail."""
        require(request.user, StaffAction.FILE_WITHDRAWAL)
        context = {**self.admin_site.each_context(request), "opts": self.opts}
        return cast(HttpResponse, filing_page(request, context))

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return super().changelist_view(request, {**(extra_context or {}), "add_label": LABEL})

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("<int:case_id>/refund/", view(self.refund_view), name="orders_withdrawalcase_refund"),
            path("<int:case_id>/step/<slug:step>/", view(self.step_view), name="orders_withdrawalcase_step"),
            *super().get_urls(),
        ]

    def page_context(self, case: WithdrawalCase) -> dict[str, Any]:
        reference = case.withdrawal.reference
        return {"title": gettext("Rétractation %(reference)s") % {"reference": reference}, "subtitle": None}

    def pages_of(self, request: HttpRequest, case: WithdrawalCase) -> list[PageLink]:
        pages = [
            PageLink(step.label, reverse("admin:orders_withdrawalcase_step", args=[case.pk, name]))
            for name, step in STEPS.items()
            if may(request.user, step.action) and step.shown(case)
        ]
        if may(request.user, StaffAction.REFUND_ORDER) and is_accepted(case):
            url = reverse("admin:orders_withdrawalcase_refund", args=[case.pk])
            pages.insert(0, PageLink(_("Rembourser"), url))
        return pages

    def step_view(self, request: HttpRequest, case_id: int, step: str) -> HttpResponseBase:
        """One step: what it does, what it needs, and the button."""
        found = STEPS.get(step)
        if found is None:
            raise Http404
        require(request.user, found.action)
        case = _case(case_id)
        form = found.form(request.POST if request.method == "POST" else None, case=case)
        if request.method == "POST" and form.is_valid():
            actor = cast(User, request.user)
            carry_out(request, lambda: found.act(case, form.cleaned_data, actor))
            return redirect("admin:orders_withdrawalcase_change", case.pk)
        context = {**self._context(request, case), "step": found, "form": form, "title": found.label}
        return TemplateResponse(request, "admin/orders/withdrawalcase/step.html", context)

    def refund_view(self, request: HttpRequest, case_id: int) -> HttpResponseBase:
        """What would go back, to the cent, then the button."""
        require(request.user, StaffAction.REFUND_ORDER)
        case = _case(case_id)
        return refund_page(request, case, {**self._context(request, case), "waiting": may_wait(case)})

    def _context(self, request: HttpRequest, case: WithdrawalCase) -> dict[str, Any]:
        return {**self.admin_site.each_context(request), "opts": self.opts, "case": case}


def _case(case_id: int) -> WithdrawalCase:
    return get_object_or_404(WithdrawalCase.objects.select_related("withdrawal", "order"), pk=case_id)


@order_page(
    "withdrawals",
    label=_("Rétractations"),
    action=StaffAction.SEE_WITHDRAWALS,
    shown=lambda order: order.withdrawal_cases.exists(),
)
def order_withdrawals_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """The declarations about an order; straight to the only one."""
    cases = cases_of(order)
    if len(cases) == 1:
        return redirect("admin:orders_withdrawalcase_change", cases[0].pk)
    rows = [(case, URGENCY_SIGNS[urgency_of(case)]) for case in cases]
    return TemplateResponse(request, "admin/orders/order/withdrawals.html", {**context, "rows": rows})


class ReturnForm(forms.Form):
    """The units that came back. `amount` is less than their worth when they lost value (L221-23)."""

    restock = forms.BooleanField(label=_("Remettre en stock"), required=False)
    amount = AmountFormField(
        label=_("Montant accordé (€), si les pièces ont perdu de la valeur"),
        required=False,
        min_value=Decimal("0.01"),
        max_digits=10,
        decimal_places=2,
        help_text=_("Vide : tout ce qui a été payé pour ces pièces (article L221-23)."),
    )
    reason = forms.CharField(label=_("Motif, envoyé au client"), max_length=500, required=False)

    def __init__(self, *args: Any, lines: Sequence[ReturnableLine], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.lines = lines
        units = {
            f"units_{line.item.pk}": forms.IntegerField(
                label=f"{line.item} ({line.left})", min_value=0, max_value=line.left
            )
            for line in lines
        }
        self.fields = {**units, **self.fields}

    def chosen(self) -> list[ReturnedLine] | None:
        """The lines of a valid form as a refund wants them; None when the order has none left to choose."""
        if not self.lines:
            return None
        restock: bool = self.cleaned_data["restock"]
        wanted = ((line.item.pk, self.cleaned_data[f"units_{line.item.pk}"]) for line in self.lines)
        return [ReturnedLine(item, units, restock) for item, units in wanted if units]


def refund_page(request: HttpRequest, case: WithdrawalCase, context: dict[str, Any]) -> HttpResponseBase:
    """Show the sum for what is chosen; the button carries that sum, and another one is shown before it is used."""
    back = redirect("admin:orders_withdrawalcase_change", case.pk)
    if case.order is None or case.state not in OPEN_CASES:
        messages.error(request, _("Cette déclaration n'a rien à rembourser."))
        return back
    lines = returnable_lines(case.order)
    start = _start(case, lines)
    form = ReturnForm(request.POST if request.method == "POST" else start, lines=lines)
    proposal: RefundProposal | None = None
    if form.is_valid():
        amount = form.cleaned_data["amount"]
        try:
            proposal = propose_refund(
                case.order, form.chosen(), amount=amount, stopped=stopped_by(case.withdrawal)
            )
            agreed = request.POST.get("expected") == amount_string(proposal.amount)
            if request.method == "POST" and "confirm" in request.POST and agreed:
                if needs_recent_authentication(proposal.amount) and (answer := ask_again(request)):
                    return answer
                refund_case(
                    case_id=case.pk,
                    lines=form.chosen(),
                    amount=amount,
                    reason=form.cleaned_data["reason"],
                    actor=cast(User, request.user),
                )
                messages.success(request, _("Remboursement décidé : l'argent part dans la minute."))
                return back
        except Problem as problem:
            messages.error(request, problem.detail)
    context |= {
        "form": form,
        "proposal": proposal,
        "expected": "" if proposal is None else amount_string(proposal.amount),
        "title": _("Rembourser la rétractation"),
    }
    return TemplateResponse(request, "admin/orders/withdrawalcase/refund.html", context)


def _start(case: WithdrawalCase, lines: Sequence[ReturnableLine]) -> dict[str, Any]:
    """What the declaration says: its lines, nothing where the customer only described them, else everything."""
    declared = {line.item_id: line.quantity for line in case.withdrawal.lines.all()}
    everything = not declared and not case.goods
    return {
        f"units_{line.item.pk}": line.left if everything else min(declared.get(line.item.pk, 0), line.left)
        for line in lines
    }
