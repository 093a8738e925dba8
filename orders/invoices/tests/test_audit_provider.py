"""The ledger against Stripe's account, over HTTP with the sandbox."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from orders.books.audit import ProviderState, audit_books
from orders.models import Attempt, LedgerEntry, LedgerKind, Order
from orders.services.payments.settlement import settle
from orders.services.refunds.disputes import sync_disputes
from orders.stripe import account_activity, gateway
from orders.tests.conftest import _zones, fake_stripe, sandbox_process, shopper  # noqa: F401
from orders.tests.factories import checkout_body, line, make_product

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def later() -> datetime:
    """After the minutes in which a webhook may still be on its way, before a PDF must be there."""
    return timezone.now() + timedelta(minutes=30)


@pytest.fixture
def order(fake_stripe, shopper) -> Order:  # noqa: F811
    assert shopper.checkout(checkout_body([line(make_product(price="60.00"))], "60.00")).status_code == 201
    order = Order.objects.get()
    fake_stripe.pay(order)
    return order


def test_books_and_account_agree(order: Order) -> None:
    settle(Attempt.objects.get().pk)
    report = audit_books(later())
    assert (report.documents, report.movements, report.provider) == (1, 1, ProviderState.AGREES)
    assert report.faults == []


def test_an_entry_that_the_account_does_not_know_is_found(order: Order) -> None:
    settle(Attempt.objects.get().pk)
    LedgerEntry.objects.create(
        order=order,
        payment=order.payments.get(),
        kind=LedgerKind.DISPUTE,
        amount=Decimal("-60.00"),
        provider_id="du_nobody",
    )
    report = audit_books(later())
    assert report.provider == ProviderState.DIFFERS
    assert [(fault.check, fault.subject, fault.detail) for fault in report.faults] == [
        ("provider", "du_nobody", "Au grand livre, inconnu de Stripe.")
    ]


def test_a_movement_that_began_in_a_purged_year_is_asked_for_by_its_name(
    order: Order,
    fake_stripe,  # noqa: F811
    monkeypatch,
) -> None:
    """The lists begin at that year's end: a dispute that was won after it is in none."""
    settle(Attempt.objects.get().pk)
    dispute = fake_stripe.control("disputes", payment_intent=Attempt.objects.get().intent_id)["dispute"]
    fake_stripe.control(f"disputes/{dispute['id']}/close", status="won")
    sync_disputes(str(Attempt.objects.get().intent_id))
    assert sorted(LedgerEntry.objects.values_list("kind", flat=True)) == ["charge", "dispute", "dispute_won"]
    for listed in ("charges", "refunds", "disputes"):
        monkeypatch.setattr(account_activity, f"list_{listed}", lambda *window: [])
    report = audit_books(later())
    assert (report.provider, report.faults) == (ProviderState.AGREES, [])


def test_an_account_that_does_not_answer_is_told_and_is_no_fault(order: Order, monkeypatch) -> None:
    settle(Attempt.objects.get().pk)

    def silent(*args: object) -> None:
        raise gateway.GatewayUnavailable("no answer")

    monkeypatch.setattr("orders.stripe.account_activity.list_charges", silent)
    report = audit_books(later())
    assert (report.provider, report.faults) == (ProviderState.UNREACHABLE, [])
