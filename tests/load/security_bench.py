"""What guessing passwords and addresses brings, in figures.

    python tests/load/security_bench.py [--number 200] [--guesses 1000]

It runs in this process, on a database that is thrown away (`TEST_DATABASE_URL` for PostgreSQL), with the real hasher. A
figure that misses is marked and the exit code is 1.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "carmes-atelier-2026"
MODES = ("signin", "signup", "forgot", "checkout")
ROUNDS = 2000
# Chance alone gives a smaller share once in a hundred comparisons.
SMALLEST_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two samples in milliseconds: their medians, the 95 % interval of the difference (bootstrap), and the share of
    random divisions of all values whose medians are at least as far apart (permutation test)."""

    number: int
    first: float
    second: float
    low: float
    high: float
    share: float

    @property
    def is_noise(self) -> bool:
        return self.share >= SMALLEST_SHARE or self.low <= 0 <= self.high


def compare(first: Sequence[float], second: Sequence[float], *, rounds: int = ROUNDS) -> Comparison:
    """Compare two samples of milliseconds. The same samples give the same answer."""
    chance = random.Random(1)
    median = statistics.median
    apart = abs(median(first) - median(second))
    everything = [*first, *second]
    as_far = 0
    differences = []
    for _round in range(rounds):
        chance.shuffle(everything)
        as_far += abs(median(everything[: len(first)]) - median(everything[len(first) :])) >= apart
        differences.append(
            median(chance.choices(first, k=len(first))) - median(chance.choices(second, k=len(second)))
        )
    differences.sort()
    return Comparison(
        number=min(len(first), len(second)),
        first=median(first),
        second=median(second),
        low=differences[int(rounds * 0.025)],
        high=differences[int(rounds * 0.975)],
        share=(as_far + 1) / (rounds + 1),
    )


def time_addresses(number: int) -> dict[str, dict[str, Comparison]]:
    """For each form: an address with an account against one without, and, as the control, two without.

    By the clock on the wall, and by the processor's time, which a busy machine disturbs less.
    """
    from accounts.services import create_member

    for index in range(number):
        create_member(email=f"known{index}@example.com", password=PASSWORD)
    ask_at_checkout = _open_checkout()
    found: dict[str, dict[str, Comparison]] = {}
    for mode in MODES:
        ask = ask_at_checkout if mode == "checkout" else _ask_auth(mode)
        waited: dict[str, list[float]] = {"known": [], "unknown": [], "control": []}
        worked: dict[str, list[float]] = {"known": [], "unknown": [], "control": []}
        for index in range(-3, number):
            # In turn and in changing order, so that whatever else the machine does weighs on all alike.
            for place, sort in enumerate(random.Random(index).sample(list(waited), 3)):
                # Callers of their own: how many tries are let through is not what is timed.
                caller = f"10.{MODES.index(mode) * 3 + place}.{(index + 3) // 250}.{(index + 3) % 250}"
                warming = f"first{mode}{index}{sort}@example.com"
                start, processor = perf_counter(), process_time()
                ask(warming if index < 0 else f"{sort}{index}@example.com", caller)
                if index >= 0:
                    waited[sort].append(1000 * (perf_counter() - start))
                    worked[sort].append(1000 * (process_time() - processor))
        found[mode] = {
            "known against unknown": compare(waited["known"], waited["unknown"]),
            "control": compare(waited["control"], waited["unknown"]),
            "known against unknown, processor": compare(worked["known"], worked["unknown"]),
            "control, processor": compare(worked["control"], worked["unknown"]),
        }
    return found


def _ask_auth(mode: str) -> Callable[[str, str], Any]:
    from django.test import Client

    def ask(email: str, caller: str) -> Any:
        form = {"mode": mode, "email": email, "password": "another-password-2026"}
        return Client(REMOTE_ADDR=caller).post("/auth", form)

    return ask


def _open_checkout() -> Callable[[str, str], Any]:
    """An order with a sign-up; the payment page is made in memory."""
    from typing import cast

    from django.test import Client

    from orders.services.payments import checkout_sessions
    from orders.stripe import gateway
    from orders.stripe.facts import CheckoutSessionFacts
    from orders.tests.factories import checkout_body, line, make_product, make_seller, make_zones, new_key

    def open_page(**asked: Any) -> CheckoutSessionFacts:
        cents = sum(row.amount_cents * row.quantity for row in asked["lines"])
        return CheckoutSessionFacts(
            f"cs_{asked['attempt_id']}", "https://pay.example/", "open", "unpaid", "payment", False, "eur", cents,
            asked["order_id"], {}, None, "", "", None,
        )  # fmt: skip

    gateway.create_checkout_session = open_page
    gateway.is_configured = lambda: True
    assert cast(Any, checkout_sessions).gateway is gateway
    make_zones()
    make_seller()
    product = make_product(price="60.00")

    def ask(email: str, caller: str) -> Any:
        account = {"mode": "signup", "password": "another-password-2026"}
        body = checkout_body([line(product)], "60.00", account=account, customer={"email": email})
        answer = Client(REMOTE_ADDR=caller).post(
            "/api/checkout", body, content_type="application/json", headers={"idempotency-key": new_key()}
        )
        assert answer.status_code == 201, answer.content
        return answer

    return ask


@dataclass(frozen=True, slots=True)
class Guessing:
    """`tried` passwords were compared with the account's; `honest` customers of so many were let in meanwhile."""

    guesses: int
    tried: int
    honest: int
    customers: int
    statuses: dict[int, int]


