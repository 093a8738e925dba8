"""Charges, refunds, disputes and events of the account over some days, to be compared with the shop's own books.

Every function calls the provider and belongs outside of transactions. Lists are read page by page, each page a call
of its own, so that a long list is not taken for a provider that has fallen silent. Raises what `gateway` raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from orders.stripe.facts import EventFacts, RefundFacts
from orders.stripe.provider_objects import refund_facts
from orders.stripe.stripe_api import GatewayRefused, calling
from orders.stripe.webhook_kinds import WEBHOOK_KINDS

PAGE = 100


@dataclass(frozen=True, slots=True)
class Charge:
    """Money that the provider collected. `returned_cents` is what has gone back of it."""

    charge_id: str
    intent_id: str
    amount_cents: int
    returned_cents: int
    currency: str
    metadata: dict[str, str]


@dataclass(frozen=True, slots=True)
class Dispute:
    """A charge that the customer's bank takes back. Asked questions (`warning_…`) have moved no money."""

    dispute_id: str
    intent_id: str
    amount_cents: int
    status: str

    @property
    def is_inquiry(self) -> bool:
        """Whether the bank only asks: no money has moved."""
        return self.status.startswith("warning_")


@dataclass(frozen=True, slots=True)
class BalanceLine:
    """A line of the account's balance: `amount_cents` is what moved, `fee_cents` what the provider kept of it."""

    line_id: str
    kind: str
    amount_cents: int
    fee_cents: int
    currency: str
    source_id: str
    created_at: datetime
    available_at: datetime


@dataclass(frozen=True, slots=True)
class PayoutFacts:
    """Money on its way to the bank; negative when the account's debts are collected there. `reference` is what the
    bank's statement may show."""

    payout_id: str
    amount_cents: int
    currency: str
    status: str
    is_automatic: bool
    created_at: datetime
    arrives_on: date
    reference: str


def list_charges(since: datetime, until: datetime) -> Iterator[Charge]:
    """Yield every charge made in between that was paid, newest first, of every shop on the account."""
    for charge in _pages(lambda v1, params: v1.charges.list(params), _between(since, until)):
        if charge.paid and charge.captured:
            yield _charge(charge)


def fetch_charge(charge_id: str) -> Charge | None:
    """Return one charge; None when the account has none of this name, or it was not paid."""
    charge = _retrieve(lambda v1: v1.charges.retrieve(charge_id))
    return _charge(charge) if charge is not None and charge.paid else None


def list_refunds(since: datetime, until: datetime) -> Iterator[RefundFacts]:
    """Yield every refund begun in between, newest first, whoever made it."""
    for refund in _pages(lambda v1, params: v1.refunds.list(params), _between(since, until)):
        yield refund_facts(refund)


def fetch_refund(refund_id: str) -> RefundFacts | None:
    """Return one refund; None when the account has none of this name."""
    refund = _retrieve(lambda v1: v1.refunds.retrieve(refund_id))
    return None if refund is None else refund_facts(refund)


def list_disputes(since: datetime, until: datetime) -> Iterator[Dispute]:
    """Yield every dispute opened in between, newest first."""
    for dispute in _pages(lambda v1, params: v1.disputes.list(params), _between(since, until)):
        yield _dispute(dispute)


def fetch_dispute(dispute_id: str) -> Dispute | None:
    """Return one dispute; None when the account has none of this name."""
    dispute = _retrieve(lambda v1: v1.disputes.retrieve(dispute_id))
    return None if dispute is None else _dispute(dispute)


def list_balance_lines(since: datetime, until: datetime) -> Iterator[BalanceLine]:
    """Yield every line of the account's balance written in between, newest first: charges, refunds, fees, payouts."""
    for line in _pages(lambda v1, params: v1.balance_transactions.list(params), _between(since, until)):
        yield _balance_line(line)


def list_lines_of_payout(payout_id: str) -> Iterator[BalanceLine]:
    """Yield what an automatic payout consists of, its own line included, newest first."""
    for line in _pages(lambda v1, params: v1.balance_transactions.list(params), {"payout": payout_id}):
        yield _balance_line(line)


def list_payouts(since: datetime, until: datetime) -> Iterator[PayoutFacts]:
    """Yield every payout begun in between, newest first."""
    for payout in _pages(lambda v1, params: v1.payouts.list(params), _between(since, until)):
        trace = getattr(payout, "trace_id", None)
        yield PayoutFacts(
            payout_id=payout.id,
            amount_cents=payout.amount,
            currency=payout.currency,
            status=payout.status,
            is_automatic=bool(payout.automatic),
            created_at=datetime.fromtimestamp(payout.created, UTC),
            arrives_on=datetime.fromtimestamp(payout.arrival_date, UTC).date(),
            reference=(getattr(trace, "value", None) or "") if trace else "",
        )


def list_events(since: datetime, until: datetime, *, delivered: bool) -> Iterator[EventFacts]:
    """Yield the events of that time that the webhook asks for, newest first: those that no call has delivered yet, or
    all of them."""
    params: dict[str, Any] = {**_between(since, until), "types": [*WEBHOOK_KINDS]}
    if not delivered:
        params["delivery_success"] = False
    for event in _pages(lambda v1, page: v1.events.list(page), params):
        yield EventFacts(
            event_id=event.id,
            kind=event.type,
            livemode=bool(event.livemode),
            body=event.to_dict(for_json=True),
        )


def _between(since: datetime, until: datetime) -> dict[str, Any]:
    return {"created": {"gte": int(since.timestamp()), "lte": int(until.timestamp())}}


def _pages(fetch: Callable[[Any, dict[str, Any]], Any], params: dict[str, Any]) -> Iterator[Any]:
    cursor: dict[str, Any] = {}
    while True:
        with calling() as v1:
            page = fetch(v1, {**params, **cursor, "limit": PAGE})
        yield from page.data
        if not page.has_more or not page.data:
            return
        cursor = {"starting_after": page.data[-1].id}


def _retrieve(fetch: Callable[[Any], Any]) -> Any | None:
    try:
        with calling() as v1:
            return fetch(v1)
    except GatewayRefused as error:
        if error.code == "resource_missing":
            return None
        raise


def _charge(charge: Any) -> Charge:
    return Charge(
        charge_id=charge.id,
        intent_id=_id(charge.payment_intent),
        amount_cents=charge.amount_captured,
        returned_cents=charge.amount_refunded,
        currency=charge.currency,
        metadata=dict(charge.metadata.to_dict()) if charge.metadata else {},
    )


def _balance_line(line: Any) -> BalanceLine:
    return BalanceLine(
        line_id=line.id,
        kind=line.type,
        amount_cents=line.amount,
        fee_cents=line.fee,
        currency=line.currency,
        source_id=_id(line.source),
        created_at=datetime.fromtimestamp(line.created, UTC),
        available_at=datetime.fromtimestamp(line.available_on, UTC),
    )


def _dispute(dispute: Any) -> Dispute:
    return Dispute(
        dispute_id=dispute.id,
        intent_id=_id(dispute.payment_intent),
        amount_cents=dispute.amount,
        status=dispute.status,
    )


def _id(value: Any) -> str:
    """The name of an object that may come whole, as its name, or not at all."""
    if value is None:
        return ""
    return value if isinstance(value, str) else str(value.id)
