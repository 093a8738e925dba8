"""What every admin of the shop stands on: rows to look at, by the table of staff actions, lookups from a short list."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter
from typing import Any, ClassVar, TypeVar

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import ValidationError
from django.db.models import IntegerField, Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from shop.core.row_keys import read_key
from shop.core.staff_actions import StaffAction, may, require

Row = TypeVar("Row", bound=Model)

# What an address may ask of a listed field. No patterns: they would read a value letter by letter.
COMPARISONS = frozenset(
    {"exact", "in", "lt", "lte", "gt", "gte", "isnull", "isempty", "year", "month", "day", "id__exact"}
)


class YesNoFilter(admin.EmptyFieldListFilter):
    """Whether a column is filled. The address stays Django's: `…__isempty=0` is « oui »."""

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        everything, empty, filled = super().choices(changelist)
        yield everything
        yield {**filled, "display": _("Oui")}
        yield {**empty, "display": _("Non")}


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

    # The routes of that screen: its list, and its page of a row, which takes what `staff_key` names of the row.
    staff_list: ClassVar[str] = ""
    staff_row: ClassVar[str] = ""
    staff_key: ClassVar[str] = "pk"

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
        shown: dict[str, Any] = {"sees_history": may(request.user, StaffAction.SEE_AUDIT)}
        if object_id and self.staff_row:
            row = self.get_object(request, unquote(object_id))
            key = attrgetter(self.staff_key)(row) if row else None
            shown |= {"staff_url": reverse(self.staff_row, args=[key])} if key else {}
        elif self.staff_list:
            shown["staff_url"] = reverse(self.staff_list)
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


class RecordAdmin(StaffAdmin[Row]):
    """Rows that the shop writes, to look up: `admin.site.register(Model, RecordAdmin, view_action=…, list_display=…)`.

    A row's page has every column but those of `exclude`, which are not even read: secrets, and files as bytes. A search
    finds a row by its key, too. What grows with every visit has its date among the filters: a bar of dates sorts the
    whole table for each page.
    """

    # A search counts what it found, and not the whole table beside it.
    show_full_result_count = False
    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[Row]:
        return super().get_queryset(request).defer(*(self.exclude or ()))

    def get_list_select_related(self, request: HttpRequest) -> tuple[str, ...]:
        """With the rows that the list names, in the same query: Django leaves out those that may be missing."""
        named = {field.name for field in self.opts.fields if field.is_relation}.intersection(
            self.list_display
        )
        return (*named, *(self.list_select_related or ()))  # type: ignore[misc]

    def get_fields(self, request: HttpRequest, obj: Row | None = None) -> list[Any]:
        columns = (*self.opts.fields, *self.opts.many_to_many)
        return [column.name for column in columns if column.name not in (self.exclude or ())]

    def get_readonly_fields(self, request: HttpRequest, obj: Row | None = None) -> list[str]:
        return self.get_fields(request, obj)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Row], search_term: str
    ) -> tuple[QuerySet[Row], bool]:
        found, may_have_duplicates = super().get_search_results(request, queryset, search_term)
        key = self._key(search_term.strip())
        return found if key is None else found | queryset.filter(pk=key), may_have_duplicates

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Row | None:
        """Django breaks at a key beyond 64 bits where a row's key is that of another one."""
        if not from_field and self._key(object_id) is None:
            return None
        return super().get_object(request, object_id, from_field)

    def _key(self, text: str) -> Any:
        column = getattr(self.opts.pk, "target_field", self.opts.pk)
        if isinstance(column, IntegerField):
            return read_key(text)
        try:
            return column.to_python(text)
        except ValidationError:
            return None
