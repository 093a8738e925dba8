"""``manage.py run_shop``: the whole shop on one machine, in one command."""

from __future__ import annotations

import errno
import json
import os
import secrets
import socket
import sys
import urllib.error
import urllib.request
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core import checks
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader

from shop.core import demo
from shop.core.code_version import SOURCE_FOLDERS
from shop.core.jobs import LATE_AFTER, background_work_is_late
from shop.core.request_kind import STAFF_PREFIX
from shop.core.supervisor import CannotStartError, Program, Supervisor
from shop.data_dir import narrow_data_dir
from shop.loopback import free_port, is_loopback

READY_SECONDS = 90.0
SANDBOX_FILE = "stripe-sandbox.json"
# The four threads of a worker share their free memory instead of holding some each, and what is freed goes back to the
# system by four MiB: less at a time costs each page up to half a millisecond.
WEB_MEMORY = {
    "MALLOC_ARENA_MAX": "2",
    "MALLOC_MMAP_THRESHOLD_": "1048576",
    "MALLOC_TRIM_THRESHOLD_": "4194304",
}
# Each does one thing at a time: while one sends a slow mail, the other goes on.
WORKERS = ("worker-1", "worker-2")
# Folded into `pages.0001_initial` by a version whose databases have both. In `replaces` it would count as missing from
# all later ones.
FOLDED_BEFORE = ("pages", "0001_page_rows")


@dataclass(frozen=True, slots=True)
class PaymentSandbox:
    """Where the local stand-in for Stripe listens and the keys it shares with the shop."""

    port: int
    secret_key: str
    webhook_secret: str

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "STRIPE_API_BASE": self.address,
            "STRIPE_SECRET_KEY": self.secret_key,
            "STRIPE_WEBHOOK_SECRET": self.webhook_secret,
        }


def port_is_free(port: int, host: str = "127.0.0.1") -> bool:
    """Return whether a server could listen there now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As servers do: a port that was just left may be taken again at once.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                return False
            raise
    return True


def stored_sandbox(folder: Path) -> PaymentSandbox:
    """Return the sandbox of this DATA_DIR: the same keys after a restart, and the same port when it is still free, so
    that payment pages that were open go on working.
    """
    path = folder / SANDBOX_FILE
    try:
        sandbox = PaymentSandbox(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):
        sandbox = PaymentSandbox(
            port=free_port(),
            secret_key=f"sk_test_{secrets.token_urlsafe(24)}",
            webhook_secret=f"whsec_{secrets.token_urlsafe(24)}",
        )
    if not port_is_free(sandbox.port):
        sandbox = PaymentSandbox(free_port(), sandbox.secret_key, sandbox.webhook_secret)
    path.touch(mode=0o600)
    path.write_text(json.dumps(asdict(sandbox)))
    return sandbox


def answers(address: str) -> bool:
    """Return whether a server of this machine answers there without an error of its own."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(address, timeout=3):
            return True
    except urllib.error.HTTPError as error:
        return error.code < 500
    except OSError:
        return False


def refuse_unknown_migrations() -> None:
    """Raise CommandError when the database has migrations of the shop's apps that this version does not have.

    Migrations were folded into one an app before the first release, with tables renamed: `migrate` would find nothing
    to do in a database from before, and the shop would miss its tables.
    """
    loader = MigrationLoader(connection)
    known = {
        FOLDED_BEFORE,
        *loader.disk_migrations,
        *(key for row in loader.disk_migrations.values() for key in row.replaces),
    }
    own = {config.label for config in apps.get_app_configs() if config.name.split(".")[0] in SOURCE_FOLDERS}
    unknown = [
        f"{app}.{name}" for app, name in loader.applied_migrations if app in own and (app, name) not in known
    ]
    if unknown:
        raise CommandError(
            f"The database has migrations that this version does not know ({min(unknown)}): a newer version made it, "
            "or one from before the first release. Take the version that made it, or start with another DATA_DIR."
        )


