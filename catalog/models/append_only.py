"""Rows that are added and never changed: proofs, and journals of decisions.

The database refuses changes too (triggers of the migrations); here an attempt fails before it gets there.
"""

from __future__ import annotations

from typing import Any, NoReturn

from django.db import models


class AppendOnlyError(TypeError):
    """Raised by whoever tries to change or delete such a row."""


class AppendOnlyQuerySet(models.QuerySet[Any]):
    """Refuses every bulk change."""

    def update(self, **kwargs: Any) -> NoReturn:
        raise AppendOnlyError(f"Rows of {self.model._meta.label} are never changed.")

    def delete(self) -> NoReturn:
        raise AppendOnlyError(f"Rows of {self.model._meta.label} are never deleted.")

    def bulk_update(self, objs: Any, fields: Any, batch_size: int | None = None) -> NoReturn:
        raise AppendOnlyError(f"Rows of {self.model._meta.label} are never changed.")


class AppendOnlyModel(models.Model):
    """A row that can be inserted, and no more."""

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnlyError(f"Rows of {self._meta.label} are never changed.")
        super().save(*args, **kwargs)

    def delete(self, using: str | None = None, keep_parents: bool = False) -> NoReturn:
        raise AppendOnlyError(f"Rows of {self._meta.label} are never deleted.")
