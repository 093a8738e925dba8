"""The audit trail in Django's admin: a page to read and to search."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from shop.core.audit import find_audit_entries
from shop.core.audit_labels import ACTIONS, VERBS, action_label, field_label, noun, value_label
from shop.core.keyset import BadCursor
from shop.core.models import AuditEntry
from shop.core.staff_actions import StaffAction, require
from shop.core.staff_admin import StaffAdmin


def action_choices() -> list[tuple[str, str]]:
    """Return every action that has a name, those on rows of the administration by their model."""
    named = [(action, str(label)) for action, label in ACTIONS.items()]
    for subject_type, _name in subject_choices()[1:]:
        model = subject_type.partition(".")[2]
        named += [(f"{model}.{verb}", action_label(f"{model}.{verb}", subject_type)) for verb in VERBS]
    return [("", _("Toutes les actions")), *sorted(named, key=lambda choice: choice[1])]


def subject_choices() -> list[tuple[str, str]]:
    """Return the models of the administration."""
    models = [model._meta.label_lower for model in admin.site._registry]
    return [
        ("", _("Tous les objets")),
        *sorted(((name, noun(name)) for name in models), key=lambda it: it[1]),
    ]


class AuditSearchForm(forms.Form):
    """What the trail is searched by; everything may be left out."""

    person = forms.CharField(label=gettext_lazy("personne"), required=False, max_length=100)
    action = forms.ChoiceField(label=gettext_lazy("action"), required=False, choices=action_choices)
    subject_type = forms.ChoiceField(label=gettext_lazy("objet"), required=False, choices=subject_choices)
    subject_id = forms.CharField(label=gettext_lazy("clé"), required=False, max_length=64)
    since = forms.DateField(
        label=gettext_lazy("du"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label=gettext_lazy("au"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    cursor = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput)


@admin.register(AuditEntry)
class AuditEntryAdmin(StaffAdmin[AuditEntry]):
    """Read-only, without a count of all entries: there are more with every day."""

    view_action = StaffAction.SEE_AUDIT
    actions = None
    list_display = ("created_at", "action", "subject_type", "subject_id")

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        require(request.user, StaffAction.SEE_AUDIT)
        form = AuditSearchForm(request.GET)
        rows, next_page = [], ""
        if form.is_valid():
            try:
                page = find_audit_entries(**form.cleaned_data)
            except BadCursor:
                form.add_error(None, _("Cette page n'existe pas."))
            else:
                rows = [_row(entry, page.people) for entry in page.entries]
                next_page = page.next_cursor and _address(request, page.next_cursor)
        context = {
            **self.admin_site.each_context(request),
            "title": self.opts.verbose_name_plural,
            "opts": self.opts,
            "form": form,
            "rows": rows,
            "next_page": next_page,
            **(extra_context or {}),
        }
        status = 200 if form.is_valid() else 400
        return render(request, "admin/core/auditentry/change_list.html", context, status=status)


def _address(request: HttpRequest, cursor: str) -> str:
    asked = request.GET.copy()
    asked["cursor"] = cursor
    return f"?{asked.urlencode()}"


def _row(entry: AuditEntry, people: dict[int, str]) -> dict[str, Any]:
    if entry.actor_id is None:
        who = _("la boutique")
    else:
        who = people.get(entry.actor_id) or _("compte supprimé (%(key)s)") % {"key": entry.actor_id}
    return {
        "entry": entry,
        "who": who,
        "what": action_label(entry.action, entry.subject_type),
        "subject": noun(entry.subject_type),
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
