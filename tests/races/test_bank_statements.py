"""A bank statement is imported, or looked through at night, twice at the same moment: real threads on PostgreSQL."""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from orders.models import BankLine, Payout
from orders.services.reconciliation import bank_statements
from orders.services.reconciliation.bank_statements import (
    Reading,
    import_statement,
    match_stored_lines,
    read_statement,
)
from shop.core.transaction_locks import lock_names
from tests.races.concurrency import Meeting, Started, run_concurrently, wait_until_blocked

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

# No payout waits for it, so there is no row to lock.
STATEMENT = b"Date;Libelle;Montant\n05/11/2026;STRIPE;50,00\n"


@pytest.fixture
def press() -> partial[Reading]:
    return partial(import_statement, lines=read_statement(STATEMENT), actor=None)


def test_two_presses_store_each_line_once(press):
    with transaction.atomic():
        lock_names(["bank-statement"])
        pressed = [Started(press), Started(press)]
        wait_until_blocked(2)
    readings = [each.value() for each in pressed]
    assert sorted((len(reading.unmatched), reading.known) for reading in readings) == [(0, 1), (1, 0)]
    assert BankLine.objects.count() == 1


def test_a_payout_that_two_nightly_jobs_find_is_given_to_one_line():
    import_statement(lines=read_statement(STATEMENT + STATEMENT.splitlines()[-1]), actor=None)
    payout = Payout.objects.create(
        provider_id="po_late",
        amount=50,
        state="paid",
        created_at=timezone.now(),
        arrives_on=date(2026, 11, 5),
    )
    with transaction.atomic():
        match_stored_lines()
        other = Started(match_stored_lines)
        wait_until_blocked()
    other.value()
    assert list(BankLine.objects.order_by("pk").values_list("payout", flat=True)) == [payout.pk, None]


def test_control_without_the_lock_the_second_press_ends_in_an_error(press, monkeypatch):
    meeting, match = Meeting(2), bank_statements.match_statement

    def together(lines: Any) -> Reading:
        reading = match(lines)
        meeting.wait()
        return reading

    monkeypatch.setattr(bank_statements, "match_statement", together)
    monkeypatch.setattr(bank_statements, "lock_names", lambda names: None)
    outcomes = run_concurrently([press, press])
    assert [type(outcome.error) for outcome in outcomes if outcome.error] == [IntegrityError]
    assert BankLine.objects.count() == 1