def guess(*, guesses: int, networks: int = 200, customers: int = 50) -> Guessing:
    """Guess at one account from many addresses, each with forged hops before its own, while honest customers behind one
    proxy sign in for the first time."""
    from django.conf import settings
    from django.test import Client

    from accounts.services import create_member, signing_in

    settings.TRUSTED_PROXIES = 1
    create_member(email="victim@example.com", password=PASSWORD)
    for index in range(customers):
        create_member(email=f"honest{index}@example.com", password=PASSWORD)
    tried = []
    original = signing_in.authenticate

    def watched(request: Any, **credentials: Any) -> Any:
        tried.append(credentials["email"])
        return original(request, **credentials)

    signing_in.authenticate = watched
    statuses: dict[int, int] = {}
    honest = 0
    try:
        for index in range(guesses):
            forged = f"203.0.113.{index % 250}, 10.9.{index % networks // 250}.{index % networks % 250}"
            answer = Client().post(
                "/auth",
                {"mode": "signin", "email": "victim@example.com", "password": f"guess-{index}"},
                headers={"x-forwarded-for": forged},
            )
            statuses[answer.status_code] = statuses.get(answer.status_code, 0) + 1
            if index % max(1, guesses // customers) == 0 and honest < customers:
                entered = Client().post(
                    "/auth",
                    {"mode": "signin", "email": f"honest{honest}@example.com", "password": PASSWORD},
                    headers={"x-forwarded-for": "192.0.2.7"},
                )
                honest += entered.status_code == 302
    finally:
        signing_in.authenticate = original
        settings.TRUSTED_PROXIES = 0
    return Guessing(guesses, tried.count("victim@example.com"), honest, customers, statuses)


def spray(accounts: int) -> int:
    """Try one password on many accounts from one address; how many of them were compared."""
    from django.test import Client

    answers = [
        Client(REMOTE_ADDR="198.51.100.9").post(
            "/auth", {"mode": "signin", "email": f"account{index}@example.com", "password": "motdepasse-2026"}
        )
        for index in range(accounts)
    ]
    return sum(answer.status_code == 200 for answer in answers)


def without_cache() -> list[int]:
    """The statuses of six wrong sign-ins, and of the pages that everybody opens, while Redis refuses every call."""
    from django.conf import settings
    from django.core.cache import caches
    from django.test import Client

    refusing = {"BACKEND": "shop.core.redis_cache.TolerantRedisCache", "LOCATION": "redis://127.0.0.1:1/0"}
    before = settings.CACHES
    settings.CACHES = dict.fromkeys(before, refusing)
    for name in before:
        if hasattr(caches._connections, name):  # type: ignore[attr-defined]
            del caches[name]
    caches.settings = caches.configure_settings(None)
    try:
        browser = Client(REMOTE_ADDR="198.51.100.20", raise_request_exception=False)
        wrong = {"mode": "signin", "email": "away@example.com", "password": "wrong-password"}
        statuses = [browser.post("/auth", wrong).status_code for _try in range(6)]
        return [
            *statuses,
            *(browser.get(path).status_code for path in ("/", "/produits", "/panier", "/auth")),
        ]
    finally:
        settings.CACHES = before
        caches.settings = caches.configure_settings(None)
        for name in before:
            if hasattr(caches._connections, name):  # type: ignore[attr-defined]
                del caches[name]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--number", type=int, default=200, help="how many addresses of each sort")
    parser.add_argument("--guesses", type=int, default=1000)
    arguments = parser.parse_args()

    sys.path.insert(0, str(ROOT))
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import logging

    import django
    from django.conf import settings

    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
    settings.ALLOWED_HOSTS = ["testserver"]
    django.setup()
    # Each refused try is a line of its own.
    logging.disable(logging.WARNING)
    from django.test.utils import get_runner

    runner = get_runner(settings)(verbosity=0, interactive=False)
    databases = runner.setup_databases()
    try:
        return report(arguments.number, arguments.guesses)
    finally:
        runner.teardown_databases(databases)


def report(number: int, guesses: int) -> int:
    """Print every figure; how many missed."""
    missed = 0

    def say(text: str, *, is_good: bool) -> None:
        nonlocal missed
        missed += not is_good
        print(f"{'' if is_good else 'MISSED '}{text}", flush=True)

    guessing = guess(guesses=guesses, customers=min(50, guesses))
    say(
        f"{guessing.guesses} guesses from 200 addresses: {guessing.tried} tried, answers {guessing.statuses}",
        is_good=guessing.tried <= 5,
    )
    say(
        f"{guessing.honest} of {guessing.customers} customers behind one proxy signed in meanwhile",
        is_good=guessing.honest == guessing.customers,
    )
    compared = spray(guesses)
    say(f"one password on {guesses} accounts from one address: {compared} tried", is_good=compared <= 100)
    statuses = without_cache()
    say(
        f"without a cache: sign-ins {statuses[:6]}, pages {statuses[6:]}",
        is_good=statuses == [*[200] * 5, 429, *[200] * 4],
    )
    for mode, comparisons in time_addresses(number).items():
        for what, found in comparisons.items():
            say(
                f"{mode:8} {what:32} n {found.number}: medians {found.first:.1f} and {found.second:.1f} ms, "
                f"95 % of the difference {found.low:+.1f} to {found.high:+.1f} ms, p {found.share:.2f}",
                is_good=found.is_noise or what.startswith("control"),
            )
    return missed


if __name__ == "__main__":
    sys.exit(min(1, main()))
