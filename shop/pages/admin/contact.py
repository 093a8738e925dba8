"""Contact requests in Django's admin: to look up; staff answer them on their own screen."""

from __future__ import annotations

from django.contrib import admin

from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin
from shop.pages.models import ContactRequest


@admin.register(ContactRequest)
class ContactRequestAdmin(StaffAdmin[ContactRequest]):
    """What visitors wrote."""

    view_action = StaffAction.SEE_CONTACTS
    staff_list, staff_row = "staff-messages", "staff-message"
    list_display = (
        *("reference", "created_at", "kind", "state", "first_name", "last_name", "email", "subject"),
    )
    list_filter = ("state", "kind", "language")
    search_fields = ("reference", "email", "last_name", "subject", "message")
    date_hierarchy = "created_at"
    fields = (
        "reference",
        ("state", "answered_at"),
        ("kind", "created_at", "language"),
        ("first_name", "last_name", "email"),
        "product",
        "subject",
        "message",
        ("budget", "deadline"),
    )
