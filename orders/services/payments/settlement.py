"""The only module by which a payment changes an order.

Webhook, return page and reconciliation all call `settle`. It asks the provider what is true, takes the locks in
one order (order, payment, attempt), compares, and moves forward only. The second caller finds the work done.
"""

import logging
import uuid
from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ObjectDoesNotExist
from django.db import transaction
from django.utils import timezone

from catalog.services.stock import OutOfStock
from orders.invoices.contracts import freeze_contract
from orders.invoices.issuing import issue_invoice
from orders.journal import record_event
from orders.ledger import book_movement
from orders.models import (
    CLOSED_STATUSES,
    LIVE_ATTEMPTS,
    Attempt,
    AttemptKind,
    AttemptState,
    LedgerKind,
    Order,
    OrderStatus,
    Payment,
    PaymentMode,
    PaymentState,
    RefundReason,
)
from orders.models.states import ActorKind
from orders.selectors.refunds import automatic_refund_of
from orders.services.carts.saved_carts import remove_paid_lines
from orders.services.installments.scheduled_payments import hold_charging, receive_installment, record_refusal
from orders.services.payments.mails import (
    mail_automatic_refund,
    mail_confirmation,
    mail_new_order,
    mail_review_alert,
)
from orders.services.payments.mismatches import bank_refused, find_charge_mismatch, find_mismatch, is_gone
from orders.services.payments.off_session import CARD_UNKNOWN, execute_charge
from orders.services.payments.stored_cards import discard_card, store_card
from orders.services.refunds.decisions import request_automatic_refund
from orders.services.refunds.disputes import sync_disputes
from orders.services.refunds.sending import sync_refunds
from orders.services.status.transitions import cancel_unpaid_order, transition
from orders.stripe import gateway
from orders.stripe.facts import ChargeFacts, CheckoutSessionFacts, IntentFacts
from shop.core.content_version import agreed_content_version
from shop.core.fragment_cache import fragments_of
from shop.core.log_lines import note_order
from shop.core.money import from_cents

logger = logging.getLogger(__name__)


def settle(attempt_id: uuid.UUID) -> str:
    """Bring an attempt and its order to what the provider says now, and return what the customer sees of the payment:
    paid, pending, failed or expired. Safe to run twice and at once.

    Raises GatewayError when the provider can't be asked, and DoesNotExist when staff delete the unpaid order meanwhile;
    nothing changes then.
    """
    attempt = Attempt.objects.select_related("payment").get(pk=attempt_id)
    order_id = attempt.payment.order_id
    note_order(order_id)
    if attempt.kind == AttemptKind.OFF_SESSION:
        _settle_charge(attempt)
        return _shown_status(attempt_id)
    if attempt.checkout_session_id is None or is_final(attempt):
        return _shown_status(attempt_id)
    facts = gateway.fetch_checkout_session(attempt.checkout_session_id)

    if facts.status == "expired":
        _close_expired(attempt, facts)
    elif facts.status == "complete":
        with transaction.atomic():
            order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
            payment = Payment.objects.select_for_update(no_key=True).get(pk=attempt.payment_id)
            current = Attempt.objects.select_for_update(no_key=True).get(pk=attempt_id)
            _apply_complete(order, payment, current, facts)
        if facts.payment_status == "unpaid" and bank_refused(facts):
            cancel_unpaid_order(
                order_id, reason="payment.failed", attempt_state=AttemptState.FAILED, by=ActorKind.PROVIDER
            )
        _follow_money(facts.intent_id, facts.charge)
    return _shown_status(attempt_id)


def is_final(attempt: Attempt) -> bool:
    """Return whether nothing that the provider says of this attempt can change anything: the further events of a
    payment, and its customer's way back, then cost neither a call nor a lock."""
    return attempt.state == AttemptState.SUCCEEDED and attempt.intent_id is not None


@dataclass(frozen=True, slots=True)
class VerifiedPayment:
    """`status` is paid, pending, failed or expired; `refunded` when a payment came too late and goes back."""

    order: Order
    status: str
    refunded: bool


def verify_payment(checkout_session_id: str) -> VerifiedPayment | None:
    """Ask the provider about a payment page of ours; None for a page that is not ours, or of an order that is deleted.

    When the provider can't be asked the answer is what is known: `pending` unless it was settled before.
    """
    attempt = Attempt.objects.filter(checkout_session_id=checkout_session_id).first()
    if attempt is None:
        return None
    try:
        status = settle(attempt.pk)
    except gateway.GatewayError:
        status = "paid" if attempt.state == AttemptState.SUCCEEDED else "pending"
    except ObjectDoesNotExist:
        return None
    order = Order.objects.filter(payments=attempt.payment_id).first()
    if order is None:
        return None
    refunded = order.status in CLOSED_STATUSES and automatic_refund_of(attempt) is not None
    return VerifiedPayment(order=order, status=status, refunded=refunded)


