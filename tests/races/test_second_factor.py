"""One code counts once, however many requests bring it at one instant; an erased account gets no protection."""

from __future__ import annotations

import time
from functools import partial

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import generate_totp_secret
from django.db import transaction
from rest_framework.exceptions import NotAuthenticated

from accounts.personal_data import _erase_account
from accounts.services.second_factor import activate_totp, check_code, unused_recovery_codes
from accounts.services.signing_in import change_password
from accounts.tests.people import add_app, app_code, make_member
from shop.core import limits
from shop.core.models import AttemptCounter, OutgoingMail
from shop.core.personal_data import Person
from shop.core.problems import Problem
from tests.races.concurrency import Started, run_concurrently, wait_until_blocked

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


@pytest.mark.parametrize("change", ["app", "password"])
def test_an_account_that_is_erased_meanwhile_gets_no_protection(change):
    user, secret = make_member(), generate_totp_secret()
    if change == "app":
        call = partial(activate_totp, user, secret=secret, code=app_code(secret))
    else:
        call = partial(change_password, user, "un-renard-de-bois")
    with transaction.atomic():
        _erase_account(Person(user.pk, (user.email,)))
        protecting = Started(call)
        wait_until_blocked()
    assert type(protecting.outcome().error) is NotAuthenticated
    user.refresh_from_db()
    assert not user.has_usable_password()
    assert (Authenticator.objects.count(), OutgoingMail.objects.count()) == (0, 0)


def test_of_forty_guesses_at_once_five_are_looked_at():
    user = make_member()
    add_app(user)

    outcomes = run_concurrently([partial(check_code, user, f"{number:06}") for number in range(40)])

    codes = [error.code for each in outcomes if isinstance(error := each.error, Problem)]
    assert (codes.count("incorrect_code"), codes.count("too_many_attempts")) == (5, 35)
    assert AttemptCounter.objects.get().count == limits.SECOND_FACTOR_ACCOUNT.attempts
