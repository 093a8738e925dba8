"""The synonyms of the search in Django's admin: to look up. Staff keep them on their own screen."""

from __future__ import annotations

from django.contrib import admin

from catalog.models import Synonym
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin


@admin.register(Synonym)
class SynonymAdmin(StaffAdmin[Synonym]):
    view_action = StaffAction.SEE_TEXTS
    staff_list, staff_row = "staff-synonyms", "staff-synonyms-edit"
    list_display = ("words", "language")
    list_filter = ("language",)
    search_fields = ("words",)
