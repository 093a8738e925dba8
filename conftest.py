"""What every test stands on: no network, no broker, warnings are errors (pyproject), files in a folder that
is thrown away (tests/settings.py)."""

from __future__ import annotations

import gc
import ipaddress
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from celery import Task
from django.conf import settings as django_settings
from django.core.cache import caches
from django.db import connection, transaction
from django.test import TransactionTestCase
from hypothesis import HealthCheck, settings

from shop.core.tests.fake_build import write_manifest
from tests.database import empty_tables, locks_of_postgresql

# The same examples on every run: a failure seen once is seen by everybody.
settings.register_profile(
    "shop",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("shop")

# Where a test runs, by its closest marker; without one, once, on SQLite, which is the faster of the two.
ENGINES = {"postgres": {"postgresql"}, "both_engines": {"postgresql", "sqlite"}}


class NetworkRefusedError(RuntimeError):
    """A test tried to leave the machine."""


def _refuse_outside(address: Any) -> None:
    host = address[0] if isinstance(address, tuple) else None
    if host is None or host in ("", "localhost"):  # a Unix socket, or this machine by name
        return
    try:
        inside = ipaddress.ip_address(str(host).split("%")[0]).is_loopback
    except ValueError:
        inside = False
    if not inside:
        raise NetworkRefusedError(f"Tests do not use the network, and this one calls {host!r}.")


class GuardedSocket(socket.socket):
    """A socket that reaches this machine only."""

    def connect(self, address: Any) -> None:
        _refuse_outside(address)
        super().connect(address)

    def connect_ex(self, address: Any) -> int:
        _refuse_outside(address)
        return super().connect_ex(address)


def pytest_configure(config: pytest.Config) -> None:
    socket.socket = GuardedSocket  # type: ignore[misc]
    TransactionTestCase._fixture_teardown = empty_tables  # type: ignore[method-assign]


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """On PostgreSQL spare the import of files that name no marker of it: what they hold runs on SQLite alone."""
    if connection.vendor == "sqlite" or not collection_path.name.startswith("test_"):
        return None
    return None if _names_engine(collection_path) else True


@cache
def _names_engine(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    return any(marker in text for marker in ENGINES)


def pytest_collection_finish(session: pytest.Session) -> None:
    # Everything loaded by now stays: looking through it again and again takes a tenth of a run.
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out (counted as deselected, not skipped) what this run is not for: `make test` runs each part."""
    browser = "browser" in config.option.markexpr
    # A marker from elsewhere would run nowhere: see `pytest_ignore_collect`.
    assert all("postgresql" not in _engines(item) or _names_engine(item.path) for item in items)
    dropped = {
        item
        for item in items
        if connection.vendor not in _engines(item)
        or (item.get_closest_marker("browser") is not None and not browser)
    }
    if dropped:
        config.hook.pytest_deselected(items=list(dropped))
        items[:] = [item for item in items if item not in dropped]
    # Begun first, so that the other process has work until they end.
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def _engines(item: pytest.Item) -> set[str]:
    return next((ENGINES[mark.name] for mark in item.iter_markers() if mark.name in ENGINES), {"sqlite"})


@dataclass
class QueuedTasks:
    """Tasks that the code under test asked Celery for; none is sent anywhere."""

    calls: list[tuple[Task, tuple[Any, ...], dict[str, Any]]] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        return [task.name for task, _, _ in self.calls]

    def run(self) -> None:
        """Run them here and now, in order, those they queue in turn included."""
        while self.calls:
            task, args, kwargs = self.calls.pop(0)
            task.run(*args, **kwargs)


@pytest.fixture(autouse=True)
def queued_tasks(monkeypatch: pytest.MonkeyPatch) -> QueuedTasks:
    """Celery without a broker: what is queued is kept for the test to look at, or to run."""
    queue = QueuedTasks()

    def keep(task: Task, args: Any = None, kwargs: Any = None, **options: Any) -> None:
        queue.calls.append((task, tuple(args or ()), dict(kwargs or {})))

    monkeypatch.setattr(Task, "apply_async", keep)
    return queue


@pytest.fixture
def fail_first(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, str], None]:
    """Have a function of a module fail unforeseen at its first call, as it does over one row; then it works."""

    def arrange(module: Any, name: str) -> None:
        work, failures = getattr(module, name), iter([RuntimeError("unforeseen")])

        def fail_once(*args: Any, **kwargs: Any) -> Any:
            for failure in failures:
                raise failure
            return work(*args, **kwargs)

        monkeypatch.setattr(module, name, fail_once)

    return arrange


@pytest.fixture(scope="session", autouse=True)
def _locks_of_postgresql() -> Iterator[None]:
    with locks_of_postgresql():
        yield


@pytest.fixture(scope="session", autouse=True)
def patient_decoder() -> None:
    """A machine that is busy must not fail tests: that the decoder's time has an end has a test of its own."""
    from shop.core import image_decoding

    image_decoding.TIME_LIMIT = image_decoding.WAIT_LIMIT = 60.0


@pytest.fixture(scope="session", autouse=True)
def _built_assets(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Pages render without a front-end build."""
    django_settings.ASSET_MANIFEST = write_manifest(tmp_path_factory.mktemp("build") / "manifest.json")


@pytest.fixture(autouse=True)
def _empty_cache() -> Iterator[None]:
    _clear_caches()
    yield
    _clear_caches()


def _clear_caches() -> None:
    for name in django_settings.CACHES:
        caches[name].clear()
    # Known to have no endpoint, as after the first event of a minute: else every budget of queries would hold one more.
    caches["default"].set("webhook-kinds-by-endpoint", [])


@pytest.fixture(scope="module")
def module_rows(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """For a fixture that makes rows which all tests of a module only read: they are made once, and taken back after
    the last of them. What a test changes is taken back as ever."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def run_on_commit(
    django_capture_on_commit_callbacks: Callable[..., AbstractContextManager[list[Callable[[], Any]]]],
) -> Callable[[], AbstractContextManager[list[Callable[[], Any]]]]:
    """``with run_on_commit():`` runs what the block puts on commit; a test's own transaction has none."""
    return lambda: django_capture_on_commit_callbacks(execute=True)
