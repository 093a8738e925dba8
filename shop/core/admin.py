"""The kernel in Django's admin: outgoing mails, the shop's settings, scheduled jobs."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from shop.core import (
    audit_admin,  # noqa: F401 - importing it registers the page
    mail_delivery,
)
from shop.core.amounts import TYPED_AMOUNT
from shop.core.audit import record_audit
from shop.core.mail import ACCOUNT_MAILS
from shop.core.models import MailState, OutgoingMail, ScheduledJob, ShopSettings
from shop.core.shop_settings import save_shop_settings
from shop.core.staff_actions import StaffAction, require
from shop.core.staff_admin import StaffAdmin, staff_action

CEILINGS = ("franchise_ceiling", "franchise_ceiling_upper", "eu_sales_threshold")
LOWEST_CEILING, HIGHEST_CEILING = Decimal(1000), Decimal(1_000_000)


@admin.register(OutgoingMail)
class OutgoingMailAdmin(StaffAdmin[OutgoingMail]):
    view_action = StaffAction.SEE_MAILS
    list_display = ("created_at", "to", "kind", "reference", "language", "state", "attempts", "sent_at")
    list_filter = ("state", "kind", "language")
    search_fields = ("to", "reference", "subject", "message_id")
    date_hierarchy = "created_at"
    actions = ("send_again",)

    def get_exclude(self, request: HttpRequest, obj: OutgoingMail | None = None) -> tuple[str, ...]:
        # Links in account mails open the account: they are for its owner's eyes.
        secret = obj is not None and obj.kind.startswith(ACCOUNT_MAILS)
        return ("html", "context", "text") if secret else ("html", "context")

    @staff_action(StaffAction.RESEND_MAIL, description=gettext_lazy("Renvoyer les e-mails en échec"))
    def send_again(self, request: HttpRequest, chosen: QuerySet[OutgoingMail]) -> HttpResponse | None:
        """Ask first and say what it does; touch dead letters only."""
        failed = chosen.filter(state=MailState.FAILED).order_by("pk")
        if not failed:
            self.message_user(request, _("Aucun des e-mails choisis n'est en échec."), messages.WARNING)
            return None
        if "confirmed" not in request.POST:
            return render(
                request,
                "admin/core/outgoingmail/send_again.html",
                {**self.admin_site.each_context(request), "mails": failed, "title": _("Renvoyer")},
            )
        count = 0
        for mail in failed:
            if mail_delivery.resend(mail_id=mail.pk):
                record_audit("mail.resent", mail, actor=request.user)  # type: ignore[arg-type]
                count += 1
        self.message_user(
            request,
            ngettext(
                "%(count)d e-mail remis en file d'attente.",
                "%(count)d e-mails remis en file d'attente.",
                count,
            )
            % {"count": count},
            messages.SUCCESS,
        )
        return None


class WeekdaysField(forms.MultipleChoiceField):
    """Days of the week: ticked, and stored as their ISO numbers (`12345`)."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self, **options: Any) -> None:
        choices = [(str(number + 1), name) for number, name in WEEKDAYS.items()]
        super().__init__(choices=choices, **options)

    def prepare_value(self, value: Any) -> Any:
        return list(value) if isinstance(value, str) else value

    def clean(self, value: Any) -> Any:
        return "".join(sorted(super().clean(value)))

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(self.prepare_value(initial), data)


class ShopSettingsForm(forms.ModelForm[ShopSettings]):
    """The sheet; amounts of tax law that can't be right are refused rather than alerting nobody."""

    making_days = WeekdaysField(
        label=gettext_lazy("jours de fabrication"),
        help_text=gettext_lazy("Sauf jours fériés en France et fermetures de l'atelier."),
    )
    dispatch_days = WeekdaysField(
        label=gettext_lazy("jours d'expédition"),
        help_text=gettext_lazy("Sauf jours fériés en France et fermetures de l'atelier."),
    )

    class Meta:
        model = ShopSettings
        fields = CEILINGS

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for name in CEILINGS:
            amount = cleaned.get(name)
            if amount is not None and not LOWEST_CEILING <= amount <= HIGHEST_CEILING:
                self.add_error(name, _("Indiquez le montant annuel en euros, entre 1 000 € et 1 000 000 €."))
        lower, upper = cleaned.get("franchise_ceiling"), cleaned.get("franchise_ceiling_upper")
        if lower is not None and upper is not None and upper < lower:
            self.add_error("franchise_ceiling_upper", _("Le plafond majoré est plus bas que le plafond."))
        return cleaned


@admin.register(ShopSettings)
class ShopSettingsAdmin(StaffAdmin[ShopSettings]):
    """The settings sheet: always there, one row, never deleted."""

    view_action = StaffAction.SEE_SETTINGS
    change_action = StaffAction.EDIT_SETTINGS
    form = ShopSettingsForm
    formfield_overrides = {models.URLField: {"assume_scheme": "https"}, models.DecimalField: TYPED_AMOUNT}

    fieldsets = (
        (
            gettext_lazy("Boutique"),
            {"fields": ("shop_name", "workshop_email", ("instagram_url", "facebook_url"), "terms_version")},
        ),
        (
            gettext_lazy("Mentions légales"),
            {
                "description": gettext_lazy("Sans ces mentions, la boutique n'a pas le droit de vendre."),
                "fields": (
                    "trader_name",
                    "siret",
                    "address",
                    "email",
                    "phone",
                    "vat_notice",
                    "publication_director",
                    ("host_name", "host_phone"),
                    "host_address",
                    "mediator_name",
                    "mediator_address",
                    "mediator_url",
                    "packaging_id",
                    "is_demonstration",
                ),
            },
        ),
        (
            gettext_lazy("Fabrication et paiement"),
            {
                "fields": (
                    ("default_production_days_min", "default_production_days_max"),
                    "default_weight_grams",
                    "weekly_capacity",
                    ("making_days", "dispatch_days"),
                    ("installments_enabled", "installments_minimum"),
                    "refund_confirmation_above",
                )
            },
        ),
        (
            gettext_lazy("Plafonds et TVA"),
            {
                "description": gettext_lazy(
                    "Les jauges de « Mes comptes » et la TVA des factures en dépendent : vérifiez-les chaque année."
                ),
                "fields": (
                    ("franchise_ceiling", "franchise_ceiling_upper"),
                    ("eu_sales_threshold", "oss_number"),
                ),
            },
        ),
    )

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponseRedirect:
        require(request.user, StaffAction.SEE_SETTINGS)
        ShopSettings.objects.get_or_create(pk=ShopSettings.PK)
        return HttpResponseRedirect(reverse("admin:core_shopsettings_change", args=[ShopSettings.PK]))

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        missing = ShopSettings.load().missing_legal_fields()
        if missing and request.method == "GET":
            names = ", ".join(field.label for field in missing)
            self.message_user(
                request, _("Mentions légales manquantes : %(names)s") % {"names": names}, messages.WARNING
            )
        return super().change_view(request, object_id, *args, **kwargs)

    def save_model(self, request: HttpRequest, obj: ShopSettings, form: Any, change: bool) -> None:
        save_shop_settings(obj)


@admin.register(ScheduledJob)
class ScheduledJobAdmin(StaffAdmin[ScheduledJob]):
    view_action = StaffAction.SEE_JOBS
    list_display = ("name", "last_started_at", "last_finished_at", "locked_until", "last_error")
    search_fields = ("name",)
