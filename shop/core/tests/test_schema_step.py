"""Steps of migrations in SQL: neither way reads a model, and none is built for them."""

from __future__ import annotations

import gc
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.state import ModelState, ProjectState

from shop.core.models import ScheduledJob
from shop.core.schema_step import SchemaStep


def test_both_ways_run_without_models() -> None:
    seen: list[tuple[str, int]] = []

    def note(way: str) -> Any:
        return lambda apps, schema_editor: seen.append((way, len(apps.get_models())))

    state = ProjectState()
    state.add_model(ModelState.from_model(ScheduledJob))
    step = SchemaStep(note("forwards"), note("backwards"))
    editor = connection.schema_editor()
    step.database_forwards("core", editor, state, state)
    step.database_backwards("core", editor, state, state)
    assert seen == [("forwards", 0), ("backwards", 0)]
    # They are built when they are first asked for.
    assert "apps" not in vars(state)


@pytest.mark.django_db
def test_the_collector_passes_over_what_is_loaded_when_tables_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frozen: list[str] = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append("frozen"))
    call_command("migrate", "--plan", verbosity=0)
    assert frozen == []
    call_command("migrate", verbosity=0)
    assert frozen == ["frozen"]
