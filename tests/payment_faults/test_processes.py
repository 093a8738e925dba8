"""Cases 21 and 23 with processes that really die, and really run beside each other."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from orders.models import Order, Payment
from orders.services.payments import due_installments
from orders.services.reconciliation import reconcile
from orders.tests.fake_stripe import FakeStripe
from orders.tests.installments import attempts, bought, charged, mails, offer_installments, payment_of
from tests.payment_faults.outcomes import INTENTS, keys, wait_for
from tests.races.concurrency import PATIENCE, wait_until_blocked
from tests.races.conftest import ROOT, Buyer, shop_environment

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

GATE = 2026
# A worker that does its daily round once the gate is open: none begins before all are there.
ROUND = f"""
import django
django.setup()
from django.db import connection
from django.utils import timezone
from orders.services.payments.due_installments import run_round
with connection.cursor() as cursor:
    cursor.execute("SELECT pg_advisory_lock_shared({GATE})")
run_round(timezone.now())
"""

Worker = subprocess.Popen[bytes]


@pytest.fixture
def worker(fake_stripe: FakeStripe, tmp_path: Path) -> Iterator[Callable[[], Worker]]:
    """Starts a process of the shop that does the round and ends."""
    started: list[Worker] = []

    def start() -> Worker:
        process = subprocess.Popen(
            [sys.executable, "-c", ROUND],
            cwd=ROOT,
            env=shop_environment(tmp_path, "http://localhost:8000", api_base=fake_stripe.api_base),
            stdin=subprocess.DEVNULL,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait(PATIENCE)


def due_today(fake_stripe: FakeStripe, number: int = 0) -> Order:
    """150.00 in three times, the first paid; the second was announced and is due today."""
    order = bought(fake_stripe, Buyer(number))
    order.payments.filter(position=2).update(
        due_on=timezone.localdate(), announced_at=timezone.localtime() - timedelta(days=3)
    )
    return order


def test_case_21_a_worker_killed_between_the_charge_and_its_commit(fake_stripe, worker):
    """Shop dies between charge and commit (off-session): retry with the same key, one charge."""
    offer_installments()
    order = due_today(fake_stripe)
    fake_stripe.control("faults", kind="hang", seconds=20, after=True, method="POST", path=INTENTS, times=1)
    process = worker()
    wait_for(lambda: len(charged(fake_stripe)) == 2, "the charge")
    process.kill()
    assert process.wait(PATIENCE) == -signal.SIGKILL
    assert attempts(order)[1:] == [(2, 1, "off_session", "sent", "")]
    assert payment_of(order, 2).state == "scheduled"
    assert order.ledger.count() == 1

    # The provider may say for a while that it is still busy with that key.
    later = timezone.now() + timedelta(minutes=5)
    wait_for(lambda: reconcile.reconcile_attempts(later) == 1, "an answer")
    assert attempts(order)[1:] == [(2, 1, "off_session", "succeeded", "")]
    assert payment_of(order, 2).state == "paid"
    assert charged(fake_stripe) == [5000, 5000]
    assert len(set(keys(fake_stripe))) == 1
    assert (order.ledger.count(), mails("installment_received")) == (2, 1)


def test_case_23_three_workers_at_once_charge_each_installment_once(fake_stripe, worker, figures):
    """Job runs twice at once / on two machines: each installment charged once."""
    offer_installments()
    orders = [due_today(fake_stripe, number) for number in range(6)]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [GATE])
        workers = [worker() for _ in range(3)]
        wait_until_blocked(3)
        cursor.execute("SELECT pg_advisory_unlock(%s)", [GATE])
    assert [process.wait(PATIENCE) for process in workers] == [0, 0, 0]
    # A round passes by an order that another one holds; what all passed by is found by the next.
    due_installments.run_round(timezone.now())
    assert charged(fake_stripe) == [5000] * 12
    assert len(set(keys(fake_stripe))) == 6
    assert [attempts(order)[1:] for order in orders] == [[(2, 1, "off_session", "succeeded", "")]] * 6
    assert Payment.objects.filter(position=2, state="paid").count() == 6
    assert mails("installment_received") == 6
    figures(workers_at_once=3, orders=6, charges=len(charged(fake_stripe)) - 6, calls=len(keys(fake_stripe)))
