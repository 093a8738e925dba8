"""What every admin of the shop stands on: rows to look at, by the table of staff actions, lookups from a short list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, TypeVar

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ChangeList
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from shop.core.staff_actions import StaffAction, may, require

Row = TypeVar("Row", bound=Model)

# What an address may ask of a listed field. No patterns: they would read a value letter by letter.
COMPARISONS = frozenset(
    {"exact", "in", "lt", "lte", "gt", "gte", "isnull", "isempty", "year", "month", "day", "id__exact"}
)


class StaffRights:
    """For an admin or an inline: the action that looking asks for; what names none is refused to everybody.

    Nobody adds, changes or deletes here: that is for the screens of the staff area, which keep the rules and the trail.
    """

    view_action: ClassVar[StaffAction | None] = None

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.view_action is not None and may(request.user, self.view_action)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)


class StaffAdmin(StaffRights, admin.ModelAdmin[Row]):
    """The base of every admin of the shop: its rights, its rows' entries in the audit trail, and a link to the screen
    of the staff area that acts on its rows."""

    # The routes of that screen: its list, and its page of a row, which takes the row's key.
    staff_list: ClassVar[str] = ""
    staff_row: ClassVar[str] = ""

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        shown = {"staff_url": reverse(self.staff_list)} if self.staff_list else {}
        return super().changelist_view(request, {**shown, **(extra_context or {})})

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Django answers a filter that can't be read with the whole list, but breaks at a day after the calendar."""
        try:
            return super().get_changelist_instance(request)
        except OverflowError as error:
            raise IncorrectLookupParameters(error) from error

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Row | None:
        """An empty `_to_field` names none; Django looks for a field without a name."""
        return super().get_object(request, object_id, from_field or None)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        shown = {}
        if object_id and self.staff_row:
            row = self.get_object(request, unquote(object_id))
            shown = {"staff_url": reverse(self.staff_row, args=[row.pk])} if row else {}
        elif self.staff_list:
            shown = {"staff_url": reverse(self.staff_list)}
        return super().changeform_view(request, object_id, form_url, {**shown, **(extra_context or {})})

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> HttpResponse:
        """The trail, of this row alone."""
        require(request.user, StaffAction.SEE_AUDIT)
        asked = {"subject_type": self.model._meta.label_lower, "subject_id": object_id}
        return HttpResponseRedirect(reverse("staff-audit", query=asked))

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Return whether a list's address may filter by `lookup`: only by what the list offers as a filter.

        Django allows every column of the row, so that a list of people could be asked for the first letter of a
        password's hash, then for the second.
        """
        return any(
            lookup == path or (lookup.startswith(f"{path}__") and lookup[len(path) + 2 :] in COMPARISONS)
            for path in self._filter_paths(request)
        )

    def _filter_paths(self, request: HttpRequest) -> Iterator[str]:
        for entry in self.get_list_filter(request):
            if isinstance(entry, str):
                yield entry
            elif isinstance(entry, list | tuple):
                yield str(entry[0])
            else:
                yield str(getattr(entry, "parameter_name", ""))
        if self.date_hierarchy:
            yield self.date_hierarchy
