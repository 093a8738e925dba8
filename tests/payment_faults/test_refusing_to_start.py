"""Case 35: real money never meets development, and the sandbox never meets production."""

from __future__ import annotations

import pytest

from tests.payment_faults.starts import (
    BEAT,
    DEVELOPMENT,
    PRODUCTION,
    SANDBOX,
    WEB,
    WORKER,
    Process,
    start_all,
)

pytestmark = pytest.mark.postgres


STAND_IN = "STRIPE_API_BASE names a stand-in for Stripe while DEBUG is off."
LIVE_TO_STAND_IN = "A live Stripe key would be sent to a stand-in for Stripe."
LIVE_IN_DEVELOPMENT = "A live Stripe key is set while DEBUG is on."
NOT_IN_PRODUCTION = "The payment sandbox does not start with DEBUG off"
NO_LIVE_KEY = "The payment sandbox needs a key that begins with sk_test_"


def test_case_35_contradictory_settings_start_nothing(tmp_path):
    """A live key in tests or the sandbox in production: refuses to start."""
    stand_in = PRODUCTION | {"STRIPE_API_BASE": "http://localhost:8010", "STRIPE_SECRET_KEY": "sk_test_1"}
    live = DEVELOPMENT | {"STRIPE_SECRET_KEY": "sk_live_1", "STRIPE_API_BASE": ""}
    live_to_stand_in = DEVELOPMENT | {"STRIPE_SECRET_KEY": "rk_live_1"}
    cases = {
        STAND_IN: (WEB, stand_in),
        LIVE_TO_STAND_IN: (WORKER, live_to_stand_in),
        LIVE_IN_DEVELOPMENT: (BEAT, live),
    }
    for sentence, (status, said) in start_all(tmp_path, cases).items():
        assert (status, sentence in said) == (1, True), said


def test_case_35_the_sandbox_starts_neither_in_production_nor_with_a_live_key(tmp_path):
    """A live key in tests or the sandbox in production: refuses to start."""
    with_key = (*SANDBOX, "--secret-key", "sk_test_x")
    cases = {
        **{f"DEBUG={off}": (with_key, {"DEBUG": off}) for off in ("0", "false", "False", "off", "no")},
        "live": ((*SANDBOX, "--secret-key", "sk_live_x"), {"DEBUG": "1"}),
    }
    for name, (status, said) in start_all(tmp_path, cases).items():
        assert status == 2, f"{name}: {said}"
        assert said.startswith(NO_LIVE_KEY if name == "live" else NOT_IN_PRODUCTION), name
        assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []


def test_case_35_tests_know_no_key_of_the_machine_they_run_on(tmp_path):
    """A live key in tests: what the environment or a .env file says of Stripe does not reach them."""
    shown = "from tests import settings as s; print([s.STRIPE_SECRET_KEY, s.STRIPE_WEBHOOK_SECRET, s.STRIPE_API_BASE])"
    live = {
        "STRIPE_SECRET_KEY": "sk_live_1",
        "STRIPE_WEBHOOK_SECRET": "whsec_1",
        "STRIPE_API_BASE": "https://x.example",
    }
    assert Process(tmp_path, ("-c", shown), live).end() == (0, "['', '', '']\n")


def test_case_35_settings_that_fit_do_start(tmp_path):
    """A live key in production is what it is for: the server starts."""
    status, said = Process(tmp_path, WEB, PRODUCTION).end()
    assert status == 0, said
