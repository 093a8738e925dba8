"""An order in installments that ends when a part of it has left: what is credited, and what is lost."""

from __future__ import annotations

import pytest

from orders.books.audit_checks import check_ledger
from orders.models import Attempt, Order
from orders.selectors.refund_rules import ReturnedLine
from orders.services.fulfilment.shipments import ship_units
from orders.services.fulfilment.status_changes import change_status
from orders.services.refunds.disputes import sync_disputes
from orders.tests.disputes import dispute
from orders.tests.factories import make_order, make_product, pay_order
from orders.tests.installments import offer_installments
from orders.tests.refunding import EUROS, mails, refund, states
from orders.tests.withdrawing import declare

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("provider")]


def two_pieces(first: str, second: str) -> Order:
    """180.00 for two pieces: 60.00 are paid, twice 60.00 are due, and the first piece has left."""
    offer_installments()
    order = pay_order(
        make_order(
            (make_product("Golem", first), 1), (make_product("Hibou", second), 1), payment_mode="installments"
        )
    )
    ship_units(order_id=order.pk, units={order.items.get(product_name="Golem").pk: 1}, actor=None)
    order.refresh_from_db()
    assert (order.total, order.status) == (EUROS("180.00"), "confirmed")
    return order


def close(order: Order) -> Order:
    return change_status(
        order_id=order.pk, status="cancelled", actor=None, refund=False, reason="Le client ne répond plus."
    )


def credited(order: Order) -> list[object]:
    return list(order.invoices.filter(kind="credit_note").order_by("pk").values_list("total", flat=True))


@pytest.mark.parametrize(
    ("sent", "stays", "left", "note"),
    [
        # Earlier ones are lost first; one is lost in part.
        ("140.00", "40.00", [("written_off", 60), ("written_off", 20)], "-40.00"),
        ("120.00", "60.00", [("written_off", 60), ("void", 60)], "-60.00"),
        ("90.00", "90.00", [("written_off", 30), ("void", 60)], "-90.00"),
        # What was paid is worth more than what has left: nothing of it is unpaid.
        ("20.00", "160.00", [("void", 60), ("void", 60)], "-120.00"),
    ],
)
def test_what_never_left_is_credited_and_what_has_left_is_lost(sent, stays, left, note):
    order = close(two_pieces(sent, stays))
    assert order.status == "cancelled"
    assert states(order) == [("paid", 60), *left]
    assert credited(order) == [EUROS(note)]
    assert list(check_ledger()) == []
    # Said again, nothing more is written.
    close(order)
    assert (states(order), credited(order)) == ([("paid", 60), *left], [EUROS(note)])


def test_a_dispute_lost_credits_what_never_left(provider):
    order = two_pieces("140.00", "40.00")
    dispute_id = dispute(provider)
    provider.move_dispute(dispute_id, "lost")
    sync_disputes(Attempt.objects.get().intent_id)
    assert states(order) == [("paid", 60), ("written_off", 60), ("written_off", 20)]
    assert credited(order) == [EUROS("-40.00")]
    assert "refund_done" in mails(order)
    assert list(check_ledger()) == []


def test_what_was_credited_before_is_not_credited_again():
    order = two_pieces("140.00", "40.00")
    refund(order, amount=EUROS("10.00"))
    assert states(order) == [("paid", 60), ("scheduled", 60), ("scheduled", 50)]
    close(order)
    assert states(order) == [("paid", 60), ("written_off", 60), ("written_off", 10)]
    assert credited(order) == [EUROS("-10.00"), EUROS("-40.00")]
    assert list(check_ledger()) == []


def test_what_a_declaration_took_off_is_left_to_its_own_refund():
    order = two_pieces("90.00", "90.00")
    hibou = ReturnedLine(order.items.get(product_name="Hibou").pk, 1)
    declare(order, order=order, lines=(hibou,))
    assert states(order) == [("paid", 60), ("scheduled", 30), ("void", 60)]
    close(order)
    assert states(order) == [("paid", 60), ("written_off", 30), ("void", 60)]
    assert credited(order) == []
