"""A bank statement is imported twice at the same moment: real threads on PostgreSQL."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from orders.models import BankLine
from orders.services.reconciliation import bank_statements
from orders.services.reconciliation.bank_statements import Reading, import_statement, read_statement
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