class Command(BaseCommand):
    help = "Migrates, loads the demonstration into an empty database and starts every process of the shop."
    # Run by hand below, so that each fault is one sentence.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--reload", action="store_true", help="reload whatever is edited (development)")

    def handle(self, *args: Any, **options: Any) -> None:
        reload: bool = options["reload"]
        host = os.environ.get("HOST") or ("127.0.0.1" if settings.DEBUG else "0.0.0.0")  # noqa: S104
        if settings.DEBUG and not is_loopback(host):
            raise CommandError(
                f"HOST={host} would open a shop with DEBUG, its mails and its known passwords to others: "
                "leave HOST out. For a public shop set DEBUG=false and start its processes as docs/operator.md says."
            )
        if not port_is_free(settings.PORT, host):
            raise CommandError(
                f"Port {settings.PORT} is taken by another program: stop it, or choose another one with "
                f"PORT={settings.PORT + 1} make run."
            )
        self._refuse_errors()
        self._prepare_data()
        sandbox = stored_sandbox(settings.DATA_DIR) if self._wants_sandbox() else None
        supervisor = Supervisor(folder=settings.BASE_DIR, output=sys.stdout)
        supervisor.catch_signals()
        try:
            for program in programs(host=host, sandbox=sandbox, reload=reload):
                supervisor.start(program)
            if supervisor.wait_until(lambda: self._is_ready(sandbox), seconds=READY_SECONDS):
                self.stdout.write(self._welcome(sandbox))
                self.stdout.flush()
                supervisor.watch(Restarts(supervisor, reload=reload).due)
            elif not supervisor.stopping:
                raise CommandError(f"The shop did not become ready within {READY_SECONDS:.0f} seconds.")
        except CannotStartError as error:
            raise CommandError(f"{error} The others were stopped.") from error
        finally:
            supervisor.stop()
        self.stdout.write("Stopped.")

    def _wants_sandbox(self) -> bool:
        return bool(settings.DEBUG and not settings.STRIPE_SECRET_KEY)

    def _refuse_errors(self) -> None:
        errors = [message for message in checks.run_checks() if message.is_serious()]
        if errors:
            raise CommandError("\n".join(f"{error.id}: {error.msg} {error.hint or ''}" for error in errors))

    def _prepare_data(self) -> None:
        narrow_data_dir(settings.DATA_DIR)
        # Served beside what the finders find; WhiteNoise warns when it is not there.
        Path(settings.STATIC_ROOT).mkdir(parents=True, exist_ok=True)
        Path(settings.STATIC_ROOT).chmod(settings.FILE_UPLOAD_DIRECTORY_PERMISSIONS)
        refuse_unknown_migrations()
        call_command("migrate", interactive=False, verbosity=0)
        if not settings.DEBUG:
            call_command("collectstatic", interactive=False, verbosity=0)
        elif not apps.get_model("catalog", "Product")._default_manager.exists():
            self.stdout.write("Loading the demonstration…")
            self.stdout.flush()
            call_command("load_demo")

    def _is_ready(self, sandbox: PaymentSandbox | None) -> bool:
        if sandbox and not answers(sandbox.address):
            return False
        return answers(f"http://127.0.0.1:{settings.PORT}/readyz")

    def _welcome(self, sandbox: PaymentSandbox | None) -> str:
        lines = [f"The shop is open:   {settings.SITE_URL}"]
        if settings.DEBUG:
            if not settings.EMAIL_URL:
                lines.append(f"Mails it sends:     {settings.SITE_URL}/_mails")
            if sandbox:
                lines.append(f"Simulated payments: {sandbox.address}")
            lines.append(f"Staff area:         {settings.SITE_URL}{STAFF_PREFIX}")
            lines.append(f"Operators' rows:    {settings.SITE_URL}/{settings.ADMIN_PATH}")
            lines += [
                f"Demo account:       {email} / {demo.PASSWORD}"
                for email in (demo.ADMIN, demo.STAFF, demo.CLIENT)
            ]
        lines.append("Ctrl-C stops everything.")
        rule = "─" * max(map(len, lines))
        return "\n".join(["", rule, *lines, rule])


