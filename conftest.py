"""What every test stands on: no network, no broker, warnings are errors (pyproject), files in a folder that
is thrown away (tests/settings.py)."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import pytest
from celery import Task
from django.conf import settings as django_settings
from django.core.cache import caches
from django.db import connection
from django.test import TransactionTestCase
from hypothesis import HealthCheck, settings

from shop.core.tests.fake_build import write_manifest
from tests.database import empty_tables

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

ON_POSTGRES = ("tests/faults", "tests/payment_faults", "orders/invoices/tests", "shop/pages/tests")
# Who may do what depends on no engine, and asking everybody for everything takes a while.
ON_SQLITE = "tests/permissions"
PROVIDER_FIXTURE = "sandbox_process"
DATABASE_FIXTURES = {"db", "transactional_db", "django_db_reset_sequences", "live_server"}


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


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out (counted as deselected, not skipped) what this run is not for: `make test` runs each part.

    What touches no database runs once, on SQLite, and so do permissions. Pages, invoices, faults and
    what speaks to the payment provider run once, on PostgreSQL, unless their file is asked for by name; on SQLite a
    browser walks that way.
    """
    on_postgres = connection.vendor == "postgresql"
    left_out = {"sqlite"} if on_postgres else {"postgres"}
    if "browser" not in config.option.markexpr:
        left_out.add("browser")
    dropped = {
        item
        for item in items
        if _is_for_the_other_database(item, config, on_postgres=on_postgres)
        or any(item.get_closest_marker(name) for name in left_out)
    }
    if dropped:
        config.hook.pytest_deselected(items=list(dropped))
        items[:] = [item for item in items if item not in dropped]
    # Begun first, so that the other process has work until they end.
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def _is_for_the_other_database(item: pytest.Item, config: pytest.Config, *, on_postgres: bool) -> bool:
    stays = any(config.rootpath / folder in item.path.parents for folder in ON_POSTGRES)
    if config.rootpath / ON_SQLITE in item.path.parents:
        return on_postgres
    if on_postgres:
        return not stays and not _uses_database(item)
    speaks_http = PROVIDER_FIXTURE in getattr(item, "fixturenames", ())
    named = any(
        argument.partition("::")[0].endswith(item.path.name) for argument in config.invocation_params.args
    )
    return (stays or speaks_http) and not named


def _uses_database(item: pytest.Item) -> bool:
    fixtures = set(getattr(item, "fixturenames", ()))
    marked = any(item.get_closest_marker(name) for name in ("django_db", "postgres"))
    return marked or bool(fixtures & DATABASE_FIXTURES)


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


@pytest.fixture
def run_on_commit(
    django_capture_on_commit_callbacks: Callable[..., AbstractContextManager[list[Callable[[], Any]]]],
) -> Callable[[], AbstractContextManager[list[Callable[[], Any]]]]:
    """``with run_on_commit():`` runs what the block puts on commit; a test's own transaction has none."""
    return lambda: django_capture_on_commit_callbacks(execute=True)
