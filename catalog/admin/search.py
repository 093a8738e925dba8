"""The synonyms of the search in the admin."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from catalog.models import Synonym
from catalog.services.synonyms import delete_synonym, save_synonym
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import StaffAdmin


@admin.register(Synonym)
class SynonymAdmin(StaffAdmin[Synonym]):
    view_action = StaffAction.SEE_TEXTS
    add_action = change_action = delete_action = StaffAction.EDIT_TEXTS
    list_display = ("words", "language")
    list_filter = ("language",)
    search_fields = ("words",)

    def save_model(self, request: HttpRequest, obj: Synonym, form: Any, change: bool) -> None:
        save_synonym(synonym=obj)

    def delete_model(self, request: HttpRequest, obj: Synonym) -> None:
        delete_synonym(synonym=obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Synonym]) -> None:
        for synonym in queryset.order_by("pk"):
            delete_synonym(synonym=synonym)
