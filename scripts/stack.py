#!/usr/bin/env python
"""The shop as on a server, on this machine: PostgreSQL, Redis, an S3 server, the shipped nginx configuration, two web
nodes, two workers, the pictures' worker and beat. Payments are simulated; everything is thrown away at the end.

PostgreSQL, Redis and nginx are Debian's packages: `apt-get install -y nginx redis-server postgresql`.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any

import boto3
import psycopg
import requests
from bench_requests import MEMORY
from faulty_proxy import FaultyProxy, faulty_proxy
from shipped_nginx import NGINX, nginx_site, nginx_user, server_program
from shop_process import ROOT, RunningShop, free_port, shop_environment

sys.path.insert(0, str(ROOT))

from orders.stripe.webhook_kinds import WEBHOOK_KINDS
from shop.core.supervisor import Program, Run, Supervisor

WEB = ("web-1", "web-2")
WORKERS = ("worker-1", "worker-2")
START_SECONDS = 300
# A visitor's patience.
TIMEOUT = 40.0
RESTART_SECONDS = 120
NEEDED = {"nginx": "nginx", "redis-server": "redis-server", "postgres": "postgresql"}
# Without a line a request.
S3_SERVER = "import logging, moto.server; logging.getLogger('werkzeug').setLevel(40); moto.server.main()"
READ_BY_ALL = {
    "Version": "2012-10-17",
    "Statement": [
        {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::media/*"}
    ],
}


class StackShop(RunningShop):
    """A running shop whose rows are in PostgreSQL."""

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.environment["DATABASE_URL"], connect_timeout=5) as connection:
            return connection.execute(query, values).fetchall()


@dataclass(slots=True)
class Stack:
    """Everything that runs. `redis` and `stripe` are ways to these servers that can be broken."""

    shop: StackShop
    supervisor: Supervisor
    redis: FaultyProxy
    stripe: FaultyProxy
    stripe_key: str
    log: Path
    # The ports of the web nodes, behind nginx.
    web: list[int] = field(default_factory=list)
    # Programs to stop and start again, by the thread that watches them.
    waiting: set[str] = field(default_factory=set)

    def pid(self, name: str) -> int | None:
        process = self.supervisor.runs[name].process
        return process.pid if process and process.poll() is None else None

    def restart(self, *names: str, **environment: str) -> None:
        """Stop programs as a service manager does, start them again, with more variables if given, and wait."""
        for name in names:
            run = self.supervisor.runs[name]
            run.program = replace(run.program, environment={**run.program.environment, **environment})
            old = self.pid(name)
            self.waiting.add(name)
            deadline = monotonic() + RESTART_SECONDS
            while self.pid(name) in (None, old):
                assert monotonic() < deadline, f"{name} did not start again."
                sleep(0.1)

    def signal(self, name: str, number: signal.Signals) -> int:
        """Send a signal to a program; return the id of the process that got it."""
        pid = self.pid(name)
        assert pid is not None, f"{name} does not run."
        os.kill(pid, number)
        return pid

    def due(self) -> list[str]:
        names, self.waiting = self.waiting, set()
        return sorted(names)


def sign_in(session: requests.Session, url: str, email: str, password: str) -> requests.Response:
    """Send the form of /auth as a browser does; return the page that follows."""
    token = session.get(f"{url}/api/me", timeout=TIMEOUT).json()["csrf_token"]
    body = {"mode": "signin", "email": email, "password": password}
    headers = {"X-CSRFToken": token, "Referer": f"{url}/auth"}
    return session.post(f"{url}/auth", body, headers=headers, timeout=TIMEOUT)


def missing_packages() -> list[str]:
    """Return the packages to install, by name."""
    return [package for program, package in NEEDED.items() if server_program(program) is None]


@contextmanager
def running_stack(folder: Path, **variables: str) -> Iterator[Stack]:
    """Start everything with the demonstration's data and wait until it is open.

    :param folder: may be a file system that gets full; nothing of this script itself is kept there.
    :raises AssertionError: something did not start; what it said is in the message.
    """
    ports = {name: free_port() for name in ("nginx", "postgres", "redis", "s3", "sandbox")}
    url = f"http://localhost:{ports['nginx']}"
    with ExitStack() as stack:
        own = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="shop-stack-own-")))
        redis, stripe = (stack.enter_context(faulty_proxy(ports[name])) for name in ("redis", "sandbox"))
        key, webhook_secret = f"sk_test_{secrets.token_urlsafe(24)}", f"whsec_{secrets.token_urlsafe(24)}"
        data = folder / "data"
        data.mkdir(mode=0o710)
        (data / "stripe-sandbox.json").write_text(json.dumps({"port": ports["sandbox"]}))
        environment = {
            **shop_environment(data, ports["nginx"], variables),
            "DATABASE_URL": f"postgresql://shop@127.0.0.1:{ports['postgres']}/postgres",
            "REDIS_URL": f"redis://127.0.0.1:{redis.port}/0",
            "MEDIA_S3_URL": f"http://key:secret@127.0.0.1:{ports['s3']}/media?region=us-east-1",
            "MEDIA_S3_PRIVATE_BUCKET": "private",
            "TRUSTED_PROXIES": "1",
            "SECURE_SSL_REDIRECT": "false",
            "STRIPE_SECRET_KEY": key,
            "STRIPE_WEBHOOK_SECRET": webhook_secret,
            "STRIPE_API_BASE": f"http://127.0.0.1:{stripe.port}",
            "STRIPE_SANDBOX_PUBLIC_URL": f"http://127.0.0.1:{ports['sandbox']}",
            "LIMITS": "checkout-network=1000000;verify-network=1000000;api-network=1000000;statistics-network=1000000",
            **MEMORY,
            "LOG_LEVEL": "WARNING",
        }
        log = stack.enter_context((own / "run.log").open("w"))
        supervisor = Supervisor(folder=ROOT, output=log)
        process = subprocess.Popen(["sleep", "infinity"])
        stack.callback(process.wait)
        stack.callback(process.terminate)
        running = Stack(
            StackShop(url, data, process, environment), supervisor, redis, stripe, key, own / "run.log"
        )
        thread = Thread(
            target=_run, args=(running, list(_servers(folder, own, ports, environment)), own / "failed")
        )
        thread.start()
        stack.callback(thread.join)
        stack.callback(setattr, supervisor, "stopping", True)
        try:
            _wait_for_servers(ports)
            _make_buckets(ports["s3"])
            for command in (("migrate", "--verbosity", "0"), ("load_demo", "--verbosity", "0")):
                running.shop.manage(*command)
            sockets = [stack.enter_context(_listener()) for _ in WEB]
            running.web = [item.getsockname()[1] for item in sockets]
            programs = _programs(environment, sockets, own, ports["nginx"], data)
            # Started by the thread that watches them.
            supervisor.runs = {**supervisor.runs, **{program.name: Run(program) for program in programs}}
            _wait_until_open(url)
        except BaseException:
            print((own / "run.log").read_text()[-6000:], file=sys.stderr)
            raise
        yield running


def _run(running: Stack, servers: list[Program], failed: Path) -> None:
    """Keep everything running, in one thread: a process ends with the thread that started it."""
    try:
        for program in servers:
            running.supervisor.start(program)
        running.supervisor.watch(running.due)
    except Exception as error:
        running.supervisor.say("stack", f"{type(error).__name__}: {error}")
        failed.touch()
    finally:
        # Whoever holds connections goes first, PostgreSQL last.
        names = list(running.supervisor.runs)
        for name in ("nginx", *WEB, "beat", *WORKERS, "pictures"):
            if name in names and (pid := running.pid(name)):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM)
        sleep(1)
        if pid := running.pid("postgres"):
            os.kill(pid, signal.SIGINT)
        running.supervisor.stop()


def _servers(
    folder: Path, own: Path, ports: dict[str, int], environment: dict[str, str]
) -> Iterator[Program]:
    """PostgreSQL, Redis, S3 and the payment provider."""
    postgres = server_program("postgres")
    assert postgres is not None
    database = folder / "postgres"
    database.mkdir(mode=0o700)
    user: list[str] = []
    if os.geteuid() == 0:
        # PostgreSQL refuses to run as root.
        user = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
        shutil.chown(database, "postgres", "postgres")
        folder.chmod(0o711)
    initdb = [*user, str(Path(postgres).parent / "initdb"), "-D", str(database), "-U", "shop", "-A", "trust"]
    subprocess.run([*initdb, "-E", "UTF8", "--locale=C.UTF-8"], check=True, stdout=subprocess.DEVNULL)
    options = {
        "port": ports["postgres"],
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": "",
        "max_connections": 100,
        "shared_buffers": "64MB",
        "max_wal_size": "128MB",
        # Everything is thrown away: only a power cut would be noticed.
        "fsync": "off",
        "log_min_messages": "fatal",
    }
    settings = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
    yield Program("postgres", [*user, postgres, "-D", str(database), *settings])
    redis = [
        "redis-server",
        "--port",
        str(ports["redis"]),
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--dir",
        str(own),
    ]
    yield Program("redis", [*redis, "--loglevel", "warning"])
    yield Program("s3", [sys.executable, "-W", "ignore", "-c", S3_SERVER, "-p", str(ports["s3"])])
    sandbox = {
        **environment,
        "DATA_DIR": str(own),
        "STRIPE_SANDBOX_PORT": str(ports["sandbox"]),
        "STRIPE_SANDBOX_WEBHOOK_URL": f"http://localhost:{ports['nginx']}/webhooks/stripe",
        "STRIPE_SANDBOX_WEBHOOK_KINDS": ",".join(WEBHOOK_KINDS),
    }
    yield Program("sandbox", [sys.executable, "-m", "orders.stripe_sandbox"], sandbox)


def _programs(
    environment: dict[str, str], sockets: list[socket.socket], own: Path, port: int, data: Path
) -> Iterator[Program]:
    """What the units of deploy/systemd start, and nginx with the shipped configuration."""
    python = sys.executable
    for name, listener in zip(WEB, sockets, strict=True):
        number = listener.fileno()
        command = [
            python,
            "-m",
            "gunicorn",
            "shop.wsgi",
            "--bind",
            f"fd://{number}",
            "--worker-class",
            "gthread",
        ]
        command += ["--workers", "2", "--threads", "4", "--no-control-socket", "--log-level", "warning"]
        command += ["--timeout", "60", "--graceful-timeout", "10"]
        yield Program(name, command, {**environment, "DEBUG_ADDRESS": "127.0.0.1"}, sockets=(number,))
    celery = [python, "-m", "celery", "--app", "shop", "--quiet"]
    worker = ["worker", "--loglevel", "WARNING", "--without-gossip", "--without-mingle", "--hostname"]
    background = {
        **environment,
        "PYTHONWARNINGS": "ignore:You're running the worker with superuser privileges",
    }
    for name in WORKERS:
        yield Program(name, [*celery, *worker, name], background)
    yield Program(
        "pictures",
        ["nice", "-n", "10", *celery, *worker, "pictures", "--queues", "images,webhooks"],
        background,
    )
    yield Program("beat", [*celery, "beat", "--loglevel", "WARNING", "--pidfile="], background)
    web = [item.getsockname()[1] for item in sockets]
    site = nginx_site(port=port, web=web, cache=own / "cache", data=data)
    (own / "nginx.conf").write_text(NGINX.format(site=site, user=nginx_user()))
    yield Program(
        "nginx", [str(server_program("nginx")), "-p", str(own), "-c", str(own / "nginx.conf"), "-e", "stderr"]
    )


@contextmanager
def _listener() -> Iterator[socket.socket]:
    """A socket that outlives the web processes, as systemd's do (deploy/systemd/shop-web.socket)."""
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listener:
        yield listener


