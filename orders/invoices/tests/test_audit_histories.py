"""Whatever customers, banks, staff and workers do, the audit finds the books whole at every step."""

from __future__ import annotations

import pytest
from django.utils import timezone
from hypothesis.stateful import invariant

from orders.books.audit import audit_books
from orders.models import Invoice, Refund, RefundReason, RefundState
from orders.tests.factories import make_product, make_seller, make_zones
from orders.tests.histories import OrderHistories
from orders.tests.installments import offer_installments
from orders.tests.memory_provider import MemoryProvider
from shop.core.tests.histories import play

pytestmark = pytest.mark.postgres


class AuditedHistories(OrderHistories):
    """The same histories. What an audit may tell: refunds that the bank refused, after their credit note or of money
    that came twice or too late, which the shop then keeps and does not own."""

    most_documents = 0

    @invariant()
    def the_audit_finds_nothing(self) -> None:
        faults = audit_books(timezone.now(), with_provider=False).faults
        failed = "son remboursement a échoué après l'émission"
        stuck = tuple(
            Refund.objects.filter(
                reason__in=(RefundReason.DUPLICATE, RefundReason.UNAVAILABLE), state=RefundState.FAILED
            ).values_list("order__reference", flat=True)
        )
        unexpected = [
            fault
            for fault in faults
            if fault.check != "document"
            and fault.detail != failed
            and not (fault.check in ("payment", "ledger") and fault.subject.startswith(stuck))
        ]
        assert unexpected == []
        AuditedHistories.most_documents = max(AuditedHistories.most_documents, Invoice.objects.count())


@pytest.mark.django_db
def test_no_history_of_orders_makes_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    make_seller()
    make_zones()
    offer_installments()
    AuditedHistories.products = [
        make_product("Golem", "30.00", stock_quantity=5, promotion_active=True, promotion_type="buy_2_get_1"),
        make_product("Hibou", "79.99"),
        make_product("Renard", "0.70", stock_quantity=3),
    ]
    AuditedHistories.started_with = {
        product.pk: product.stock_quantity for product in AuditedHistories.products
    }
    AuditedHistories.provider = MemoryProvider()
    AuditedHistories.provider.install(monkeypatch)
    play(AuditedHistories, usually=8, steps=16)
    assert AuditedHistories.most_documents > 2
