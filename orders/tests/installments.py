"""Orders paid in three times through the sandbox, on a calendar that tests turn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import requests
import time_machine
from django.db import transaction
from django.db.models import F

from orders.models import Attempt, Order, Payment
from orders.services.installments.scheduled_payments import void_scheduled
from orders.services.payments import due_installments
from orders.tests.factories import checkout_body, line, make_product
from orders.tests.fake_stripe import SECRET_KEY, FakeStripe, Shopper
from shop.core.models import OutgoingMail, ShopSettings
from shop.core.shop_settings import save_shop_settings

PARIS = ZoneInfo("Europe/Paris")
FIRST_DAY = date(2026, 11, 23)
SECOND = FIRST_DAY + timedelta(days=30)
THIRD = FIRST_DAY + timedelta(days=60)


def offer_installments(*, enabled: bool = True) -> None:
    shop = ShopSettings.objects.get(pk=1)
    shop.installments_enabled = enabled
    save_shop_settings(shop)


class Clocks:
    """The shop's and the sandbox's, turned together."""

    def __init__(self, fake_stripe: FakeStripe) -> None:
        self._bank = fake_stripe
        self._machine: time_machine.travel | None = None

    def show(self, moment: datetime) -> None:
        self.leave()
        self._bank.control("clock", reset=True, advance=(moment - datetime.now(UTC)).total_seconds())
        self._machine = time_machine.travel(moment, tick=True)
        self._machine.start()

    def leave(self) -> None:
        if self._machine is not None:
            self._machine.stop()
            self._machine = None


class Clock(Clocks):
    """The day, for both at once."""

    today = FIRST_DAY

    def go_to(self, day: date, hour: int = 9) -> None:
        self.show(datetime.combine(day, time(hour), PARIS))
        self.today = day

    def pass_days(self, days: int) -> None:
        self.go_to(self.today + timedelta(days=days))

    def now(self) -> datetime:
        return datetime.now(PARIS)

    def run_round(self) -> None:
        """The job, as the beat would start it now."""
        due_installments.run_round(datetime.now(PARIS))

    def run_until(self, last: date) -> None:
        """The job of every day, tomorrow's first."""
        while self.today < last:
            self.pass_days(1)
            self.run_round()


@contextmanager
def frozen_calendar(fake_stripe: FakeStripe) -> Iterator[Clock]:
    clock = Clock(fake_stripe)
    clock.go_to(FIRST_DAY)
    try:
        yield clock
    finally:
        clock.leave()
        fake_stripe.control("clock", reset=True)


@pytest.fixture
def clock(fake_stripe: FakeStripe) -> Iterator[Clock]:
    """The day, for the shop that offers three installments and for the sandbox."""
    offer_installments()
    with frozen_calendar(fake_stripe) as clock:
        yield clock


def place(shopper: Shopper, *, price: str = "150.00", language: str = "fr", **changes: Any) -> Order:
    """An order in three times, `pending`: 150.00 € is delivered free."""
    product = make_product(name=f"Golem {Order.objects.count()}", price=price)
    body = checkout_body([line(product)], price, payment_mode="installments", **changes)
    answer = shopper.checkout(body, language=language)
    assert answer.status_code == 201, answer.content
    return Order.objects.get(pk=answer.json()["order_id"])


def page_of(payment: Payment) -> str:
    """The hosted page that was opened last for a payment."""
    checkout_session_id = (
        payment.attempts.exclude(checkout_session_id=None).latest("number").checkout_session_id
    )
    assert checkout_session_id is not None
    return checkout_session_id


def payment_of(order: Order, position: int) -> Payment:
    return order.payments.get(position=position)


def bought(fake_stripe: FakeStripe, shopper: Shopper, *, later: str = "", **order: Any) -> Order:
    """An order whose first installment is paid; `later` is how its kept card behaves afterwards."""
    placed = place(shopper, **order)
    page = page_of(payment_of(placed, 1))
    fake_stripe.control(f"sessions/{page}/pay", **({"later": later} if later else {}))
    assert shopper.verify(page).json()["payment_status"] == "paid"
    placed.refresh_from_db()
    return placed


def announced(fake_stripe: FakeStripe, shopper: Shopper, clock: Clock) -> Order:
    """150.00 in three times, confirmed; its second installment is announced and due tomorrow at nine."""
    order = bought(fake_stripe, shopper)
    clock.run_until(SECOND - timedelta(days=1))
    return order


def card_becomes(fake_stripe: FakeStripe, order: Order, card: str) -> None:
    """From now on the kept card answers like this test card."""
    fake_stripe.control(f"payment_methods/{order.card.payment_method_id}", later=card)


def installments(order: Order) -> list[tuple[str, str, str]]:
    """Amount, day and state of every payment."""
    rows = order.payments.order_by("position").values_list("amount", "due_on", "state")
    return [(str(amount), day.isoformat(), state) for amount, day, state in rows]


def attempts(order: Order) -> list[tuple[int, int, str, str, str]]:
    """Position, number, kind, state and code of every try."""
    rows = Attempt.objects.filter(payment__order=order).order_by("payment__position", "number")
    return list(
        rows.annotate(position=F("payment__position")).values_list(
            "position", "number", "kind", "state", "error_code"
        )
    )


def charged(fake_stripe: FakeStripe) -> list[int]:
    """The cents of every successful payment at the provider, oldest first."""
    return [charge["amount"] for charge in _listed(fake_stripe, "charges") if charge["paid"]]


def intents(fake_stripe: FakeStripe) -> list[str]:
    """The state of every payment at the provider, oldest first."""
    return [intent["status"] for intent in _listed(fake_stripe, "payment_intents")]


def _listed(fake_stripe: FakeStripe, what: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while True:
        answer = requests.get(
            f"{fake_stripe.api_base}/v1/{what}",
            {"limit": "100", **({"starting_after": found[-1]["id"]} if found else {})},
            headers={"Authorization": f"Bearer {SECRET_KEY}"},
            timeout=30,
        ).json()
        found += answer["data"]
        if not answer["has_more"]:
            return found[::-1]


def mails(kind: str) -> int:
    return OutgoingMail.objects.filter(kind=kind).count()


def calls(fake_stripe: FakeStripe) -> int:
    path = "/v1/payment_intents"
    return len([call for call in fake_stripe.requests(path) if call["path"] == path])


def days(order: Order) -> list[date]:
    return list(order.payments.order_by("position").values_list("due_on", flat=True))


def void_later(order: Order) -> None:
    """Nothing of the order is owed any more, as after a withdrawal."""
    with transaction.atomic():
        void_scheduled(order=Order.objects.select_for_update().get(pk=order.pk), reason="test.withdrawn")