def programs(*, host: str, sandbox: PaymentSandbox | None, reload: bool) -> Iterator[Program]:
    """Return every process of the shop, those first that others call."""
    python = sys.executable
    payments = sandbox.environment if sandbox else {}
    # shop.wsgi serves DEBUG at such an address alone.
    bound = {"DEBUG_ADDRESS": f"{host}:{settings.PORT}"} if settings.DEBUG else {}
    if sandbox:
        yield Program(
            "sandbox",
            [python, "-m", "orders.stripe_sandbox"],
            {
                **payments,
                "STRIPE_SANDBOX_PORT": str(sandbox.port),
                "STRIPE_SANDBOX_WEBHOOK_URL": f"http://127.0.0.1:{settings.PORT}/webhooks/stripe",
            },
            reloads=reload,
        )
    celery = [python, "-m", "celery", "--app", "shop", "--quiet"]
    # Messages are JSON, which runs nothing: Celery's warning is about those that can.
    quiet = "ignore:You're running the worker with superuser privileges"
    background = {**payments, "PYTHONWARNINGS": quiet}
    worker = ("worker", "--loglevel", "WARNING", "--without-gossip", "--without-mingle")
    for name in WORKERS:
        yield Program(name, [*celery, *worker, "--hostname", name], background, reloads=reload)
    # Pictures are drawn, and webhooks called, when nothing else wants the processor.
    yield Program(
        "pictures",
        [
            "nice",
            "-n",
            "10",
            *celery,
            *worker,
            "--queues",
            "images,webhooks",
            "--hostname",
            "pictures",
        ],
        background,
        reloads=reload,
    )
    # No pid file: one left behind by a kill would stop the next start, and a second beat does no harm.
    yield Program(
        "beat", [*celery, "beat", "--loglevel", "WARNING", "--pidfile="], background, reloads=reload
    )
    if reload:
        yield Program(
            "web", [python, "manage.py", "runserver", f"{host}:{settings.PORT}"], {**payments, **bound}
        )
        yield Program("assets", ["npm", "run", "--silent", "watch"])
        return
    yield Program(
        "web",
        [
            python,
            *("-m", "gunicorn", "shop.wsgi:application", "--bind", f"{host}:{settings.PORT}"),
            *("--worker-class", "gthread", "--workers", "2", "--threads", "4"),
            *("--no-control-socket", "--log-level", "warning", "--timeout", "60", "--graceful-timeout", "10"),
        ],
        {**payments, **bound, **WEB_MEMORY},
    )


class Restarts:
    """Which programs are due for a restart though they run: those whose source changed, while reloading, and those of
    the background when no job ends any more, for whatever reason."""

    def __init__(self, supervisor: Supervisor, *, reload: bool) -> None:
        self.supervisor = supervisor
        self.reload = reload
        self._sources = source_times() if reload else {}
        self._not_before = monotonic() + LATE_AFTER.total_seconds()

    def due(self) -> list[str]:
        """Return programs to restart. One query, once in `LATE_AFTER` at most; every source's time while reloading."""
        if self.reload and (sources := source_times()) != self._sources:
            self._sources = sources
            return [name for name, run in self.supervisor.runs.items() if run.program.reloads]
        if monotonic() > self._not_before:
            self._not_before = monotonic() + LATE_AFTER.total_seconds()
            if self._is_late():
                self.supervisor.say("shop", "No job ended for minutes; the workers and the beat start again.")
                return [*WORKERS, "beat"]
        return []

    def _is_late(self) -> bool:
        try:
            return background_work_is_late()
        except DatabaseError:
            return False
        finally:
            connection.close()


def source_times() -> dict[Path, int]:
    """When each Python file of the shop was written, in nanoseconds."""
    times: dict[Path, int] = {}
    for folder in SOURCE_FOLDERS:
        for path in (settings.BASE_DIR / folder).rglob("*.py"):
            with suppress(OSError):
                times[path] = path.stat().st_mtime_ns
    return times
