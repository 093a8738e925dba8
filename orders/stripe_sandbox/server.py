"""The HTTP server of the sandbox: one process, a thread for each connection."""

from __future__ import annotations

import logging
import os
import signal
import sys
from types import FrameType
from typing import Any

from django.core.management import call_command
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application

from orders.stripe_sandbox import idempotency, store
from orders.stripe_sandbox.background import Background
from orders.stripe_sandbox.configuration import configuration
from orders.stripe_sandbox.gate import CONNECTION

logger = logging.getLogger(__name__)


class SandboxServer(ThreadedWSGIServer):
    # A burst of connections waits its turn instead of being refused.
    request_queue_size = 256


class SandboxRequestHandler(WSGIRequestHandler):
    # An idle kept-alive connection doesn't hold its thread for ever.
    timeout = 120
    # Head and body are two writes: without this the second waits 40 ms for the first to be acknowledged.
    disable_nagle_algorithm = True

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except TimeoutError:
            # Nobody asked anything more on this connection: no error, and no traceback in the log of `make run`.
            self.close_connection = True

    def get_environ(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environ()
        environ[CONNECTION] = self.connection
        return environ


def serve() -> None:
    """Bring the tables up to date and serve until SIGTERM or Ctrl-C. Exits with 2 when the port is taken."""
    # SQLite writers wait for each other; the second of two sandboxes on one folder stops at the port below.
    call_command("migrate", verbosity=0, interactive=False)
    try:
        server = SandboxServer((configuration().host, configuration().port), SandboxRequestHandler)
    except OSError as error:
        print(f"The payment sandbox can't listen on port {configuration().port}: {error}.", file=sys.stderr)  # noqa: T201
        raise SystemExit(2) from error
    with store.writing():
        idempotency.release_abandoned()
    server.set_app(get_wsgi_application())
    Background().start()
    signal.signal(signal.SIGTERM, _stop)
    logger.info("Simulated payments at %s (no money moves)", configuration().public_url)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
        logging.shutdown()
        # A delivery may still wait for the shop; nothing is lost by leaving it, its row says "pending".
        os._exit(0)


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
