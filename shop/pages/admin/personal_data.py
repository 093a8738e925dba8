"""Personal data in Django's admin, to look up: what the nightly job deleted, who asked to be erased."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from shop.core.personal_data import period_text, retention_rules
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin
from shop.pages.models import Erasure, RetentionRun


@admin.register(RetentionRun)
class RetentionRunAdmin(StaffAdmin[RetentionRun]):
    """The report of each night."""

    view_action = StaffAction.SEE_SETTINGS
    staff_list = "staff-nights"
    list_display = ("day", "label", "period", "count", "fault")
    list_filter = ("day",)
    list_per_page = 50

    @admin.display(description=_("ce qui est effacé"))
    def label(self, run: RetentionRun) -> str:
        return next((str(rule.label) for rule in retention_rules() if rule.name == run.rule), run.rule)

    @admin.display(description=_("après"))
    def period(self, run: RetentionRun) -> str:
        return next((period_text(rule.period) for rule in retention_rules() if rule.name == run.rule), "")


@admin.register(Erasure)
class ErasureAdmin(StaffAdmin[Erasure]):
    """Who asked to be erased, until when; the addresses only while they are needed to answer."""

    view_action = StaffAction.SEE_USERS
    staff_list = "staff-erasures"
    list_display = ("user_key", "state", "requested_at", "due_by", "by_inactivity", "closed_at", "done_at")
    list_filter = ("state", "by_inactivity")
    exclude = ("lease_until", "next_try_at")
