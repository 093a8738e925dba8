"""One code counts once, however many requests bring it at one instant."""

from __future__ import annotations

import time
from functools import partial

import pytest

from accounts.services.second_factor import check_code, unused_recovery_codes
from accounts.tests.people import add_app, app_code, make_member
from shop.core import limits
from shop.core.models import AttemptCounter
from shop.core.problems import Problem
from tests.races.concurrency import run_concurrently

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("kind", ["recovery", "app"])
def test_one_code_used_by_four_requests_at_once_counts_once(kind):
    user = make_member()
    secret = add_app(user)
    while time.time() % 30 > 20:
        time.sleep(1)
    code = unused_recovery_codes(user)[0] if kind == "recovery" else app_code(secret)

    outcomes = run_concurrently([partial(check_code, user, code)] * 4)

    refused = [each.error for each in outcomes if each.error is not None]
    assert len(refused) == 3
    assert {error.code for error in refused if isinstance(error, Problem)} == {"incorrect_code"}
    assert len(unused_recovery_codes(user)) == (9 if kind == "recovery" else 10)


def test_of_forty_guesses_at_once_five_are_looked_at():
    user = make_member()
    add_app(user)

    outcomes = run_concurrently([partial(check_code, user, f"{number:06}") for number in range(40)])

    codes = [error.code for each in outcomes if isinstance(error := each.error, Problem)]
    assert (codes.count("incorrect_code"), codes.count("too_many_attempts")) == (5, 35)
    assert AttemptCounter.objects.get().count == limits.SECOND_FACTOR_ACCOUNT.attempts
