"""Starts the sandbox as the process that it is, for tests that need payments.

    with RunningSandbox(port=0, data_dir=tmp_path, webhook_url=f"{shop}/webhooks/stripe") as sandbox:
        ...  # settings of the shop: sandbox.environment()
        sandbox.control(f"sessions/{session_id}/pay", card="4242")
        sandbox.control("faults", kind="drop", method="POST", path="/v1/checkout/sessions")

What the control surface can do is listed at the end of `control.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode

from shop.loopback import free_port

PROJECT_DIR = Path(__file__).resolve().parent.parent.parent
START_SECONDS = 30.0
STOP_SECONDS = 10.0


class SandboxRefused(Exception):
    """The control surface said no; the message is its reason."""


class RunningSandbox:
    """One sandbox process. `port` 0 takes a free one. `webhook_url` None: events are stored, never sent.

    `delay` is STRIPE_SANDBOX_WEBHOOK_DELAY: "0" sends at once, which tests mostly want; "before", "0.2-2" or
    "mixed" as in production. `variables` are further environment variables of the process.
    """

    def __init__(
        self,
        port: int,
        data_dir: Path,
        webhook_url: str | None = None,
        *,
        delay: str = "0",
        secret_key: str = "sk_test_sandbox",  # noqa: S107
        webhook_secret: str = "whsec_sandbox",  # noqa: S107
        variables: dict[str, str] | None = None,
    ) -> None:
        self.port = port or free_port()
        self.data_dir = data_dir
        self.webhook_url = webhook_url
        self.secret_key = secret_key
        self.webhook_secret = webhook_secret
        self.url = f"http://127.0.0.1:{self.port}"
        self._variables = {"STRIPE_SANDBOX_WEBHOOK_DELAY": delay} | (variables or {})
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def environment(self) -> dict[str, str]:
        """The settings with which the shop uses this sandbox."""
        return {
            "STRIPE_API_BASE": self.url,
            "STRIPE_SECRET_KEY": self.secret_key,
            "STRIPE_WEBHOOK_SECRET": self.webhook_secret,
        }

    def start(self) -> None:
        """Returns once it answers. Raises RuntimeError with the end of its log when it doesn't."""
        self.data_dir.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "orders.stripe_sandbox"]
        options = {
            "--port": str(self.port),
            "--data-dir": str(self.data_dir),
            "--webhook-url": self.webhook_url or "",
            "--secret-key": self.secret_key,
            "--webhook-secret": self.webhook_secret,
        }
        for option, value in options.items():
            command += [option, value]
        with self._log().open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603
                command,
                cwd=PROJECT_DIR,
                env=os.environ | {"DEBUG": "1"} | self._variables,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        give_up = time.monotonic() + START_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > give_up:
                self.stop()
                raise RuntimeError(f"The payment sandbox did not start:\n{self._log().read_text()[-2000:]}")
            time.sleep(0.05)

    def stop(self) -> None:
        """Ends the process; what it knows stays in `data_dir`."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def restart(self) -> None:
        self.stop()
        self.start()

    def control(self, action: str, /, **body: Any) -> dict[str, Any]:
        """POST to the control surface. Raises SandboxRefused with its reason."""
        return self._call("POST", f"/_control/{action}", json.dumps(body).encode())

    def look(self, action: str, /, **query: str) -> dict[str, Any]:
        """GET from the control surface: "requests", "events", "health"."""
        suffix = f"?{urlencode(query)}" if query else ""
        return self._call("GET", f"/_control/{action}{suffix}", None)

    def wait_for_event(self, kind: str, *, state: str = "delivered") -> list[str]:
        """Ids of the events of this type, once one is in this state. Raises TimeoutError after ten seconds."""
        give_up = time.monotonic() + 10
        while True:
            events = self.look("events", type=kind)["events"]
            found = [event["id"] for event in events if event["state"] == state]
            if found:
                return found
            if time.monotonic() > give_up:
                raise TimeoutError(f"no {kind} {state}; there are {events}")
            time.sleep(0.03)

    def _call(self, method: str, path: str, body: bytes | None) -> dict[str, Any]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            document: dict[str, Any] = json.loads(answer.read())
        finally:
            connection.close()
        if answer.status != 200:
            raise SandboxRefused(document["error"])
        return document

    def _answers(self) -> bool:
        try:
            return bool(self.look("health")["ok"])
        except (OSError, ValueError):
            return False

    def _log(self) -> Path:
        return self.data_dir / "stripe-sandbox.log"
