"""The kernel in Django's admin: outgoing mails, the shop's settings, scheduled jobs, files to be deleted."""

from __future__ import annotations

from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from shop.core import (
    audit_admin,  # noqa: F401 - importing it registers the page
)
from shop.core.mail import ACCOUNT_MAILS
from shop.core.models import DiscardedFile, OutgoingMail, ScheduledJob, ShopSettings
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import RecordAdmin, StaffAdmin


@admin.register(OutgoingMail)
class OutgoingMailAdmin(StaffAdmin[OutgoingMail]):
    view_action = StaffAction.SEE_MAILS
    staff_list, staff_row = "staff-outbox", "staff-sent-mail"
    list_display = ("created_at", "to", "kind", "reference", "language", "state", "attempts", "sent_at")
    list_filter = ("state", "kind", "language")
    search_fields = ("to", "reference", "subject", "message_id")
    date_hierarchy = "created_at"

    def get_exclude(self, request: HttpRequest, obj: OutgoingMail | None = None) -> tuple[str, ...]:
        # Links in account mails open the account: they are for its owner's eyes.
        secret = obj is not None and obj.kind.startswith(ACCOUNT_MAILS)
        return ("html", "context", "text") if secret else ("html", "context")


@admin.register(ShopSettings)
class ShopSettingsAdmin(StaffAdmin[ShopSettings]):
    view_action = StaffAction.SEE_SETTINGS
    staff_list = "staff-settings"
    formfield_overrides = {models.URLField: {"assume_scheme": "https"}}
    list_display = ("shop_name", "trader_name", "workshop_email")


@admin.register(ScheduledJob)
class ScheduledJobAdmin(StaffAdmin[ScheduledJob]):
    view_action = StaffAction.SEE_JOBS
    staff_list = "staff-jobs"
    list_display = ("name", "last_started_at", "last_finished_at", "locked_until", "last_error")
    search_fields = ("name",)


admin.site.register(
    DiscardedFile,
    RecordAdmin,
    view_action=StaffAction.SEE_JOBS,
    staff_list="staff-jobs",
    list_display=("name", "storage", "discarded_at"),
    list_filter=("storage",),
    search_fields=("name",),
    ordering=("-pk",),
)
