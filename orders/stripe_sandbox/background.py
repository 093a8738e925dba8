"""One thread for what happens by itself: webhooks, session expiry, balance lines, debits and refunds that end."""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from django.db import connections

from orders.stripe_sandbox import checkout, payments, refunds, sessions, store
from orders.stripe_sandbox.events import webhooks_are_on
from orders.stripe_sandbox.models import Delivery, Job
from orders.stripe_sandbox.webhooks import deliver

logger = logging.getLogger(__name__)
PAUSE_SECONDS = 0.2
DELIVERING_THREADS = 6


class Background:
    """Deliveries run in a small pool, so that a shop that hangs on one event gets the others in time."""

    def __init__(self) -> None:
        self._under_way: set[str] = set()
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(DELIVERING_THREADS, thread_name_prefix="webhook")

    def start(self) -> None:
        threading.Thread(target=self._run, name="background", daemon=True).start()

    def _run(self) -> None:
        while True:
            store.wake_background.wait(PAUSE_SECONDS)
            store.wake_background.clear()
            try:
                run_due_jobs()
                if webhooks_are_on():
                    self._deliver_due()
            except Exception:
                logger.exception("The background thread goes on after a failure")
                time.sleep(1)

    def _deliver_due(self) -> None:
        due = Delivery.objects.filter(state="pending", due__lte=store.now()).order_by("due", "id")
        for event_id in due.values_list("event", flat=True)[:100]:
            with self._lock:
                if event_id in self._under_way:
                    continue
                self._under_way.add(event_id)
            self._pool.submit(self._deliver, event_id)

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


def run_due_jobs() -> None:
    """Everything whose time has come by the sandbox's clock, webhooks excepted."""
    moment = store.now()
    if sessions.due_sessions().exists() or Job.objects.filter(due__lte=moment).exists():
        with store.writing():
            sessions.expire_due_sessions()
            for job in Job.objects.filter(due__lte=moment).order_by("due", "id"):
                _run_job(job)
                job.delete()


def _run_job(job: Job) -> None:
    if job.kind == payments.FILL_BALANCE:
        payments.fill_balance(store.require("charge", job.target))
    elif job.kind == payments.SETTLE_DEBIT:
        checkout.settle_debit(store.require("checkout.session", job.target), succeeds=job.data["succeeds"])
    elif job.kind == refunds.SETTLE_REFUND:
        refunds.settle_refund(store.require("refund", job.target), job.data["status"])
