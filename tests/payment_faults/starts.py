"""Programs of the shop, started with settings that fit or contradict each other."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from django.conf import settings

WEB = ("-c", "import shop.wsgi")
WORKER = ("-m", "celery", "-A", "shop", "worker", "--pool", "solo")
BEAT = ("-m", "celery", "-A", "shop", "beat")
SANDBOX = ("-m", "orders.stripe_sandbox", "--port", "0", "--webhook-secret", "whsec_x")

PRODUCTION = {
    "DEBUG": "false",
    "SECRET_KEY": "a-secret-of-production-with-more-than-fifty-different-0123456789-characters",
    "ALLOWED_HOSTS": "shop.example",
    "SITE_URL": "https://shop.example",
    "EMAIL_URL": "smtp+tls://user:password@mail.example:587",
    "STRIPE_SECRET_KEY": "sk_live_1",
    "STRIPE_WEBHOOK_SECRET": "whsec_1",
    "STRIPE_API_BASE": "",
}
DEVELOPMENT = {
    "DEBUG": "true",
    "STRIPE_SECRET_KEY": "sk_test_1",
    "STRIPE_WEBHOOK_SECRET": "whsec_1",
    "STRIPE_API_BASE": "http://localhost:8010",
}


class Process:
    """A process of the shop that should end at once. Several are started before one is waited for."""

    def __init__(self, folder: Path, command: tuple[str, ...], variables: dict[str, str]) -> None:
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        self._process = subprocess.Popen(
            [sys.executable, *command],
            cwd=settings.BASE_DIR,
            env=kept | {"DATA_DIR": str(folder), "DATABASE_URL": "", "REDIS_URL": ""} | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def end(self) -> tuple[int, str]:
        try:
            said, _ = self._process.communicate(timeout=60)
        finally:
            self._process.kill()
        return self._process.returncode, said


def start_all(
    folder: Path, cases: dict[str, tuple[tuple[str, ...], dict[str, str]]]
) -> dict[str, tuple[int, str]]:
    started = {
        name: Process(folder / str(number), command, variables)
        for number, (name, (command, variables)) in enumerate(cases.items())
    }
    return {name: process.end() for name, process in started.items()}
