"""Payouts to the bank account: made by themselves once lines are available, or by the control surface.

Every function writes; call them inside `store.writing()`.
"""

from __future__ import annotations

from orders.stripe_sandbox import documents, store
from orders.stripe_sandbox.events import emit
from orders.stripe_sandbox.models import StoredObject

PAY_OUT = "pay_out"
AVAILABLE_AFTER_SECONDS = 2 * 24 * 3600


def pay_out(*, everything: bool = False) -> StoredObject | None:
    """Send what is available to the bank, with `everything` what is not available yet too; None when that is nothing
    or less. The lines of the balance that it consists of are those that lists find by it."""
    moment = int(store.now())
    lines = [
        line
        for line in StoredObject.objects.filter(kind="balance_transaction").order_by("number")
        if not line.private.get("payout") and (everything or line.body["available_on"] <= moment)
    ]
    amount = sum(line.body["net"] for line in lines)
    if amount <= 0:
        return None
    payout = store.create(documents.payout(amount))
    line = store.create(
        documents.balance_transaction(
            kind="payout", amount=-amount, fee=0, source=payout.id, description="STRIPE PAYOUT"
        )
    )
    for each in (*lines, line):
        each.private = {**each.private, "payout": payout.id}
        each.body["status"] = "available"
        store.save(each)
    payout.body["balance_transaction"] = line.id
    store.save(payout)
    emit("payout.paid", payout)
    return payout
