"""Steps of migrations in SQL of their own: triggers, indexes, tables that no model describes."""

from __future__ import annotations

from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import ProjectState

NO_MODELS = ProjectState()


class SchemaStep(migrations.RunPython):
    """A migration step whose functions write SQL and read no model: `apps` has none.

    RunPython has Django build every model of the shop anew for each such step, which took a fifth of the time of making
    the tables.
    """

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> Any:
        return super().database_forwards(app_label, schema_editor, NO_MODELS, to_state)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> Any:
        return super().database_backwards(app_label, schema_editor, NO_MODELS, to_state)
