"""The rows that the shop writes, as operators look them up: what is read, how it is found, and what never shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.utils import lookup_field
from django.db import connection
from django.db.models import BinaryField, Model
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from shop.core.staff_admin import RecordAdmin
from tests.permissions.matrix import world
from tests.permissions.world import World

__all__ = ["world"]

pytestmark = [pytest.mark.long, pytest.mark.django_db]

SAME_IN_FRENCH = {"variation", "article", "version", "notes", "services", "description", "page", "dimensions"}
# A column with such a name opens something, or tells two hidden things apart.
SECRET = (
    "password",
    "secret",
    "token",
    "fingerprint",
    "network",
    "salt",
    "session_hash",
    "secret_hash",
    "session_url",
)


def record_admins() -> Iterator[tuple[type[Model], RecordAdmin[Any]]]:
    for model, row_admin in admin.site._registry.items():
        if isinstance(row_admin, RecordAdmin):
            yield model, row_admin


def page_of(model: type[Model], page: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def test_no_row_of_a_list_asks_for_another_query(world: World, rf):
    asked = {}
    request = rf.get("/")
    request.user = world.order.user
    for model, row_admin in record_admins():
        rows = row_admin.get_queryset(request).select_related(*row_admin.get_list_select_related(request))
        for row in rows[:1]:
            with CaptureQueriesContext(connection) as queries:
                [str(lookup_field(column, row, row_admin)) for column in row_admin.list_display]
            if queries:
                asked[model._meta.label] = [query["sql"][:200] for query in queries]
    assert asked == {}


def test_columns_that_open_something_are_shown_nowhere(world: World):
    shown = {
        f"{model._meta.label}.{name}"
        for model, row_admin in record_admins()
        for name in (*row_admin.get_fields(None), *row_admin.list_display, *row_admin.search_fields)
        if name.endswith(SECRET)
    }
    assert shown == set()
    assert [
        field
        for model, row_admin in record_admins()
        for field in model._meta.fields
        if isinstance(field, BinaryField) and field.name not in (row_admin.exclude or ())
    ] == []


def test_hidden_columns_are_not_even_read(world: World, rf):
    request = rf.get("/")
    for model, row_admin in record_admins():
        row = row_admin.get_queryset(request).first()
        assert row is not None
        assert row.get_deferred_fields() == set(row_admin.exclude or ()), model


def test_no_page_shows_what_is_hidden(world: World):
    browser = world.browser("admin")
    for model, row_admin in record_admins():
        row = world.rows[model._meta.label]
        pages = (page_of(model, "changelist"), page_of(model, "change", row.pk))
        read = "".join(browser.get(page).content.decode() for page in pages)
        for column in row_admin.exclude or ():
            value = getattr(row, column)
            value = value if isinstance(value, str) else bytes(value).decode()
            assert not value or value not in read, (model, column)
        assert "unseen" not in read, model


@pytest.mark.both_engines
def test_a_row_is_found_by_its_key_and_by_what_the_list_is_searched_by(world: World):
    browser = world.browser("admin")
    for model, row_admin in record_admins():
        assert row_admin.search_fields, model
        for term in (str(world.rows[model._meta.label].pk), "3 mots d'ailleurs", "9" * 30):
            answer = browser.get(page_of(model, "changelist"), {"q": term})
            assert answer.status_code == 200
            found = [str(row.pk) for row in answer.context["cl"].result_list]
            assert (term in found) is (term == str(world.rows[model._meta.label].pk)), (model, term)
        assert browser.get(page_of(model, "change", "9" * 30), follow=True).status_code == 200


def test_every_page_is_in_french_and_leads_to_the_screen_of_its_row(world: World):
    browser = world.browser("admin")
    nameless = {
        f"{model._meta.label}.{field.name}"
        for model, row_admin in record_admins()
        for field in model._meta.fields
        if field.name in row_admin.get_fields(None)
        and field.name not in SAME_IN_FRENCH
        and str(field.verbose_name) == field.name.replace("_", " ")
    }
    assert nameless == set()
    for model, row_admin in record_admins():
        row = world.rows[model._meta.label]
        answer = browser.get(page_of(model, "change", row.pk))
        assert bool(answer.context.get("staff_url")) is bool(row_admin.staff_list or row_admin.staff_row), (
            model
        )
        if row_admin.staff_row:
            assert browser.get(answer.context["staff_url"]).status_code == 200, (
                model,
                answer.context["staff_url"],
            )


def test_no_list_counts_its_table_twice(world: World):
    browser = world.browser("admin")
    for model, _row_admin in record_admins():
        with CaptureQueriesContext(connection) as queries:
            browser.get(page_of(model, "changelist"), {"q": "golem"})
        counts = [
            query["sql"]
            for query in queries
            if "COUNT(" in query["sql"] and model._meta.db_table in query["sql"]
        ]
        assert len(counts) == 1, (model, counts)


def test_dates_that_a_list_is_cut_by_are_indexed():
    for model, row_admin in record_admins():
        if row_admin.date_hierarchy:
            column = model._meta.get_field(row_admin.date_hierarchy)
            indexed = column.db_index or any(index.fields[0] == column.name for index in model._meta.indexes)
            assert indexed, (model, column)
