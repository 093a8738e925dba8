"""What the audit trail shows of a row that a form added, changed or deleted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.files import File
from django.db.models import Field, Model
from django.forms import BaseForm

from shop.core.audit import record_audit

Values = dict[str, Any]


def record_row(
    verb: str,
    row: Model,
    *,
    actor: AbstractBaseUser | None,
    before: Values | None = None,
    after: Values | None = None,
) -> None:
    """Write the entry `<model>.<verb>`, in the transaction of the change. One query."""
    record_audit(f"{row._meta.model_name}.{verb}", row, actor=actor, before=before, after=after)


def form_changes(form: BaseForm) -> tuple[Values, Values]:
    """Return what a stored model form changed: the values before and after, by column; and its `other_changes`, in rows
    beside its own."""
    row: Model = form.instance  # type: ignore[attr-defined]
    columns = {field.name: field for field in (*row._meta.concrete_fields, *row._meta.many_to_many)}
    names = [name for name in form.changed_data if name in columns]
    before = {name: audit_value(columns[name], form.initial.get(name)) for name in names}
    after = {name: audit_value(columns[name], _value(row, columns[name])) for name in names}
    others: tuple[Values, Values] = getattr(form, "other_changes", ({}, {}))
    before, after = before | others[0], after | others[1]
    changed = [name for name in after if before[name] != after[name]]
    return {name: before[name] for name in changed}, {name: after[name] for name in changed}


def row_values(row: Model) -> Values:
    """Return the columns of a row that hold something."""
    values = {
        field.name: audit_value(field, _value(row, field))
        for field in row._meta.concrete_fields
        if not (field.primary_key or field.generated)
    }
    return {name: value for name, value in values.items() if value not in (None, "", [], {})}


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


def _value(row: Model, field: Any) -> Any:
    return list(getattr(row, field.name).all()) if field.many_to_many else getattr(row, field.attname)


def record_forms(form: Any, formset: Any, *, actor: AbstractBaseUser, added: bool) -> None:
    """Save the rows of `formset` (None: there is none) with the row of `form`, which is saved already, and add what
    changed in all of them to the audit trail."""
    if formset is not None:
        formset.instance = form.instance
        formset.save()
        for child in formset.new_objects:
            record_row("added", child, actor=actor, after=row_values(child))
        for child, _names in formset.changed_objects:
            inner = next(inner for inner in formset.initial_forms if inner.instance is child)
            before, after = form_changes(inner)
            record_row("changed", child, actor=actor, before=before, after=after)
        for child in formset.deleted_objects:
            record_row("deleted", child, actor=actor, before=row_values(child))
    before, after = form_changes(form)
    if added:
        record_row("added", form.instance, actor=actor, after=row_values(form.instance) | after)
        return
    if before or after:
        record_row("changed", form.instance, actor=actor, before=before, after=after)
