"""A target in a folder that is thrown away, and the keys of a recipient."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyrage
import pytest


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
