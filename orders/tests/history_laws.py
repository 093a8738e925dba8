"""The laws of the books that every history of orders must keep, after each step and at its end."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Any

from django.utils import timezone
from hypothesis.stateful import invariant

from catalog.models import Product
from orders.books.staff_tasks import staff_tasks
from orders.models import (
    Attempt,
    Dispute,
    Invoice,
    LedgerEntry,
    Order,
    OrderStatus,
    Payment,
    PaymentState,
    PieceStage,
    Refund,
    RefundLine,
    RefundState,
    ShipmentLine,
    StockHold,
    WithdrawalCase,
    WithdrawalState,
    WorkPiece,
)
from orders.models.order import CLOSED_STATUSES
from orders.models.payment import OPEN_DISPUTES, OPEN_PAYMENTS, REFUNDS_UNDER_WAY
from orders.models.states import TRANSITIONS
from orders.selectors.money import money_outcome, with_undecided_money
from orders.selectors.refund_debts import debts
from orders.selectors.refund_rules import charge_left, charges_left, refundable
from orders.selectors.shipments import units_to_send
from orders.selectors.withdrawals import has_left
from orders.selectors.workshop import awaited, is_awaited
from orders.services.refunds.disputes import sync_disputes
from orders.services.refunds.sending import send_refund, sync_refunds
from orders.stripe.facts import DisputeFacts, RefundFacts
from orders.tests.memory_provider import MemoryProvider

ZERO = Decimal("0.00")
COLLECTED = ("charge", "refund", "refund_failed")
WAYS = {(str(source), str(row.target)) for row in TRANSITIONS for source in row.sources}
PAID_STATES = (PaymentState.PAID, PaymentState.PARTLY_REFUNDED, PaymentState.REFUNDED)


class HistoryLaws:
    """What a state machine inherits that plays orders. `started_with` is the stock of its `products` at the start."""

    products: list[Product]
    started_with: dict[int, int | None]
    provider: MemoryProvider
    played: Counter[str]

    @invariant()
    def no_charge_gives_back_more_than_it_brought(self) -> None:
        for charge in self.provider.charges.values():
            assert charge.given_back <= charge.captured
        under_way = Refund.objects.filter(state__in=(*REFUNDS_UNDER_WAY, RefundState.SUCCEEDED))
        committed: Counter[Any] = Counter()
        for attempt_id, amount in under_way.exclude(reason="external").values_list("attempt_id", "amount"):
            committed[attempt_id] += amount
        for attempt_id, amount in committed.items():
            assert amount * 100 <= Attempt.objects.get(pk=attempt_id).amount_cents

    @invariant()
    def stock_is_never_negative_nor_invented(self) -> None:
        kept: Counter[int] = Counter()
        for hold in StockHold.objects.exclude(state="released"):
            kept[hold.product_id or 0] += hold.quantity
        for line in RefundLine.objects.filter(restocked=True).select_related("item"):
            kept[line.item.product_id or 0] -= line.quantity
        for product in Product.objects.filter(pk__in=[product.pk for product in self.products]):
            start = self.started_with[product.pk]
            if start is None:
                assert product.stock_quantity is None
            else:
                assert product.stock_quantity is not None
                assert product.stock_quantity >= 0
                assert product.stock_quantity + kept[product.pk] == start

    @invariant()
    def the_ledger_balances_with_payments_and_order(self) -> None:
        for order in Order.objects.prefetch_related("payments__ledger"):
            for payment in order.payments.all():
                kept = sum((row.amount for row in payment.ledger.all() if row.kind in COLLECTED), ZERO)
                if payment.state in PAID_STATES:
                    expected = PaymentState.PARTLY_REFUNDED
                    if kept <= 0:
                        expected = PaymentState.REFUNDED
                    elif kept >= payment.amount:
                        expected = PaymentState.PAID
                    if not self.automatic_under_way(payment):
                        assert payment.state == expected, (payment.state, kept, payment.amount)
            # Staff may say it while the money is on its way.
            by_hand = order.events.filter(name="order.status_changed", data__after="refunded").exists()
            if order.status == OrderStatus.REFUNDED and not by_hand:
                assert (refundable(order), debts(order)) == (ZERO, [])
                assert (
                    not Refund.objects.filter(order=order, state__in=REFUNDS_UNDER_WAY)
                    .exclude(reason__in=("duplicate", "unavailable"))
                    .filter(replaces=None)
                    .exists()
                )

    @invariant()
    def nothing_is_owed_beyond_the_order(self) -> None:
        """Whatever was stopped and resumed: the parts that are owed or were paid never exceed the total."""
        for order in Order.objects.prefetch_related("payments"):
            counted = (*PAID_STATES, *OPEN_PAYMENTS)
            owed = sum((row.amount for row in order.payments.all() if row.state in counted), ZERO)
            assert owed <= order.total

    @invariant()
    def documents_follow_the_money(self) -> None:
        """An invoice less its credit notes is what was kept, is to come, or is on its way to the customer."""
        for order in Order.objects.filter(invoices__kind="invoice").distinct():
            notes = sum(
                Invoice.objects.filter(order=order, kind="credit_note").values_list("total", flat=True)
            )
            assert -order.total <= notes <= 0
            for request in order.refund_requests.filter(settled_at__isnull=False):
                assert request.credit_note.total == -request.amount

    @invariant()
    def a_status_changes_by_the_table_only(self) -> None:
        """The journal's changes form one chain of ways of the table, from `pending` to the status of now."""
        for order in Order.objects.prefetch_related("events", "tracking"):
            status = str(OrderStatus.PENDING)
            for event in order.events.all():
                if event.name.startswith("delivery.") or not {"before", "after"} <= event.data.keys():
                    continue
                assert (event.data["before"], event.data["after"]) in WAYS, event.data
                assert event.data["before"] == status
                status = event.data["after"]
            assert order.status == status
            steps = [step for step in order.tracking.all() if not step.undone]
            if order.paid_at is not None:
                assert steps[0].status == order.status, "what the customer reads"
            assert (order.cancelled_at is not None) or order.status != OrderStatus.CANCELLED
            assert (order.shipped_at is not None) or order.status != OrderStatus.SHIPPED
            assert (order.delivered_at is None) == (
                (order.status_before_closing or order.status) != OrderStatus.DELIVERED
            )

    @invariant()
    def pieces_are_where_parcels_and_refunds_say(self) -> None:
        for order in Order.objects.filter(paid_at__isnull=False).prefetch_related("items"):
            to_send = units_to_send(order)
            for item in order.items.all():
                live = ShipmentLine.objects.filter(item=item, shipment__undone_at=None)
                pieces = WorkPiece.objects.filter(item=item)
                sent = pieces.filter(stage=PieceStage.SHIPPED, shipment__undone_at=None)
                assert sum(live.values_list("quantity", flat=True)) == item.sent_quantity == sent.count()
                here = pieces.exclude(stage=PieceStage.SHIPPED).filter(is_cancelled=False).count()
                closed = order.status in CLOSED_STATUSES
                assert here == (0 if closed else to_send[item.pk]), (here, to_send, order.status)
            assert order.status not in (OrderStatus.SHIPPED, OrderStatus.DELIVERED) or not any(
                to_send.values()
            )

    @invariant()
    def one_order_is_awaited_as_lists_say(self) -> None:
        listed = set(Order.objects.filter(awaited()).values_list("pk", flat=True))
        assert {order.pk for order in Order.objects.all() if is_awaited(order)} == listed

    @invariant()
    def nothing_is_awaited_that_never_left(self) -> None:
        """A piece that was sent and credited beside its declaration may still be on its way back; a person closes
        that case."""
        awaited = WithdrawalCase.objects.filter(state=WithdrawalState.GOODS_AWAITED, goods_received_at=None)
        for case in awaited.select_related("order", "withdrawal"):
            declared = case.withdrawal
            beside = RefundLine.objects.filter(
                request__order=case.order,
                request__withdrawal=None,
                request__created_at__gte=declared.declared_at,
                sent_quantity__gt=0,
            )
            if declared.lines.exists():
                beside = beside.filter(item__in=declared.lines.values("item"))
            assert beside.exists() or has_left(case.order, declared)

    @invariant()
    def what_the_customer_reads_of_the_money_is_what_moved(self) -> None:
        for order in Order.objects.filter(status__in=CLOSED_STATUSES).prefetch_related("payments"):
            told = money_outcome(order)
            charged = sum(order.ledger.filter(kind="charge").values_list("amount", flat=True), ZERO)
            parts = (told.refunded, told.under_way, told.failed, told.disputed, told.retained)
            assert sum(parts, ZERO) >= charged, (told, charged)
            assert told.to_come == ZERO
            assert told.to_come + told.voided <= order.total

    @invariant()
    def no_money_is_kept_in_silence(self) -> None:
        listed = set(with_undecided_money().values_list("pk", flat=True))
        for order in Order.objects.filter(status__in=CLOSED_STATUSES, retention_decision=""):
            # What a refund could not give back waits as a failed refund.
            failed = order.refunds.filter(state=RefundState.FAILED, replaced_by=None).exists()
            if any(charge.left for charge in charges_left(order)):
                assert failed or order.pk in listed, "kept, and nobody is asked"

    @invariant()
    def nothing_that_is_owed_is_forgotten(self) -> None:
        """An installment that is owed has a next step by itself, or waits for a person who is told so."""

        def waits(label: str) -> bool:
            return label in {task.several for task in staff_tasks(timezone.localdate())}

        owed = Payment.objects.filter(state__in=OPEN_PAYMENTS, position__gt=1).select_related("order")
        for payment in owed:
            order = payment.order
            if order.status == OrderStatus.PENDING:
                continue
            assert order.is_paid, "a closed order owes nothing"
            if order.installment_pauses.filter(ended_at=None).exists():
                assert waits("Échéances suspendues")
            elif payment.state == PaymentState.OVERDUE:
                assert waits("Échéances impayées")
            elif order.disputes.exclude(state="won").exists() or order.review_reason:
                assert waits("Commandes à vérifier")
            else:
                assert payment.state == PaymentState.SCHEDULED or payment.next_try_on is not None

    def what_is_owed_can_be_given_back(self) -> None:
        """No decision waits for money that its charge has not got any more, unless a bank holds it."""
        for order in Order.objects.exclude(disputes__state__in=OPEN_DISPUTES):
            owed: Counter[Any] = Counter()
            for debt in debts(order):
                owed[debt.refund.attempt] += debt.owed
            for attempt, amount in owed.items():
                assert amount <= charge_left(attempt)

    def what_was_given_back_whole_is_closed(self) -> None:
        undisputed = Order.objects.exclude(disputes__in=Dispute.objects.exclude(state="won"))
        for order in undisputed.filter(refund_requests__isnull=False).distinct():
            under_way = order.refunds.filter(state__in=REFUNDS_UNDER_WAY).exists()
            if not under_way and not refundable(order) and not debts(order):
                # Staff may have set « cancelled » afterwards.
                assert order.status in (OrderStatus.REFUNDED, OrderStatus.CANCELLED)

    def automatic_under_way(self, payment: Payment) -> bool:
        return payment.attempts.filter(refunds__reason__in=("duplicate", "unavailable")).exists()

    def everything_is_heard_of(self) -> None:
        """Every message arrives and every refund is sent: the books then say what the provider says."""
        for _again in range(2):
            for refund in Refund.objects.filter(state__in=(RefundState.REQUESTED, RefundState.SENT)):
                send_refund(refund.pk)
                self.played["sent"] += 1
            for intent_id in list(self.provider.charges):
                sync_refunds(intent_id)
                sync_disputes(intent_id)
        for charge in self.provider.charges.values():
            attempt = Attempt.objects.get(charge_id=charge.charge_id)
            for movement in (*charge.refunds.values(), *charge.disputes.values()):
                self.stands_on_its_day(movement)
            names = [charge.charge_id, *charge.refunds, *charge.disputes]
            booked = sum(LedgerEntry.objects.filter(provider_id__in=names).values_list("amount", flat=True))
            assert booked * 100 == charge.kept, (booked, charge)
            assert attempt.payment.order.ledger.filter(provider_id__in=names).count() >= 1
        self.no_charge_gives_back_more_than_it_brought()
        self.stock_is_never_negative_nor_invented()
        self.the_ledger_balances_with_payments_and_order()
        self.documents_follow_the_money()
        self.what_is_owed_can_be_given_back()
        self.what_was_given_back_whole_is_closed()

    def stands_on_its_day(self, movement: RefundFacts | DisputeFacts) -> None:
        name = movement.refund_id if isinstance(movement, RefundFacts) else movement.dispute_id
        days = dict(LedgerEntry.objects.filter(provider_id=name).values_list("kind", "occurred_at"))
        for kind, moment in days.items():
            told = movement.moved_at if kind in ("refund", "dispute") else movement.returned_at
            assert moment == told, (kind, moment, movement)