def _apply_complete(order: Order, payment: Payment, attempt: Attempt, facts: CheckoutSessionFacts) -> None:
    """The customer finished the page. Runs with all three rows locked and freshly read."""
    if facts.intent_id and attempt.intent_id is None:
        attempt.intent_id = facts.intent_id
        attempt.save(update_fields=["intent_id"])
    if attempt.state in (AttemptState.SUCCEEDED, AttemptState.REVIEW):
        return
    mismatch = find_mismatch(order, attempt, facts)
    if mismatch:
        _refuse_money(order, attempt, mismatch, gone=is_gone(facts.charge, facts.intent_status))
        return
    if facts.payment_status == "unpaid":
        # A bank debit takes days: the stock stays held until the bank has spoken.
        if attempt.state == AttemptState.SENT and not bank_refused(facts):
            _move(attempt, AttemptState.PROCESSING)
        elif attempt.kind == AttemptKind.LINK and attempt.state in LIVE_ATTEMPTS and bank_refused(facts):
            # At checkout the attempt ends with its order.
            _move(attempt, AttemptState.FAILED)
        return
    if facts.charge is None:
        _mark_for_review(order, attempt, "paid without a charge")
        return
    _book_charge(order, payment, attempt, facts.charge)
    if facts.card is None:
        return
    pays_later = order.payment_mode == PaymentMode.INSTALLMENTS and order.is_paid
    if not pays_later or store_card(order=order, card=facts.card) is None:
        # Refunded, or nothing is left to charge: the card must not stay with the provider.
        discard_card(order=order, payment_method_id=facts.card.payment_method_id)


def _settle_charge(attempt: Attempt) -> None:
    """A charge of the stored card: no page, so the charge itself is asked about."""
    if attempt.state == AttemptState.PREPARED:
        return
    refused = ""
    facts = None
    try:
        facts = execute_charge(attempt)
    except gateway.GatewayRefused as error:
        refused = error.code or "refused"
        logger.error("attempt %s: the charge was not accepted: %s", attempt.pk, error)
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=attempt.payment.order_id)
        payment = Payment.objects.select_for_update(no_key=True).get(pk=attempt.payment_id)
        current = Attempt.objects.select_for_update(no_key=True).get(pk=attempt.pk)
        if facts is not None:
            _apply_charge(order, payment, current, facts)
        elif current.state in LIVE_ATTEMPTS and refused == CARD_UNKNOWN:
            _refuse_charge(order, payment, current, refused, "")
        elif current.state in LIVE_ATTEMPTS and refused:
            hold_charging(payment=payment)
            _mark_for_review(order, current, f"charge not accepted: {refused}")
        elif current.state in LIVE_ATTEMPTS:
            _move(current, AttemptState.CANCELLED)
            record_event(order, "payment.never_charged", attempt=str(current.pk))
    if facts is not None:
        _follow_money(facts.intent_id, facts.charge)


def _follow_money(intent_id: str | None, charge: ChargeFacts | None) -> None:
    """What was refunded or disputed before the shop knew of the charge: its news came too early to be booked."""
    if intent_id is None or charge is None:
        return
    if charge.refunded_cents:
        sync_refunds(intent_id)
    if charge.disputed:
        sync_disputes(intent_id)


def _apply_charge(order: Order, payment: Payment, attempt: Attempt, facts: IntentFacts) -> None:
    """What the provider says of a charge. Runs with all three rows locked and freshly read."""
    if attempt.intent_id is None:
        attempt.intent_id = facts.intent_id
        attempt.save(update_fields=["intent_id"])
    if attempt.state in (AttemptState.SUCCEEDED, AttemptState.REVIEW):
        return
    mismatch = find_charge_mismatch(attempt, facts)
    if mismatch:
        _refuse_money(order, attempt, mismatch, gone=is_gone(facts.charge, facts.status))
    elif facts.charge is not None and facts.status == "succeeded":
        _book_charge(order, payment, attempt, facts.charge)
    elif attempt.state in LIVE_ATTEMPTS and facts.status == "processing":
        _move(attempt, AttemptState.PROCESSING)
    elif attempt.state in LIVE_ATTEMPTS:
        _refuse_charge(order, payment, attempt, facts.error_code or facts.status, facts.advice_code)


def _refuse_charge(order: Order, payment: Payment, attempt: Attempt, code: str, advice: str) -> None:
    attempt.error_code, attempt.advice_code = code[:100], advice[:60]
    _move(attempt, AttemptState.FAILED, "error_code", "advice_code")
    record_refusal(order=order, payment=payment, attempt=attempt)


