"""What the admin's pages of orders cost in queries: no more for many rows than for few."""

from __future__ import annotations

import itertools
from datetime import date
from decimal import Decimal

import pytest
from django.contrib import admin as django_admin
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.tests.people import make_admin, make_member
from orders.models import (
    DeliveryStop,
    Discrepancy,
    DiscrepancyKind,
    Dispute,
    DisputeState,
    InstallmentPause,
    Order,
    RefundRequest,
    ShippingZone,
    StoredCard,
    StripeEvent,
    Territory,
    VatRate,
    WithdrawalCase,
    WorkshopClosure,
)
from orders.selectors.refund_rules import ReturnedLine
from orders.services.fulfilment.status_changes import change_status
from orders.services.withdrawals.declarations import Declaration, declare_withdrawal
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.refunding import refund, send_all
from shop.core.staff_admin import RecordAdmin

pytestmark = [pytest.mark.both_engines, pytest.mark.django_db, pytest.mark.usefixtures("provider")]

NUMBERS = itertools.count(1)
# Tables that the shop itself fills in, a few rows each.
SHEETS = {DeliveryStop, ShippingZone, Territory, VatRate}
# Those of `RecordAdmin`, of every app: tests/permissions/test_records.py.
LISTS = sorted(
    (
        model
        for model, row_admin in django_admin.site._registry.items()
        if model._meta.app_label == "orders"
        and model not in SHEETS
        and not isinstance(row_admin, RecordAdmin)
    ),
    key=lambda model: model._meta.model_name,
)


def busy_order(*, lines: int = 2, steps: int = 2, parts: int = 1) -> Order:
    """An order of a member with everything that may happen to one: sent, withdrawn, refunded, disputed, doubted."""
    number = next(NUMBERS)
    pieces = [
        (make_product(f"Pièce {number}-{index}", "20.00", stock_quantity=5), 2) for index in range(lines)
    ]
    order = pay_order(
        make_order(*pieces, email=f"lea{number}@example.com", user=make_member(f"membre{number}@example.com"))
    )
    for step in range(steps):
        status = ("processing", "shipped")[step % 2]
        change_status(
            order_id=order.pk,
            status=status,
            reason="Essai.",
            actor=make_admin(f"equipe{number}-{step}@example.com"),
        )
    declaration = Declaration(name="Léa Martin", email=order.email, order_text=order.reference, language="fr")
    declare_withdrawal(
        declaration=declaration,
        key=declaration.submission_key(date(2026, 11, 23)),
        caller=f"192.0.2.{number}",
    )
    for _part in range(parts):
        refund(order, amount=Decimal("5.00"), actor=make_admin(f"caisse{number}-{_part}@example.com"))
    refund(order, lines=[ReturnedLine(order.items.first().pk, 1, True)])
    send_all()
    StoredCard.objects.create(
        order=order, customer_id="cus_1", payment_method_id=f"pm_{number}", last4="4242"
    )
    Dispute.objects.create(
        order=order, attempt=order.payments.get().attempts.get(), provider_id=f"dp_{number}", amount=Decimal("5.00"),
        state=DisputeState.WON, opened_at=timezone.now(),
    )  # fmt: skip
    Discrepancy.objects.create(
        order=order, kind=DiscrepancyKind.REFUND_DIFFERS, provider_id=f"re_{number}", amount=Decimal("5.00"),
        detail="Écart", found_at=timezone.now(),
    )  # fmt: skip
    InstallmentPause.objects.create(order=order, started_by="staff", reason="Retard.")
    StripeEvent.objects.create(event_id=f"evt_{number}", kind="charge.refunded", body={}, livemode=False)
    return order


def cost(staff_client: Client, address: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert staff_client.get(address).status_code == 200
    return len(queries)


def test_lists_cost_the_same_for_one_order_and_for_three(staff_client: Client):
    def costs() -> dict[str, int]:
        return {
            model.__name__: cost(staff_client, reverse(f"admin:orders_{model._meta.model_name}_changelist"))
            for model in LISTS
        }

    WorkshopClosure.objects.create(starts_on=date(2026, 8, 1), ends_on=date(2026, 8, 14))
    busy_order()
    costs()
    few = costs()
    for _order in range(2):
        busy_order()
    assert costs() == few
    assert [model.__name__ for model in LISTS if not model.objects.exists()] == []


@pytest.mark.parametrize("model", [Order, RefundRequest, WithdrawalCase], ids=lambda model: model.__name__)
def test_a_row_costs_the_same_with_a_short_history_and_a_long_one(staff_client: Client, model: type[Model]):
    def page(order: Order) -> str:
        row = order if model is Order else model.objects.filter(order=order).latest("pk")
        return reverse(f"admin:orders_{model._meta.model_name}_change", args=[row.pk])

    short, long = page(busy_order(lines=1, steps=1)), page(busy_order(lines=4, steps=6, parts=4))
    staff_client.get(short)
    # The goods of the long one have left: nobody asks what is to be sent. Of the short one a declaration names some.
    to_send = 2 if model is Order else 0
    assert cost(staff_client, long) + to_send == cost(staff_client, short)
