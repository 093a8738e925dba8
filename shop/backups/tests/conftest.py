"""A target in a folder that is thrown away, and the keys of a recipient."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyrage
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages

from shop.backups import making


@pytest.fixture
def target(settings: Any, tmp_path: Path) -> Path:
    folder = tmp_path / "target"
    settings.BACKUP_URL = str(folder)
    return folder


@pytest.fixture
def secret_key(settings: Any, tmp_path: Path) -> Path:
    """The file of a secret key whose public one is that of the shop."""
    key = pyrage.x25519.Identity.generate()
    settings.BACKUP_RECIPIENTS = [str(key.to_public())]
    path = tmp_path / "key.txt"
    path.write_text(f"# created: 2026-11-23\n# public key: {key.to_public()}\n{key}\n")
    return path


@pytest.fixture
def few_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests are about what is done with rows, not about all of them."""
    few = [model for model in making.rows.stored_models() if model._meta.app_label in ("core", "sessions")]
    monkeypatch.setattr(
        making.rows,
        "stored_models",
        lambda without=(): [model for model in few if model._meta.label not in without],
    )


@pytest.fixture
def picture() -> Iterator[str]:
    name = storages["private"].save("contact/drill.jpg", ContentFile(b"a picture"))
    export = storages["private"].save("exports/archive.zip", ContentFile(b"everything about somebody"))
    yield name
    storages["private"].delete(name)
    storages["private"].delete(export)
