"""Declarations of withdrawal in the admin: how urgent each is, and every step as a page that explains and asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
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
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from orders.admin.parts import ReadOnly, order_page
from orders.admin.withdrawal_refund import refund_page
from orders.models import Order, WithdrawalCase, WithdrawalState
from orders.models.returns import OPEN_CASES
from orders.selectors.withdrawals import Light, cases_of, light, may_wait
from orders.services import withdrawal_cases
from orders.services.withdrawals import has_left
from shop.core.problems import Problem

LIGHTS: dict[Light, tuple[str, str | Promise]] = {
    Light.GREEN: ("icon-yes.svg", _("dans les temps")),
    Light.WAITING: ("icon-viewlink.svg", _("retour attendu")),
    Light.AMBER: ("icon-alert.svg", _("à rembourser bientôt")),
    Light.RED: ("icon-no.svg", _("à rembourser maintenant")),
    Light.CLOSED: ("icon-hidelink.svg", _("terminée")),
}


class ReferenceForm(forms.Form):
    reference = forms.CharField(label=_("Référence de la commande"), min_length=8, max_length=8)


class ReasonForm(forms.Form):
    reason = forms.CharField(label=_("Motif"), max_length=500, widget=forms.Textarea)


class DayForm(forms.Form):
    day = forms.DateField(
        label=_("Reçu le"),
        initial=timezone.localdate,
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
        input_formats=["%Y-%m-%d"],
    )

    def clean_day(self) -> date:
        day: date = self.cleaned_data["day"]
        if day > timezone.localdate():
            raise forms.ValidationError(_("Cette date est à venir."))
        return day


@dataclass(frozen=True, slots=True)
class Step:
    """Something that staff may do with a case: its page explains it, its form asks what is needed."""

    label: str | Promise
    explanation: str | Promise
    shown: Callable[[WithdrawalCase], bool]
    act: Callable[[WithdrawalCase, dict[str, Any], User], object]
    form: type[forms.Form] = forms.Form


def _moment(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time(12)))


def _open(case: WithdrawalCase) -> bool:
    return case.state in OPEN_CASES


def _taken_up(case: WithdrawalCase) -> bool:
    return _open(case) and case.order is not None and case.taken_up_at is not None


STEPS: dict[str, Step] = {
    "attach": Step(
        _("Rattacher à une commande"),
        _(
            "Cherchez la commande par le nom ou l'e-mail du client, puis donnez sa référence. Si la déclaration est "
            "arrivée à temps, elle prend effet aussitôt : échéances arrêtées, renvoi demandé si les pièces sont "
            "parties."
        ),
        lambda case: _open(case) and case.order is None,
        lambda case, data, actor: withdrawal_cases.attach_order(
            case_id=case.pk, reference=data["reference"], actor=actor
        ),
        ReferenceForm,
    ),
    "accept": Step(
        _("Accepter malgré le retard"),
        _(
            "La loi ne vous y oblige pas. La déclaration prend alors effet comme si elle était arrivée à temps. Le "
            "motif reste dans le dossier."
        ),
        lambda case: _open(case) and case.order is not None and case.taken_up_at is None,
        lambda case, data, actor: withdrawal_cases.accept_late(
            case_id=case.pk, reason=data["reason"], actor=actor
        ),
        ReasonForm,
    ),
    "return": Step(
        _("Demander le renvoi"),
        _(
            "Les pièces sont parties après la déclaration : le client reçoit l'adresse de renvoi et le délai, et le "
            "remboursement peut attendre le retour ou sa preuve."
        ),
        lambda case: (
            _taken_up(case)
            and case.state == WithdrawalState.DECLARED
            and case.order is not None
            and has_left(case.order)
        ),
        lambda case, data, actor: withdrawal_cases.ask_return(case_id=case.pk, actor=actor),
    ),
    "ship": Step(
        _("Permettre l'expédition du reste"),
        _(
            "Une commande rétractée ne peut pas être expédiée. Confirmez ici que ce que vous envoyez n'est pas "
            "concerné par la déclaration."
        ),
        lambda case: (
            _taken_up(case)
            and case.shipping_allowed_at is None
            and case.order is not None
            and not has_left(case.order)
        ),
        lambda case, data, actor: withdrawal_cases.allow_shipping(case_id=case.pk, actor=actor),
    ),
    "goods": Step(
        _("Noter le retour des pièces"),
        _(
            "À partir de ce jour, le remboursement n'attend plus : remboursez dès que vous avez ouvert le colis."
        ),
        lambda case: _taken_up(case) and case.goods_received_at is None,
        lambda case, data, actor: withdrawal_cases.record_return(
            case_id=case.pk, goods_received=True, moment=_moment(data["day"]), actor=actor
        ),
        DayForm,
    ),
    "proof": Step(
        _("Noter la preuve d'expédition"),
        _(
            "Un reçu du transporteur suffit : la loi ne permet plus d'attendre le colis pour rembourser "
            "(article L221-24)."
        ),
        lambda case: _taken_up(case) and case.shipping_proof_at is None and case.goods_received_at is None,
        lambda case, data, actor: withdrawal_cases.record_return(
            case_id=case.pk, goods_received=False, moment=_moment(data["day"]), actor=actor
        ),
        DayForm,
    ),
    "refuse": Step(
        _("Ne pas donner suite"),
        _(
            "Réservé à une déclaration tardive, sans commande, faite deux fois ou retirée par le client. Le motif lui "
            "est envoyé par e-mail : écrivez-le pour lui, dans sa langue. Les échéances déjà arrêtées le restent."
        ),
        _open,
        lambda case, data, actor: withdrawal_cases.refuse_case(
            case_id=case.pk, reason=data["reason"], actor=actor
        ),
        ReasonForm,
    ),
}


class LightFilter(admin.SimpleListFilter):
    title = _("à faire")
    parameter_name = "open"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("1", _("en cours")), ("0", _("terminées"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[WithdrawalCase]) -> QuerySet[WithdrawalCase]:
        if self.value() == "1":
            return queryset.filter(state__in=OPEN_CASES)
        return queryset.exclude(state__in=OPEN_CASES) if self.value() == "0" else queryset


@admin.register(WithdrawalCase)
class WithdrawalCaseAdmin(ReadOnly, admin.ModelAdmin[WithdrawalCase]):
    """Nothing is edited here: the declaration never changes, the rest follows the steps."""

    list_display = (
        "urgency",
        "reference",
        "declared_at",
        "name",
        "order_link",
        "state",
        "in_time",
        "refund_by",
    )
    list_display_links = ("reference",)
    list_filter = (LightFilter, "state", "in_time")
    search_fields = ("withdrawal__name", "withdrawal__email", "withdrawal__order_text", "order__reference")
    list_select_related = ("withdrawal", "order")
    ordering = ("refund_by", "pk")
    change_form_template = "admin/orders/withdrawalcase/change_form.html"
    fieldsets = (
        (None, {"fields": ("urgency", "state", "in_time", "refund_by", "order_link", "decision")}),
        (
            _("Déclaration"),
            {"fields": ("reference", "declared_at", "name", "email", "order_text", "statement", "lines")},
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
        icon, label = LIGHTS[light(case)]
        return format_html('<img src="{}" alt=""> {}', static(f"admin/img/{icon}"), label)

    @admin.display(description=_("référence"))
    def reference(self, case: WithdrawalCase) -> str:
        return case.withdrawal.reference

    @admin.display(description=_("déclarée le"), ordering="withdrawal__declared_at")
    def declared_at(self, case: WithdrawalCase) -> str:
        return date_format(timezone.localtime(case.withdrawal.declared_at), "DATETIME_FORMAT")

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
        return format_html(
            '<a href="{}">{}</a>', reverse("admin:orders_order_change", args=[case.order.pk]), case.order
        )

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("<int:case_id>/refund/", view(self.refund_view), name="orders_withdrawalcase_refund"),
            path("<int:case_id>/step/<slug:step>/", view(self.step_view), name="orders_withdrawalcase_step"),
            *super().get_urls(),
        ]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        case = self.get_object(request, object_id)
        context = dict(extra_context or {})
        if case is not None:
            context["steps"] = [
                (step.label, reverse("admin:orders_withdrawalcase_step", args=[case.pk, name]))
                for name, step in STEPS.items()
                if step.shown(case)
            ]
            if _taken_up(case):
                refund = reverse("admin:orders_withdrawalcase_refund", args=[case.pk])
                context["steps"].insert(0, (_("Rembourser"), refund))
        return super().change_view(request, object_id, form_url, context)

    def step_view(self, request: HttpRequest, case_id: int, step: str) -> HttpResponseBase:
        """One step: what it does, what it needs, and the button."""
        case = self._case(request, case_id)
        found = STEPS.get(step)
        if found is None:
            raise Http404
        form = found.form(request.POST if request.method == "POST" else None)
        if request.method == "POST" and form.is_valid():
            try:
                found.act(case, form.cleaned_data, cast(User, request.user))
            except Problem as problem:
                messages.error(request, problem.detail)
            else:
                messages.success(request, _("C'est noté."))
            return redirect("admin:orders_withdrawalcase_change", case.pk)
        context = {**self._context(request, case), "step": found, "form": form, "title": found.label}
        return TemplateResponse(request, "admin/orders/withdrawalcase/step.html", context)

    def refund_view(self, request: HttpRequest, case_id: int) -> HttpResponseBase:
        """What would go back, to the cent, then the button."""
        case = self._case(request, case_id)
        return refund_page(request, case, {**self._context(request, case), "waiting": may_wait(case)})

    def _case(self, request: HttpRequest, case_id: int) -> WithdrawalCase:
        case = get_object_or_404(WithdrawalCase.objects.select_related("withdrawal", "order"), pk=case_id)
        if not self.has_view_permission(request, case) or not cast(User, request.user).is_staff:
            raise PermissionDenied
        return case

    def _context(self, request: HttpRequest, case: WithdrawalCase) -> dict[str, Any]:
        return {**self.admin_site.each_context(request), "opts": self.opts, "case": case}


@order_page(
    "withdrawals",
    label=_("Rétractations"),
    shown=lambda order: order.withdrawal_cases.exists(),
)
def order_withdrawals_page(request: HttpRequest, order: Order, context: dict[str, Any]) -> HttpResponseBase:
    """The declarations about an order; straight to the only one."""
    cases = cases_of(order)
    if len(cases) == 1:
        return redirect("admin:orders_withdrawalcase_change", cases[0].pk)
    rows = [(case, *LIGHTS[light(case)]) for case in cases]
    return TemplateResponse(request, "admin/orders/order/withdrawals.html", {**context, "rows": rows})
