"""The kernel in Django's admin: outgoing mails, the shop's settings, scheduled jobs."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from shop.core import (
    audit_admin,  # noqa: F401 - importing it registers the page
    mail_delivery,
)
from shop.core.audit import record_audit
from shop.core.mail import ACCOUNT_MAILS
from shop.core.models import MailState, OutgoingMail, ScheduledJob, ShopSettings
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin, staff_action


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


@admin.register(ShopSettings)
class ShopSettingsAdmin(StaffAdmin[ShopSettings]):
    view_action = StaffAction.SEE_SETTINGS
    staff_list = "staff-settings"
    formfield_overrides = {models.URLField: {"assume_scheme": "https"}}
    list_display = ("shop_name", "trader_name", "workshop_email", "terms_version")


@admin.register(ScheduledJob)
class ScheduledJobAdmin(StaffAdmin[ScheduledJob]):
    view_action = StaffAction.SEE_JOBS
    list_display = ("name", "last_started_at", "last_finished_at", "locked_until", "last_error")
    search_fields = ("name",)
