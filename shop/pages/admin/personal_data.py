"""Personal data in Django's admin: what the nightly job deleted, who asked to be erased, the processing register."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from shop.core.models import EMAIL_MAX_LENGTH, ShopSettings
from shop.core.personal_data import period_text, retention_rules
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, require
from shop.core.staff_admin import StaffAdmin
from shop.pages.models import Erasure, RetentionRun
from shop.pages.selectors.personal_data import printed_activities
from shop.pages.services.guest_erasures import send_erasure_link


class ErasureLinkForm(forms.Form):
    """The address that somebody wrote from, and the language of the mail."""

    email = forms.EmailField(label=gettext_lazy("adresse e-mail"), max_length=EMAIL_MAX_LENGTH)
    language = forms.ChoiceField(label=gettext_lazy("langue"), choices=settings.LANGUAGES)


@admin.register(RetentionRun)
class RetentionRunAdmin(StaffAdmin[RetentionRun]):
    """The report of each night, and the register."""

    view_action = StaffAction.SEE_SETTINGS
    list_display = ("day", "label", "period", "count", "fault")
    list_filter = ("day",)
    list_per_page = 50

    def get_urls(self) -> list[URLPattern]:
        register = self.admin_site.admin_view(self.register_page)
        return [path("registre", register, name="pages_retentionrun_register"), *super().get_urls()]

    @admin.display(description=gettext_lazy("ce qui est effacé"))
    def label(self, run: RetentionRun) -> str:
        return next((str(rule.label) for rule in retention_rules() if rule.name == run.rule), run.rule)

    @admin.display(description=gettext_lazy("après"))
    def period(self, run: RetentionRun) -> str:
        return next((period_text(rule.period) for rule in retention_rules() if rule.name == run.rule), "")

    def register_page(self, request: HttpRequest) -> HttpResponse:
        """The register of processing activities (GDPR art. 30), to read and to print."""
        require(request.user, StaffAction.SEE_SETTINGS)
        context: dict[str, Any] = {
            **self.admin_site.each_context(request),
            "title": _("Registre des traitements"),
            "shop": ShopSettings.load(),
            "activities": printed_activities(),
        }
        return TemplateResponse(request, "admin/pages/retentionrun/register.html", context)


@admin.register(Erasure)
class ErasureAdmin(StaffAdmin[Erasure]):
    """Who asked to be erased, until when; the addresses only while they are needed to answer. Adding one sends a link
    to somebody who wrote and has no account."""

    view_action = StaffAction.SEE_USERS
    add_action = StaffAction.SEND_ERASURE_LINK
    list_display = ("user_key", "state", "requested_at", "due_by", "by_inactivity", "closed_at", "done_at")
    list_filter = ("state", "by_inactivity")
    exclude = ("lease_until", "next_try_at")

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        require(request.user, StaffAction.SEND_ERASURE_LINK)
        form = ErasureLinkForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            try:
                send_erasure_link(actor=cast(User, request.user), **form.cleaned_data)
            except Problem as problem:
                form.add_error("email", problem.detail)
            else:
                messages.success(request, _("Le lien est parti."))
                return redirect("admin:pages_erasure_changelist")
        context: dict[str, Any] = {
            **self.admin_site.each_context(request),
            "title": _("Envoyer un lien d'effacement"),
            "opts": self.opts,
            "form": form,
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/pages/erasure/link.html", context)
