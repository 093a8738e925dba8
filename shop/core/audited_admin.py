"""What people change in Django's administration, written to the audit trail in place of Django's own log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, TypeVar
from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.core.files import File
from django.db import transaction
from django.db.models import Field, Model, QuerySet
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from shop.core.audit import record_audit
from shop.core.staff_actions import StaffAction, require

Row = TypeVar("Row", bound=Model)
Values = dict[str, Any]


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
                self._record(request, "added", row, {}, self._columns(row))
            for row, _names in formset.changed_objects:
                changed = next(inner for inner in formset.initial_forms if inner.instance is row)
                self._record(request, "changed", row, *self._changes(changed))
            for row in formset.deleted_objects:
                self._record(request, "deleted", row, self._columns(row), {})
        return self._changes(form)

    def log_addition(self, request: HttpRequest, obj: Row, message: Any) -> None:  # type: ignore[override]
        self._record(request, "added", obj, {}, self._columns(obj))

    def log_change(self, request: HttpRequest, obj: Row, message: Any) -> None:  # type: ignore[override]
        before, after = message
        if before or after:
            self._record(request, "changed", obj, before, after)

    def log_deletions(self, request: HttpRequest, queryset: Iterable[Row]) -> None:  # type: ignore[override]
        for row in queryset:
            self._record(request, "deleted", row, self._columns(row), {})

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
        return HttpResponseRedirect(f"{reverse('admin:core_auditentry_changelist')}?{urlencode(asked)}")

    def _record(self, request: HttpRequest, verb: str, row: Model, before: Values, after: Values) -> None:
        action = f"{row._meta.model_name}.{verb}"
        record_audit(action, row, actor=request.user, before=before, after=after)  # type: ignore[arg-type]

    def _changes(self, form: BaseForm) -> tuple[Values, Values]:
        row: Model = form.instance  # type: ignore[attr-defined]
        columns = {field.name: field for field in _stored(row)}
        names = [name for name in form.changed_data if name in columns and self.is_audited(name)]
        before = {name: audit_value(columns[name], form.initial.get(name)) for name in names}
        after = {name: audit_value(columns[name], _value(row, columns[name])) for name in names}
        changed = [name for name in names if before[name] != after[name]]
        return {name: before[name] for name in changed}, {name: after[name] for name in changed}

    def _columns(self, row: Model) -> Values:
        values = {
            field.name: audit_value(field, _value(row, field))
            for field in row._meta.concrete_fields
            if not field.primary_key and self.is_audited(field.name)
        }
        return {name: value for name, value in values.items() if value not in (None, "", [], {})}

    def is_audited(self, name: str) -> bool:
        """Return whether an entry may show the column."""
        return self.audited_fields is None or name in self.audited_fields


def audit_value(field: Field[Any, Any], value: Any) -> Any:
    """Return what JSON can hold of a column's value: rows by key and name, people by key, amounts as strings."""
    if value is None or isinstance(value, bool | int | str):
        related = field.related_model
        if value in (None, "") or not isinstance(related, type) or field.many_to_many:
            return value
        row = related._base_manager.filter(pk=value).first()
        return str(value) if row is None or issubclass(related, get_user_model()) else f"{row} ({value})"
    if isinstance(value, Model):
        return audit_value(field, value.pk)
    if isinstance(value, File):
        return value.name or ""
    if isinstance(value, Mapping):
        return {str(key): audit_value(field, inner) for key, inner in value.items()}
    if isinstance(value, Iterable):
        return [str(inner.pk) if isinstance(inner, Model) else audit_value(field, inner) for inner in value]
    return str(value)


def _stored(row: Model) -> list[Any]:
    return [*row._meta.concrete_fields, *row._meta.many_to_many]


def _value(row: Model, field: Any) -> Any:
    return list(getattr(row, field.name).all()) if field.many_to_many else getattr(row, field.attname)