def _book_charge(order: Order, payment: Payment, attempt: Attempt, charge: ChargeFacts) -> None:
    received = book_movement(
        order=order,
        payment=payment,
        kind=LedgerKind.CHARGE,
        amount=from_cents(charge.amount_cents),
        provider_id=charge.charge_id,
        reported_at=charge.moved_at,
        after=order.created_at,
    ).occurred_at
    attempt.charge_id = charge.charge_id
    _move(attempt, AttemptState.SUCCEEDED, "charge_id")
    record_event(order, "payment.received", charge=charge.charge_id, cents=charge.amount_cents)
    if payment.paid_at is not None or payment.merged_into_id is not None:
        # Paid before, whatever was refunded since: a second charge never revives what the first one was refunded for.
        _refund_automatically(order, attempt, RefundReason.DUPLICATE)
        return
    if payment.position > 1:
        # The order is confirmed already: a later installment pays itself, nothing else.
        if not receive_installment(order=order, payment=payment, attempt=attempt, paid_at=received):
            _refund_automatically(order, attempt, RefundReason.UNAVAILABLE)
        return
    if order.status not in (OrderStatus.PENDING, OrderStatus.CANCELLED):
        # A late payment never lifts an order that went on without it.
        _refund_automatically(order, attempt, RefundReason.UNAVAILABLE)
        return
    try:
        # A savepoint: the money was received whether or not the pieces are still there.
        with transaction.atomic():
            transition(
                order, OrderStatus.CONFIRMED, by=ActorKind.PROVIDER, at=received, event="order.confirmed"
            )
    except OutOfStock:
        payment.state = PaymentState.PAID
        payment.paid_at = received
        payment.save(update_fields=["state", "paid_at"])
        _refund_automatically(order, attempt, RefundReason.UNAVAILABLE)
        return
    _confirm(order, payment, received)


def _confirm(order: Order, payment: Payment, paid_at: datetime) -> None:
    payment.state = PaymentState.PAID
    payment.paid_at = paid_at
    payment.save(update_fields=["state", "paid_at"])
    remove_paid_lines(order)
    # The last lock of all, held until the commit: what follows only adds the rows of two mails.
    invoice = issue_invoice(order=order)
    # Contract and mails say of seller and territories what holds at this moment, as the invoice does.
    with fragments_of(agreed_content_version()):
        mail_confirmation(order, freeze_contract(order=order, invoice=invoice), invoice)
        mail_new_order(order)


def _refund_automatically(order: Order, attempt: Attempt, reason: RefundReason) -> None:
    mail_automatic_refund(order, request_automatic_refund(order=order, attempt=attempt, reason=reason))


def _close_expired(attempt: Attempt, facts: CheckoutSessionFacts) -> None:
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=attempt.payment.order_id)
        # All that `cancel_unpaid_order` locks, before the attempt: order, payments, attempts.
        list(Payment.objects.select_for_update(no_key=True).filter(order=order).order_by("position"))
        current = Attempt.objects.select_for_update(no_key=True).get(pk=attempt.pk)
        if current.state not in (AttemptState.PREPARED, AttemptState.SENT):
            return
        current.error_code = facts.error_code[:100]
        _move(current, AttemptState.EXPIRED, "error_code")
        # In one transaction: no job looks for the order of an attempt that is over, nor for its stock.
        cancel_unpaid_order(
            attempt.payment.order_id,
            reason="payment.expired",
            attempt_state=AttemptState.EXPIRED,
            by=ActorKind.PROVIDER,
        )


def hold_for_review(attempt_id: uuid.UUID, reason: str) -> None:
    """Stop an attempt that may still bring money, and have staff look at it. What is settled stays as it is."""
    attempt = Attempt.objects.select_related("payment").get(pk=attempt_id)
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=attempt.payment.order_id)
        current = Attempt.objects.select_for_update(no_key=True).get(pk=attempt_id)
        if current.state in LIVE_ATTEMPTS:
            _mark_for_review(order, current, reason)


def _refuse_money(order: Order, attempt: Attempt, reason: str, *, gone: bool) -> None:
    """Money that does not fit is never booked. Staff look at it, unless it is `gone` again."""
    if not gone:
        _mark_for_review(order, attempt, reason)
        return
    _move(attempt, AttemptState.CANCELLED)
    record_event(order, "payment.gone", attempt=str(attempt.pk), reason=reason)
    if not Attempt.objects.filter(payment__order=order, state__in=LIVE_ATTEMPTS).exists():
        cancel_unpaid_order(order.pk, reason="payment.failed", by=ActorKind.PROVIDER)


def _mark_for_review(order: Order, attempt: Attempt, reason: str) -> None:
    logger.error("order %s: payment kept for review: %s", order.pk, reason)
    _move(attempt, AttemptState.REVIEW)
    order.review_reason = reason[:200]
    order.save(update_fields=["review_reason", "updated_at"])
    record_event(order, "payment.review", attempt=str(attempt.pk), reason=reason)
    mail_review_alert(order, attempt, reason)


def _move(attempt: Attempt, state: AttemptState, *changed: str) -> None:
    """`changed` names the other columns that were set and are saved with it."""
    attempt.state = state
    attempt.settled_at = None if state == AttemptState.PROCESSING else timezone.now()
    attempt.save(update_fields=["state", "settled_at", *changed])


def _shown_status(attempt_id: uuid.UUID) -> str:
    state, order_status = Attempt.objects.values_list("state", "payment__order__status").get(pk=attempt_id)
    if state == AttemptState.SUCCEEDED:
        # Who has paid is never sent to the cart to pay again, whatever became of the order since.
        is_lost = order_status in CLOSED_STATUSES and automatic_refund_of(attempt_id) is not None
        return "failed" if is_lost else "paid"
    if state == AttemptState.FAILED:
        return "failed"
    if state in (AttemptState.EXPIRED, AttemptState.CANCELLED):
        return "expired"
    return "pending"
