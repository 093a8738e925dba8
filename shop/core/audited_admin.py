"""What people change in Django's administration, written to the audit trail in place of Django's own log."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, TypeVar

from django.contrib import admin
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from shop.core.audit_rows import Values, form_changes, record_row, row_values
from shop.core.staff_actions import StaffAction, require

Row = TypeVar("Row", bound=Model)


class AuditedAdmin(admin.ModelAdmin[Row]):
    """Records each row that is added, changed or deleted, the rows of its inlines included."""

    # The columns that an entry may show; None: all. Where a row tells of a person, those that do not.
    audited_fields: ClassVar[frozenset[str] | None] = None

    def construct_change_message(
        self, request: HttpRequest, form: Any, formsets: Any, add: bool = False
    ) -> Any:
        """Return ``(before, after)`` for `log_addition` and `log_change`; the rows of inlines are recorded here.

        Django calls it in the transaction of the change, once everything is stored.
        """
        for formset in formsets or ():
            for row in formset.new_objects:
                self._record(request, "added", row, {}, row_values(row, self.audited_fields))
            for row, _names in formset.changed_objects:
                changed = next(inner for inner in formset.initial_forms if inner.instance is row)
                self._record(request, "changed", row, *form_changes(changed, self.audited_fields))
            for row in formset.deleted_objects:
                self._record(request, "deleted", row, row_values(row, self.audited_fields), {})
        return form_changes(form, self.audited_fields)

    def log_addition(self, request: HttpRequest, obj: Row, message: Any) -> None:  # type: ignore[override]
        self._record(request, "added", obj, {}, row_values(obj, self.audited_fields))

    def log_change(self, request: HttpRequest, obj: Row, message: Any) -> None:  # type: ignore[override]
        before, after = message
        if before or after:
            self._record(request, "changed", obj, before, after)

    def log_deletions(self, request: HttpRequest, queryset: Iterable[Row]) -> None:  # type: ignore[override]
        for row in queryset:
            self._record(request, "deleted", row, row_values(row, self.audited_fields), {})

    def response_action(
        self, request: HttpRequest, queryset: QuerySet[Row], *args: Any
    ) -> HttpResponse | None:
        if "delete_selected" not in request.POST.getlist("action"):
            return super().response_action(request, queryset, *args)
        # Django's own deletes without a transaction.
        with transaction.atomic():
            return super().response_action(request, queryset, *args)

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """The trail, of this row alone."""
        require(request.user, StaffAction.SEE_AUDIT)
        asked = {"subject_type": self.model._meta.label_lower, "subject_id": object_id}
        return HttpResponseRedirect(reverse("staff-audit", query=asked))

    def _record(self, request: HttpRequest, verb: str, row: Model, before: Values, after: Values) -> None:
        record_row(verb, row, actor=request.user, before=before, after=after)  # type: ignore[arg-type]
