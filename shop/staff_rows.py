"""Rows that staff keep: a list, a form, and a page that asks before a row is deleted, in the look of the staff area.

What a screen says about its rows is a subclass of `StaffRows`. A row is saved by the subject's service, in the
transaction that writes the audit trail. What two people changed in different fields is joined; where both changed the
same one, the second is told what the first stored, and keeps what they typed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from django.contrib import messages
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.db.models import Max, Model, QuerySet
from django.forms import BaseInlineFormSet, BaseModelForm
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import URLPattern, path, reverse

from shop.core.audit_rows import record_forms, record_row, row_values
from shop.core.problems import Problem, names_nothing
from shop.core.searching import rows_with_words
from shop.core.staff_actions import StaffAction, may, require
from shop.core.staff_lists import new_place
from shop.core.staff_pages import CREATION_KEY, WRITE, staff_page
from shop.core.staff_row_fields import Line, Part, as_sent, as_text, digest, digests
from shop.core.staff_translations import ask_to_reread
from shop.integrations.repeated_calls import make_once_for_staff

Row = TypeVar("Row", bound=Model)

CONFLICT = (
    "Quelqu'un d'autre a modifié les mêmes champs entre-temps. Ce que vous avez saisi est encore là\u00a0: "
    "enregistrez à nouveau pour le garder."
)
TAKEN = "Une autre fiche vient de prendre ces valeurs. Changez-les."
GONE = "Ce que vous avez choisi vient d'être supprimé. Vérifiez vos choix, puis enregistrez à nouveau."
_MOST_ROWS = 300
_OF_THE_PAGE = ("csrfmiddlewaretoken", CREATION_KEY)


class _DrawnAgain(Exception):
    """Nothing was stored: the answer is the form."""

    def __init__(self, answer: HttpResponse) -> None:
        self.answer = answer


class StaffRows(Generic[Row]):
    """A subject's screens: `staff-<name>`, `-new`, `-edit`, `-delete`, and `-move` where its rows have an order."""

    name: ClassVar[str]
    address: ClassVar[str]
    title: ClassVar[str]
    add_label: ClassVar[str] = "Ajouter"
    saved: ClassVar[str] = "Enregistré."
    deleted: ClassVar[str] = "Supprimé."
    note: ClassVar[str] = ""
    empty: ClassVar[str] = "Rien pour l'instant."
    back: ClassVar[str] = ""
    """The page above this one: the name of its route."""
    model: ClassVar[type[Model]]
    form: ClassVar[type[BaseModelForm[Any]]]
    formset: ClassVar[type[BaseInlineFormSet[Any, Any, Any]] | None] = None
    formset_title: ClassVar[str] = ""
    view_action: ClassVar[StaffAction]
    edit_action: ClassVar[StaffAction]
    parts: ClassVar[Sequence[Part]]
    search_fields: ClassVar[tuple[str, ...]] = ()
    order_field: ClassVar[str] = ""
    below: ClassVar[str] = ""
    """A template that is shown below the form of a stored row, with `below_context`."""
    can_add: ClassVar[bool] = True
    can_delete: ClassVar[bool] = True

    def rows(self) -> QuerySet[Row]:
        """Return the rows of the list, in its order. One query."""
        return self.model._default_manager.all()  # type: ignore[return-value]

    def line(self, row: Row) -> Line:
        return Line(str(row))

    def prepare(self) -> None:
        """Called before the transaction that stores or deletes a row, for what must not run inside it."""

    def lock_before(self, row: Row, request: HttpRequest) -> None:
        """Lock what `save` and `delete` lock before the row itself."""

    def save(self, row: Row, form: Any) -> None:
        """Store a row whose form is good; may raise `Problem`, whose messages are shown with the form."""
        row.save()

    def delete(self, row: Row) -> None:
        """Delete a row; may raise `Problem`."""
        row.delete()

    def is_deletable(self, row: Row) -> bool:
        return self.can_delete

    def what_keeps(self, row: Row) -> str:
        """Return why a row of a kind that can be deleted can't be now; the page says so instead of asking."""
        return ""

    def warnings(self) -> Iterable[str]:
        """Return what the list says above its rows."""
        return ()

    def after_save(self, request: HttpRequest, row: Row) -> None:
        """Say what else follows from a row that was saved."""

    def links(self, row: Row) -> Iterable[tuple[str, str]]:
        """Return labels and addresses of pages that show this row."""
        return ()

    def picture(self, row: Row) -> str:
        """Return the address of the row's picture, shown beside its form."""
        return ""

    def below_context(self, request: HttpRequest, row: Row) -> dict[str, Any]:
        """Return what the template `below` reads."""
        return {}

    def urls(self) -> list[URLPattern]:
        """Return the addresses of the screens, below `/admin/`."""
        read = staff_page(self.view_action)
        write = staff_page(self.edit_action, WRITE)
        found = [
            path(self.address, read(self.list_page), name=f"staff-{self.name}"),
            path(
                f"{self.address}/<int:row_id>",
                staff_page(self.view_action, WRITE)(self.edit_page),
                name=f"staff-{self.name}-edit",
            ),
        ]
        if self.can_add:
            found.insert(
                1, path(f"{self.address}/nouveau", write(self.add_page), name=f"staff-{self.name}-new")
            )
        if self.can_delete:
            found.append(
                path(
                    f"{self.address}/<int:row_id>/supprimer",
                    write(self.delete_page),
                    name=f"staff-{self.name}-delete",
                )
            )
        if self.order_field:
            move = staff_page(self.edit_action, ("POST",))
            found.append(
                path(f"{self.address}/<int:row_id>/deplacer", move(self.move), name=f"staff-{self.name}-move")
            )
        return found

    def list_page(self, request: HttpRequest) -> HttpResponseBase:
        search = request.GET.get("recherche", "").strip()[:100]
        found = list(rows_with_words(self.rows(), search, self.search_fields)[: _MOST_ROWS + 1])
        return render(
            request,
            "staff/rows/list.html",
            {
                "screen": self,
                "lines": [(row.pk, self.line(row)) for row in found[:_MOST_ROWS]],
                "has_more": len(found) > _MOST_ROWS,
                "search": search,
                "warnings": list(self.warnings()),
                "edit_view": f"staff-{self.name}-edit",
                "move_view": f"staff-{self.name}-move",
                "new_url": self._url("new") if self.can_add and self._may_edit(request) else "",
                "may_move": bool(self.order_field) and not search and self._may_edit(request),
                "back_url": reverse(self.back) if self.back else "",
            },
        )

    def add_page(self, request: HttpRequest) -> HttpResponseBase:
        return self.form_page(request, None)

    def edit_page(self, request: HttpRequest, row_id: int) -> HttpResponseBase:
        return self.form_page(request, row_id)

    def form_page(self, request: HttpRequest, row_id: int | None) -> HttpResponseBase:
        """Show the form of a row, or of a new one, and store what was sent."""
        if request.method != "POST":
            form, formset = self._forms(self._found(row_id))
            return self._drawn(request, form, formset)
        require(request.user, self.edit_action)
        self.prepare()
        if request.FILES:
            # A picture is decoded for seconds: not while a transaction keeps others waiting, on SQLite everybody.
            self._forms(self._found(row_id), request.POST, request.FILES)[0].is_valid()
        try:
            with transaction.atomic():
                row = self._stored(request, row_id)
        except _DrawnAgain as drawn:
            return drawn.answer
        except IntegrityError as error:
            problem = Problem("conflict", GONE if names_nothing(error) else TAKEN, 409)
        except Problem as refused:
            problem = refused
        else:
            messages.success(request, self.saved)
            self.after_save(request, row)
            return redirect(self.target(row))
        form, formset = self._forms(self._found(row_id), request.POST, request.FILES)
        form.is_valid()
        for field, sentences in (problem.errors or {"": [problem.detail]}).items():
            form.add_error(field if field in form.fields else None, list(sentences))
        return self._drawn(request, form, formset, status=problem.status)

    def delete_page(self, request: HttpRequest, row_id: int) -> HttpResponseBase:
        row = self._found(row_id)
        if not self.is_deletable(row):
            raise Http404
        if request.method == "POST":
            self.prepare()
            try:
                with transaction.atomic():
                    self.lock_before(row, request)
                    row = self._found(row_id, lock=True, to_delete=True)
                    record_row("deleted", row, actor=_actor(request), before=row_values(row))
                    self.delete(row)
            except Problem as problem:
                messages.error(request, problem.detail)
                return redirect(f"staff-{self.name}-edit", row_id)
            messages.success(request, self.deleted)
            return redirect(f"staff-{self.name}")
        context: dict[str, Any] = {"line": self.line(row), "back_url": self._url("edit", row_id)}
        context["refusal"] = self.what_keeps(row)
        return render(request, "staff/rows/delete.html", context)

    def move(self, request: HttpRequest, row_id: int) -> HttpResponseBase:
        """Move a row one place up or down (`vers`), or to just before another (`avant`, its key; "fin" for the end),
        and number all of them anew."""
        with transaction.atomic():
            rows = list(self.ordered_rows().select_for_update(no_key=True, of=("self",)))
            place = next((place for place, row in enumerate(rows) if row.pk == row_id), None)
            if place is None:
                raise Http404
            rows.insert(new_place(rows, place, request.POST), rows.pop(place))
            for number, row in enumerate(rows, start=1):
                before = getattr(row, self.order_field)
                if before != number:
                    setattr(row, self.order_field, number)
                    self.save_order(row)
                    record_row(
                        "changed", row, actor=_actor(request),
                        before={self.order_field: before}, after={self.order_field: number},
                    )  # fmt: skip
            self.order_saved()
        return redirect(f"{self._url()}#ligne-{row_id}")

    def ordered_rows(self) -> QuerySet[Row]:
        """Return all rows in their order, as a query that locks them."""
        return self.rows()

    def save_order(self, row: Row) -> None:
        """Store the place of one row."""
        row.save(update_fields=[self.order_field])

    def order_saved(self) -> None:
        """Called in the transaction that moved rows."""

    def _stored(self, request: HttpRequest, row_id: int | None) -> Row:
        if row_id is not None:
            return self._saved(request, row_id)
        sent = {name: words for name, words in request.POST.lists() if name not in _OF_THE_PAGE}
        files = [(file.name, file.size) for _name, each in request.FILES.lists() for file in each]
        make, body = lambda: self._saved(request, None).pk, [self.name, sent, files]
        return self._found(make_once_for_staff(request, body=body, make=make).subject_id)

    def _saved(self, request: HttpRequest, row_id: int | None) -> Row:
        if row_id is not None:
            self.lock_before(self._found(row_id), request)
        row = self._found(row_id, lock=True)
        now = {} if row_id is None else self._values(row)
        data, both = self._merged(request, row, now)
        form, formset = self._forms(row, data, request.FILES)
        if both:
            form.is_valid()
            form.add_error(None, CONFLICT)
            changed = [(str(form.fields[name].label), now[name] or "vide") for name in both]
            raise _DrawnAgain(
                self._drawn(request, form, formset, seen=digests(now), changed=changed, status=409)
            )
        is_good, reread = form.is_valid() and (formset is None or formset.is_valid()), ""
        if is_good and row_id is not None:
            reread = ask_to_reread(form, formset, request.POST.get("reread", ""), request.FILES)
        if reread or not is_good:
            raise _DrawnAgain(self._drawn(request, form, formset, reread=reread))
        if row_id is None and self.order_field:
            last = self.model._default_manager.aggregate(last=Max(self.order_field))["last"]
            setattr(form.instance, self.order_field, (last or 0) + 1)
        self.save(form.instance, form)
        record_forms(form, formset, actor=_actor(request), added=row_id is None)
        return form.instance  # type: ignore[no-any-return]

    def _merged(self, request: HttpRequest, row: Row, now: dict[str, str]) -> tuple[QueryDict, list[str]]:
        """Return what was sent, with what somebody else stored meanwhile in fields that this person left alone, and the
        fields that both changed."""
        seen = dict(pair.partition(":")[::2] for pair in request.POST.get("seen", "").split(","))
        theirs = [name for name, value in now.items() if seen.get(name) != digest(value)]
        if not theirs:
            return request.POST, []
        data, both = request.POST.copy(), []
        sent, _formset = self._forms(self._found(row.pk), request.POST, request.FILES)
        sent.is_valid()
        stored, _formset = self._forms(self._found(row.pk))
        for name in theirs:
            if name not in sent.fields:
                both.append(next(iter(sent.fields)))
                continue
            typed = sent.cleaned_data.get(name, request.POST.get(name))
            if digest(as_text(typed)) == seen.get(name):
                data.setlist(name, as_sent(stored[name]))
            elif as_text(typed) != now[name]:
                both.append(name)
        return data, both

    def target(self, row: Row) -> str:
        """Return where a saved form leads."""
        return self._url()

    def _forms(self, row: Row, data: Any = None, files: Any = None) -> tuple[Any, Any]:
        formset = None if self.formset is None else self.formset(data, files, instance=row)
        return self.form(data, files, instance=row), formset

    def _values(self, row: Row) -> dict[str, str]:
        """Return what a form opened now would show, by field."""
        form, formset = self._forms(row)
        found = {
            name: as_text(form.get_initial_for_field(field, name)) for name, field in form.fields.items()
        }
        if formset is not None:
            rows = [
                [as_text(inner.initial.get(name)) for name in inner.fields] for inner in formset.initial_forms
            ]
            found["rows"] = json.dumps(rows)
        return found

    def _drawn(
        self,
        request: HttpRequest,
        form: Any,
        formset: Any,
        *,
        seen: str = "",
        changed: Sequence[tuple[str, str]] = (),
        reread: str = "",
        status: int = 200,
    ) -> HttpResponse:
        row = form.instance
        seen = seen or request.POST.get("seen", "")
        is_new = row.pk is None or row._state.adding
        may_edit = self._may_edit(request)
        may_delete = may_edit and not is_new and self.is_deletable(row)
        if not may_edit:
            for field in form.fields.values():
                field.disabled = True
        context = {
            "screen": self,
            "form": form,
            "formset": formset,
            "parts": self.parts,
            "line": None if is_new else self.line(self._found(row.pk)),
            "seen": seen if seen or is_new else digests(self._values(row)),
            "changed": changed,
            "reread": reread or request.POST.get("reread", ""),
            "may_edit": may_edit,
            "links": () if is_new else list(self.links(row)),
            "picture": "" if is_new else self.picture(row),
            "delete_url": self._url("delete", row.pk) if may_delete else "",
            "back_url": self._back(row),
            "below": "" if is_new else self.below,
        }
        if context["below"]:
            context |= self.below_context(request, self._found(row.pk))
        return render(request, "staff/rows/form.html", context, status=status)

    def _back(self, row: Row) -> str:
        return self._url()

    def _found(self, row_id: int | None, *, lock: bool = False, to_delete: bool = False) -> Row:
        if row_id is None:
            return self.model()  # type: ignore[return-value]
        rows = self.model._default_manager.filter(pk=row_id)
        locked = rows.select_for_update(no_key=not to_delete, of=("self",))
        return get_object_or_404(locked if lock else rows)  # type: ignore[return-value]

    def _may_edit(self, request: HttpRequest) -> bool:
        return may(request.user, self.edit_action)

    def _url(self, page: str = "", *args: Any) -> str:
        return reverse(f"staff-{self.name}" + (f"-{page}" if page else ""), args=args)


def _actor(request: HttpRequest) -> AbstractBaseUser:
    return request.user  # type: ignore[return-value]
