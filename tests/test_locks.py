"""Locks that only PostgreSQL knows are looked at on SQLite too, where most tests run."""

import pytest
from django.db import transaction

from orders.models import Payout
from tests.database import NotLockable

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("rows", [Payout.objects.filter(bank_line=None), Payout.objects.distinct()])
def test_a_lock_that_postgresql_refuses_fails_here(rows):
    with transaction.atomic(), pytest.raises(NotLockable):
        list(rows.select_for_update())


def test_the_rows_themselves_may_be_locked():
    with transaction.atomic():
        assert [*Payout.objects.filter(bank_line=None).select_for_update(of=("self",))] == []
