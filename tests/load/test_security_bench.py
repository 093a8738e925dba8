"""The figures of guessing, small: that the measure finds what is there, and nothing where nothing is."""

from __future__ import annotations

import random

import pytest

from tests.load import security_bench

pytestmark = pytest.mark.django_db


def samples(apart: float) -> tuple[list[float], list[float]]:
    chance = random.Random(7)
    return (
        [chance.gauss(100, 3) for _ in range(60)],
        [chance.gauss(100 + apart, 3) for _ in range(60)],
    )


def test_comparison_calls_two_samples_of_one_clock_noise():
    found = security_bench.compare(*samples(0), rounds=400)
    assert found.is_noise
    assert found.low < 0 < found.high


def test_comparison_finds_a_difference_of_three_milliseconds():
    found = security_bench.compare(*samples(3), rounds=400)
    assert not found.is_noise
    assert found.share < 0.01
    assert found.high < 0


def test_guesses_from_many_addresses_try_five_passwords_and_honest_customers_are_let_in():
    found = security_bench.guess(guesses=40, networks=20, customers=8)
    assert (found.tried, found.honest) == (5, 8)
    assert found.statuses == {200: 5, 429: 35}


def test_one_password_on_many_accounts_is_tried_a_hundred_times_an_address():
    assert security_bench.spray(104) == 100


def test_without_a_cache_sign_in_is_limited_and_every_page_opens():
    assert security_bench.without_cache() == [*[200] * 5, 429, *[200] * 4]


def test_every_form_is_timed_and_has_its_control(monkeypatch):
    monkeypatch.setattr("orders.stripe.gateway.create_checkout_session", None)
    monkeypatch.setattr("orders.stripe.gateway.is_configured", None)
    found = security_bench.time_addresses(2)
    assert {mode: list(each) for mode, each in found.items()} == {
        mode: [
            "known against unknown",
            "control",
            "known against unknown, processor",
            "control, processor",
        ]
        for mode in security_bench.MODES
    }
    assert {each.number for comparisons in found.values() for each in comparisons.values()} == {2}
