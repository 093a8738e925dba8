"""Filters of lists, in words: oui and non instead of « Vide », names instead of codes."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django_countries import countries

from orders.selectors.money import with_undecided_money


class YesNoFilter(admin.EmptyFieldListFilter):
    """Whether a column is filled. The address stays Django's: `…__isempty=0` is « oui »."""

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        everything, empty, filled = super().choices(changelist)
        yield everything
        yield {**filled, "display": _("Oui")}
        yield {**empty, "display": _("Non")}


class CountryFilter(admin.AllValuesFieldListFilter):
    """Countries by their names."""

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        for choice in super().choices(changelist):
            yield {**choice, "display": countries.name(str(choice["display"])) or choice["display"]}


def yes_no(title: str | Promise) -> type[YesNoFilter]:
    """A `YesNoFilter` under a title of its own: « archivée » where the column says « archivée le »."""
    return type("TitledYesNoFilter", (_Titled, YesNoFilter), {"own_title": title})


def choices(title: str | Promise) -> type[admin.ChoicesFieldListFilter]:
    """The values of a column that belongs to another model, under a title that says so."""
    return type("TitledChoicesFilter", (_Titled, admin.ChoicesFieldListFilter), {"own_title": title})


class _Titled:
    own_title: str | Promise

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title = self.own_title


class RetentionFilter(admin.SimpleListFilter):
    """Closed orders of which the shop keeps money that nobody has decided about."""

    title = _("argent gardé")
    parameter_name = "retention"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("undecided", _("à décider"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() != "undecided":
            return queryset
        return queryset.filter(pk__in=with_undecided_money().values("pk"))
