"""Money back: refunds by the API and by the "Dashboard", refunds that fail later, disputes.

Every function writes; call them inside `store.writing()`.
"""

from __future__ import annotations

from orders.stripe_sandbox import documents, store
from orders.stripe_sandbox.errors import Document, invalid, not_in_this_state
from orders.stripe_sandbox.events import emit
from orders.stripe_sandbox.models import StoredObject
from orders.stripe_sandbox.payments import schedule

SETTLE_REFUND = "settle_refund"
NEXT_REFUND = "next_refund"
_RESPONSE_DAYS = 7


def make_refund(
    charge: StoredObject, *, amount: int | None, reason: str | None, metadata: dict[str, str]
) -> StoredObject:
    """Refund a charge, the rest of it when `amount` (cents) is None.

    Raises ApiError: charge_disputed, charge_already_refunded, or more than what is left.
    """
    body = charge.body
    if not body["paid"]:
        raise not_in_this_state(
            f"This Charge ({charge.id}) was not paid and cannot be refunded.", param="charge"
        )
    if body["disputed"]:
        raise not_in_this_state(
            f"Charge {charge.id} has been charged back; cannot issue a refund.", code="charge_disputed"
        )
    left = body["amount_captured"] - body["amount_refunded"]
    if left == 0:
        raise not_in_this_state(
            f"Charge {charge.id} has already been refunded.", code="charge_already_refunded", param="charge"
        )
    amount = left if amount is None else amount
    if amount < 1:
        raise invalid("Invalid positive integer", code="parameter_invalid_integer", param="amount")
    if amount > left:
        raise not_in_this_state(
            f"Refund amount ({_euros(amount)}) is greater than unrefunded amount on charge ({_euros(left)})",
            param="amount",
        )
    plan = store.read_setting(NEXT_REFUND, None)
    refund = store.create(documents.refund(body, amount=amount, reason=reason, metadata=metadata))
    if plan:
        store.forget_setting(NEXT_REFUND)
        if plan["begins"] == "pending":
            refund.body |= {"status": "pending", "pending_reason": "processing"}
        if plan["ends"]:
            schedule(SETTLE_REFUND, refund.id, seconds=plan["seconds"], data={"status": plan["ends"]})
    _book(refund, kind="refund", amount=-amount, field="balance_transaction")
    _count(charge, amount)
    emit("charge.refunded", charge)
    emit("refund.created", refund)
    return refund


def settle_refund(refund: StoredObject, status: str) -> None:
    """A pending refund succeeds, or one that was thought done fails and the money is back with the shop."""
    if refund.body["status"] in (status, "failed"):
        return
    before = refund.body["status"]
    refund.body |= {"status": status, "pending_reason": None}
    if status == "failed":
        refund.body["failure_reason"] = "expired_or_canceled_card"
        _book(
            refund, kind="refund_failure", amount=refund.body["amount"], field="failure_balance_transaction"
        )
        _count(store.require("charge", refund.body["charge"]), -refund.body["amount"])
    store.save(refund)
    emit("refund.updated", refund, previous={"status": before})
    if status == "failed":
        emit("refund.failed", refund)


def open_dispute(charge: StoredObject, *, reason: str, amount: int | None) -> StoredObject:
    """The cardholder contests the charge. Raises ApiError when it is contested already or was not paid."""
    if charge.body["disputed"] or not charge.body["paid"]:
        raise not_in_this_state(f"Charge {charge.id} can't be disputed.", param="charge")
    due_by = int(store.now()) + _RESPONSE_DAYS * 24 * 3600
    body = documents.dispute(
        charge.body, amount=amount or charge.body["amount"], reason=reason, due_by=due_by
    )
    dispute = store.create(body)
    charge.body["disputed"] = True
    store.save(charge)
    _add_line(dispute, amount=-dispute.body["amount"], fee=documents.DISPUTE_FEE_CENTS)
    emit("charge.dispute.created", dispute)
    return dispute


def close_dispute(dispute: StoredObject, status: str) -> None:
    """`status`: won (the money comes back, the fee doesn't) or lost."""
    if dispute.body["status"] in ("won", "lost"):
        raise not_in_this_state(f"Dispute {dispute.id} is closed.", param="dispute")
    dispute.body["status"] = status
    if status == "won":
        _add_line(dispute, amount=dispute.body["amount"], fee=0)
    store.save(dispute)
    emit("charge.dispute.closed", dispute)


def _add_line(dispute: StoredObject, *, amount: int, fee: int) -> None:
    line = store.create(
        documents.balance_transaction(
            kind="adjustment", amount=amount, fee=fee, source=dispute.id, description="Chargeback"
        )
    )
    dispute.body["balance_transactions"].append(line.body)
    store.save(dispute)


def _book(refund: StoredObject, *, kind: str, amount: int, field: str) -> None:
    line = store.create(
        documents.balance_transaction(kind=kind, amount=amount, fee=0, source=refund.id, description=None)
    )
    refund.body[field] = line.id
    store.save(refund)


def _count(charge: StoredObject, amount: int) -> None:
    body: Document = charge.body
    body["amount_refunded"] += amount
    body["refunded"] = body["amount_refunded"] == body["amount_captured"]
    store.save(charge)


def _euros(cents: int) -> str:
    return f"€{cents // 100}.{cents % 100:02d}"
