"""The customer of an erased order goes at the provider too, however often it takes."""

from __future__ import annotations

from datetime import timedelta
from itertools import count

import pytest
from django.utils import timezone

from orders.models import Attempt, AttemptState, DiscardedCard, DiscardedCustomer, Order, StoredCard
from orders.services.fulfilment.erasing import erase_order
from orders.services.fulfilment.status_changes import update_status
from orders.services.payments import checkout_sessions
from orders.services.payments.stored_cards import delete_discarded_cards, delete_discarded_customers
from orders.services.reconciliation import reconcile
from orders.stripe import gateway
from orders.stripe.stripe_api import calling
from orders.tasks import delete_customer, reconcile_payments
from orders.tests.factories import make_order, make_seller, pay_order
from shop.core.models import OutgoingMail

pytestmark = pytest.mark.django_db


@pytest.fixture
def erased() -> Order:
    make_seller()
    order = pay_order(make_order())
    for status in ("shipped", "delivered"):
        update_status(order_id=order.pk, status=status, actor=None)
    StoredCard.objects.create(order=order, customer_id="cus_1", payment_method_id="pm_1")
    OutgoingMail.objects.all().delete()
    assert erase_order(order.pk)
    return order


def test_an_erasure_asks_for_it_and_again_changes_nothing(erased, queued_tasks) -> None:
    assert list(DiscardedCustomer.objects.values_list("customer_id", flat=True)) == ["cus_1"]
    assert not StoredCard.objects.exists()
    assert list(DiscardedCard.objects.values_list("payment_method_id", flat=True)) == ["pm_1"]
    assert erase_order(erased.pk)
    assert DiscardedCustomer.objects.count() == 1


def test_a_provider_that_is_away_only_delays_it(erased, monkeypatch) -> None:
    def away(_customer_id: str) -> None:
        raise gateway.GatewayUnavailable("away")

    asked: list[str] = []
    monkeypatch.setattr(gateway, "delete_customer", away)
    with pytest.raises(gateway.GatewayUnavailable):
        delete_discarded_customers()
    assert DiscardedCustomer.objects.count() == 1
    monkeypatch.setattr(gateway, "delete_customer", asked.append)
    assert delete_discarded_customers() == 1
    assert delete_discarded_customers() == 0
    delete_customer("cus_1")
    assert asked == ["cus_1"]
    assert not DiscardedCustomer.objects.exists()


def test_the_provider_deletes_the_customer_and_one_that_is_gone_counts(fake_stripe) -> None:
    with calling() as v1:
        customer = v1.customers.create({"email": "zoe@example.com"})
    for name in (customer.id, "cus_never"):
        DiscardedCustomer.objects.create(customer_id=name)
    assert delete_discarded_customers() == 2
    with calling() as v1:
        assert v1.customers.retrieve(customer.id).deleted is True


@pytest.mark.parametrize(
    ("failure", "left"),
    [(gateway.GatewayUnavailable("500", stored=True), 1), (gateway.GatewayUnreachable("away"), 2)],
)
def test_one_that_fails_keeps_no_other_waiting_and_silence_does(monkeypatch, failure, left) -> None:
    order = make_order()
    for number in (1, 2):
        DiscardedCustomer.objects.create(customer_id=f"cus_{number}")
        DiscardedCard.objects.create(order=order, payment_method_id=f"pm_{number}")

    def fail(name: str) -> None:
        if name.endswith("_1"):
            raise failure

    monkeypatch.setattr(gateway, "delete_customer", fail)
    monkeypatch.setattr(gateway, "detach_payment_method", fail)
    for delete in (delete_discarded_customers, delete_discarded_cards):
        with pytest.raises(gateway.GatewayUnavailable):
            delete()
    assert DiscardedCustomer.objects.count() == left
    assert DiscardedCard.objects.filter(deleted_at=None).count() == left


def test_a_step_of_the_job_that_fails_keeps_no_other_waiting(monkeypatch, fail_first) -> None:
    DiscardedCustomer.objects.create(customer_id="cus_1")
    monkeypatch.setattr(gateway, "delete_customer", lambda _name: None)
    fail_first(reconcile, "reconcile_attempts")
    fail_first(checkout_sessions, "close_void_attempts")
    with pytest.raises(RuntimeError, match="unforeseen"):
        reconcile_payments(timezone.now())
    assert not DiscardedCustomer.objects.exists()


def test_a_slow_provider_ends_each_step_and_every_page_has_its_turn(monkeypatch) -> None:
    """CELERY_TASK_TIME_LIMIT ends the process of a longer job, whose next run would begin with the same pages."""
    old = timezone.now() - timedelta(hours=1)
    for number in range(3):
        attempts = Attempt.objects.filter(payment__order=make_order())
        attempts.update(state=AttemptState.SENT, checkout_session_id=f"cs_{number}", created_at=old)
    clock, asked = count(0, 15), []
    monkeypatch.setattr("shop.core.each_row.monotonic", lambda: next(clock))
    monkeypatch.setattr(reconcile, "settle", asked.append)
    runs = [reconcile.reconcile_attempts(timezone.now()) for _ in range(60)]
    assert runs == [2] * 60
    assert set(asked) == set(Attempt.objects.values_list("pk", flat=True))
