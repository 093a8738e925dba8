"""`/admin/journal`: the audit trail, to read and to search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from shop.core.audit import find_audit_entries
from shop.core.audit_labels import (
    ACTIONS,
    VERBS,
    action_label,
    field_label,
    is_kind_of_row,
    noun,
    value_label,
)
from shop.core.keyset import BadCursor
from shop.core.models import AuditEntry
from shop.core.staff_actions import StaffAction
from shop.core.staff_admin import RecordAdmin
from shop.core.staff_pages import staff_page


def action_choices() -> list[tuple[str, str]]:
    """Return every action that has a name, those on rows by their kind."""
    named = [(action, str(label)) for action, label in ACTIONS.items()]
    for subject_type, _name in subject_choices()[1:]:
        model = subject_type.partition(".")[2]
        named += [(f"{model}.{verb}", action_label(f"{model}.{verb}", subject_type)) for verb in VERBS]
    return [("", "Toutes les actions"), *sorted(named, key=lambda choice: choice[1])]


def subject_choices() -> list[tuple[str, str]]:
    """Return the kinds of rows that people change; of those that the shop writes itself, links alone lead here."""
    models = [
        model._meta.label_lower
        for model, row_admin in admin.site._registry.items()
        if not isinstance(row_admin, RecordAdmin)
    ]
    return [
        ("", "Tous les objets"),
        *sorted(((name, noun(name)) for name in models), key=lambda it: it[1]),
    ]


class AuditSearchForm(forms.Form):
    """What the trail is searched by; everything may be left out."""

    person = forms.CharField(label="personne", required=False, max_length=100)
    action = forms.ChoiceField(label="action", required=False, choices=action_choices)
    subject_type = forms.ChoiceField(label="objet", required=False, choices=subject_choices)
    subject_id = forms.CharField(label="clé", required=False, max_length=64)
    since = forms.DateField(label="du", required=False, widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(label="au", required=False, widget=forms.DateInput(attrs={"type": "date"}))
    cursor = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput)

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__(data)
        # A row that belongs to another one, such as a feature of a category, is on no list of the operators'; its
        # entries lead to the rest of its history all the same.
        asked = data.get("subject_type", "")
        kinds = cast(forms.ChoiceField, self.fields["subject_type"])
        if is_kind_of_row(asked) and asked not in dict(subject_choices()):
            kinds.choices = [*subject_choices(), (asked, noun(asked))]


@staff_page(StaffAction.SEE_AUDIT)
def audit_trail(request: HttpRequest) -> HttpResponseBase:
    """Show a page of the trail, newest first. As many queries as `find_audit_entries` takes."""
    form = AuditSearchForm(request.GET)
    rows: list[dict[str, Any]] = []
    next_page = ""
    if form.is_valid():
        try:
            page, people = find_audit_entries(**form.cleaned_data)
        except BadCursor:
            form.add_error(None, "Cette page n'existe pas.")
        else:
            rows = [_row(entry, people) for entry in page.rows]
            next_page = page.next_cursor and _address(request, page.next_cursor)
    narrowed = any(value for name, value in request.GET.items() if name != "cursor")
    context = {"form": form, "rows": rows, "next_page": next_page, "is_narrowed": narrowed}
    return render(request, "staff/audit/list.html", context, status=200 if form.is_valid() else 400)


def _address(request: HttpRequest, cursor: str) -> str:
    asked = request.GET.copy()
    asked["cursor"] = cursor
    return f"?{asked.urlencode()}"


def _key(entry: AuditEntry) -> str:
    """What people know the row by: an order by its number, also once it is deleted."""
    if entry.subject_type != "orders.order":
        return entry.subject_id
    return str({**entry.before, **entry.after}.get("reference", entry.subject_id))


def _row(entry: AuditEntry, people: dict[int, str]) -> dict[str, Any]:
    if entry.actor_id is None:
        who = "la boutique"
    else:
        who = people.get(entry.actor_id) or f"compte supprimé ({entry.actor_id})"
    return {
        "entry": entry,
        "who": who,
        "what": action_label(entry.action, entry.subject_type),
        "subject": f"{noun(entry.subject_type)} {_key(entry)}",
        "values": [
            (
                field_label(entry.subject_type, name),
                *(
                    value_label(entry.subject_type, name, side.get(name))
                    for side in (entry.before, entry.after)
                ),
            )
            for name in dict.fromkeys((*entry.before, *entry.after))
        ],
    }
