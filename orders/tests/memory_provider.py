"""A payment provider in memory for tests that play thousands of histories; those of faults ask the sandbox by HTTP.

It keeps what the shop relies on: idempotency keys, no more back than was captured, nothing back from a disputed charge.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import pytest
from django.utils import timezone

from orders.models import Attempt
from orders.stripe import gateway
from orders.stripe.facts import DisputeFacts, RefundFacts


@dataclass
class Charge:
    """A charge of the provider; its id is the attempt's."""

    charge_id: str
    captured: int
    refunds: dict[str, RefundFacts] = field(default_factory=dict)
    disputes: dict[str, DisputeFacts] = field(default_factory=dict)

    @property
    def given_back(self) -> int:
        return sum(
            refund.amount_cents
            for refund in self.refunds.values()
            if refund.status in ("pending", "requires_action", "succeeded")
        )

    @property
    def kept(self) -> int:
        """What the shop has of it now, in cents."""
        taken = sum(dispute.amount_cents for dispute in self.disputes.values() if dispute.status != "won")
        back = sum(refund.amount_cents for refund in self.refunds.values() if refund.status == "succeeded")
        return self.captured - back - taken

    @property
    def disputed(self) -> bool:
        return any(dispute.status != "won" for dispute in self.disputes.values())


class MemoryProvider:
    """`begins` is the status that the next refunds start with. `lost` makes the next answer go missing."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Forget everything."""
        self.charges: dict[str, Charge] = {}
        self.begins = "succeeded"
        self.lost = False
        self._keys: dict[str, RefundFacts] = {}
        # Copied with the provider, which Python 3.14 refuses for `itertools.count`.
        self._numbers = iter(range(1, 1_000_000))

    def charge(self, attempt: Attempt) -> Charge:
        """The charge behind an attempt, which is told to the provider when it is first spoken of."""
        attempt.refresh_from_db()
        assert attempt.intent_id
        assert attempt.charge_id
        return self.charges.setdefault(attempt.intent_id, Charge(attempt.charge_id, attempt.amount_cents))

    def create_refund(self, *, key: str, intent_id: str, amount_cents: int, refund_id: str) -> RefundFacts:
        made = self._keys.get(key)
        if made is None:
            made = self._make(intent_id, amount_cents, {"refund": refund_id})
            self._keys[key] = made
        if self.lost:
            self.lost = False
            raise gateway.GatewayUnavailable("the answer was lost")
        return made

    def refund_elsewhere(self, attempt: Attempt, cents: int) -> RefundFacts:
        self.charge(attempt)
        return self._make(str(attempt.intent_id), cents, {})

    def _make(self, intent_id: str, cents: int, metadata: dict[str, str]) -> RefundFacts:
        charge = self._charge(intent_id)
        if charge.disputed:
            raise gateway.GatewayRefused("has been charged back", "charge_disputed")
        left = charge.captured - charge.given_back
        if left == 0:
            raise gateway.GatewayRefused("has already been refunded", "charge_already_refunded")
        if cents > left:
            raise gateway.GatewayRefused("greater than unrefunded amount on charge")
        made = RefundFacts(
            f"re_{next(self._numbers)}", cents, self.begins, "", charge.charge_id, intent_id, metadata,
            moved_at=timezone.now(),
        )  # fmt: skip
        charge.refunds[made.refund_id] = made
        return made

    def settle_refund(self, refund_id: str, status: str) -> bool:
        """A pending refund succeeds or fails, one that succeeded fails; a failure is final. True if that was news."""
        for charge in self.charges.values():
            known = charge.refunds.get(refund_id)
            if known is not None and known.status not in (status, "failed"):
                failure = "expired_or_canceled_card" if status == "failed" else ""
                returned = timezone.now() if status == "failed" and known.status == "succeeded" else None
                charge.refunds[refund_id] = replace(
                    known, status=status, failure=failure, returned_at=returned
                )
                return True
        return False

    def forget_keys(self) -> None:
        """A day has gone by."""
        self._keys.clear()

    def open_dispute(self, attempt: Attempt, cents: int | None = None) -> str:
        charge = self.charge(attempt)
        dispute_id = f"du_{next(self._numbers)}"
        charge.disputes[dispute_id] = DisputeFacts(
            dispute_id, cents or charge.captured, "needs_response", "fraudulent", None,
            opened_at=timezone.now(), moved_at=timezone.now(),
        )  # fmt: skip
        return dispute_id

    def move_dispute(self, dispute_id: str, status: str, answer_by: datetime | None = None) -> None:
        for charge in self.charges.values():
            if dispute_id in charge.disputes:
                returned = timezone.now() if status == "won" else None
                charge.disputes[dispute_id] = replace(
                    charge.disputes[dispute_id], status=status, returned_at=returned, answer_by=answer_by
                )

    def list_refunds(self, intent_id: str) -> list[RefundFacts]:
        """Newest first, as Stripe does."""
        return list(reversed(self._charge(intent_id).refunds.values()))

    def list_disputes(self, intent_id: str) -> list[DisputeFacts]:
        return list(self._charge(intent_id).disputes.values())

    def _charge(self, intent_id: str) -> Charge:
        if intent_id not in self.charges:
            self.charge(Attempt.objects.get(intent_id=intent_id))
        return self.charges[intent_id]

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("create_refund", "list_refunds", "list_disputes"):
            replacement: Any = getattr(self, name)
            monkeypatch.setattr(gateway, name, replacement)