def _wait_for_servers(ports: dict[str, int]) -> None:
    deadline = monotonic() + START_SECONDS
    for name in ("postgres", "redis", "s3", "sandbox"):
        while True:
            try:
                socket.create_connection(("127.0.0.1", ports[name]), 1).close()
                break
            except OSError:
                assert monotonic() < deadline, f"{name} did not start."
                sleep(0.2)


def _make_buckets(port: int) -> None:
    client = boto3.client(
        "s3",
        endpoint_url=f"http://127.0.0.1:{port}",
        aws_access_key_id="key",
        aws_secret_access_key="secret",  # noqa: S106
        region_name="us-east-1",
    )
    for bucket in ("media", "private"):
        client.create_bucket(Bucket=bucket)
    client.put_bucket_policy(Bucket="media", Policy=json.dumps(READ_BY_ALL))


def _wait_until_open(url: str) -> None:
    deadline = monotonic() + START_SECONDS
    while True:
        with suppress(requests.RequestException):
            if requests.get(f"{url}/readyz", timeout=10).status_code == 200:
                return
        assert monotonic() < deadline, "The shop did not open."
        sleep(0.5)


def main() -> int:
    missing = missing_packages()
    if missing:
        print(f"Missing on this machine: apt-get install -y {' '.join(missing)}", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="shop-stack-") as folder:
        print("Starting PostgreSQL, Redis, S3, nginx, two web nodes, two workers, beat…", flush=True)
        with running_stack(Path(folder)) as stack, suppress(KeyboardInterrupt):
            print(f"The shop is open: {stack.shop.url}\nCtrl-C stops everything.", flush=True)
            while True:
                sleep(3600)
    print("Stopped.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
