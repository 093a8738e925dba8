"""A database and a mail server of their own for processes that are killed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from django.db import connection

LEASE_SECONDS = 6


@pytest.fixture
def database_url(db: None) -> Iterator[str]:
    """A database of its own, which needs no migration: a copy of the one for tests."""
    server = os.environ["TEST_DATABASE_URL"]
    name = f"worker_killed_{os.getpid()}"
    # A database that somebody is connected to can't be copied.
    connection.close()
    connection.close_pool()
    with psycopg.connect(server, autocommit=True) as maintenance:
        maintenance.execute(f'CREATE DATABASE {name} TEMPLATE "{connection.settings_dict["NAME"]}"')
        yield urlsplit(server)._replace(path=f"/{name}").geturl()
        maintenance.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def environment(tmp_path: Path, database_url: str) -> dict[str, str]:
    folder = tmp_path / "mails"
    folder.mkdir()
    return {
        **os.environ,
        "DATA_DIR": str(tmp_path / "data"),
        "DATABASE_URL": database_url,
        "MAIL_FOLDER": str(folder),
        "LEASE_SECONDS": str(LEASE_SECONDS),
    }
