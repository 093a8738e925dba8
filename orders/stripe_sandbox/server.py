"""The process of the sandbox: an HTTP server with a thread for each connection, and a background thread.

The background thread does what happens by itself: webhooks, session expiry, balance lines, debits and refunds that end.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from math import inf
from types import FrameType
from typing import Any

from django.core.management import call_command
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application
from django.db import connections

from orders.stripe_sandbox import checkout, checkout_sessions, idempotency, payments, payouts, refunds, store
from orders.stripe_sandbox.api import CONNECTION
from orders.stripe_sandbox.configuration import configuration
from orders.stripe_sandbox.events import deliver, webhooks_are_on
from orders.stripe_sandbox.models import Delivery, Job

logger = logging.getLogger(__name__)
SHORTEST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.05, 5.0
DELIVERING_THREADS = 6


class Background:
    """Deliveries run in a small pool, so that a shop that hangs on one event gets the others in time."""

    def __init__(self) -> None:
        self._under_way: set[str] = set()
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(DELIVERING_THREADS, thread_name_prefix="webhook")

    def start(self) -> None:
        """Start the thread; it ends with the process."""
        threading.Thread(target=self._run, name="background", daemon=True).start()

    def _run(self) -> None:
        pause = 0.0
        while True:
            store.wake_background.wait(pause)
            store.wake_background.clear()
            pause = 0.0
            try:
                moments = [run_due_jobs()]
                if webhooks_are_on():
                    moments.append(self._deliver_due())
                wanted = min((moment for moment in moments if moment is not None), default=inf)
                pause = min(max(SHORTEST_PAUSE_SECONDS, wanted - store.now()), LONGEST_PAUSE_SECONDS)
            except Exception:
                logger.exception("The background thread goes on after a failure")
                time.sleep(1)

    def _deliver_due(self) -> float | None:
        """Send what is due. Returns when the next delivery is; one that failed wakes the background thread."""
        moment = store.now()
        pending = Delivery.objects.filter(state="pending").order_by("due", "id")
        for event_id in pending.filter(due__lte=moment).values_list("event", flat=True)[:100]:
            with self._lock:
                if event_id in self._under_way:
                    continue
                self._under_way.add(event_id)
            self._pool.submit(self._deliver, event_id)
        return pending.filter(due__gt=moment).values_list("due", flat=True).first()

    def _deliver(self, event_id: str) -> None:
        try:
            # It may have been sent between the query that found it due and its mark as under way.
            if Delivery.objects.filter(event=event_id, state="pending", due__lte=store.now()).exists():
                deliver(event_id)
        except Exception:
            logger.exception("Delivery of %s failed", event_id)
        finally:
            with self._lock:
                self._under_way.discard(event_id)
            connections.close_all()


def run_due_jobs() -> float | None:
    """Everything whose time has come by the sandbox's clock, webhooks excepted. Returns when the next thing does, or
    did: whoever writes wakes the background thread."""
    moment = store.now()
    jobs = Job.objects.order_by("due", "id")
    firsts = (checkout_sessions.first_expiry(), jobs.values_list("due", flat=True).first())
    due = min((first for first in firsts if first is not None), default=None)
    if due is not None and due <= moment:
        with store.writing():
            checkout_sessions.expire_due_sessions()
            for job in jobs.filter(due__lte=moment):
                _run_job(job)
                job.delete()
    return due


def _run_job(job: Job) -> None:
    if job.kind == payments.FILL_BALANCE:
        payments.fill_balance(store.require("charge", job.target))
    elif job.kind == payments.SETTLE_DEBIT:
        checkout.settle_debit(store.require("checkout.session", job.target), succeeds=job.data["succeeds"])
    elif job.kind == payouts.PAY_OUT:
        payouts.pay_out()
    elif job.kind == refunds.SETTLE_REFUND:
        refunds.settle_refund(store.require("refund", job.target), job.data["status"])


class SandboxServer(ThreadedWSGIServer):
    """A server that queues bursts of connections."""

    # A burst of connections waits its turn instead of being refused.
    request_queue_size = 256


class SandboxRequestHandler(WSGIRequestHandler):
    """A handler that gives each request its socket, so that an answer can be cut off."""

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
