"""The provider's account as it is paid out: every line of its balance and every payout, stored once each."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Max, Min, Sum

from orders.models import BalanceMovement, LedgerEntry, Payout, PayoutState
from orders.services.reconciliation.bank_statements import match_stored_lines
from orders.stripe import account_activity, gateway
from orders.stripe.account_activity import BalanceLine, PayoutFacts
from shop.core.each_row import each_row
from shop.core.money import from_cents, quantize

LOOK_BACK = timedelta(days=10)
"""A payout that was paid may still fail for some days; so far its status is asked again."""
CURRENCY = "eur"


def fetch_account(now: datetime) -> tuple[int, int]:
    """Store what is new since the last time, from the ledger's first entry on. Safe to repeat and to run twice at once.

    Returns how many lines and payouts are new. Raises what `gateway` raises: what was stored so far stays.
    """
    since = _since()
    if since is None:
        return 0, 0
    lines = _store_lines(account_activity.list_balance_lines(since, now))
    try:
        payouts = each_row(
            account_activity.list_payouts(min(since, _first_on_its_way() or since), now),
            _take_payout,
            ends=gateway.OUTAGES,
        )
    finally:
        match_stored_lines()
    return lines, payouts


def _take_payout(facts: PayoutFacts) -> bool:
    """Store a payout with its lines; return whether it is new."""
    if facts.currency != CURRENCY:
        return False
    payout, is_new = _store_payout(facts)
    if payout.is_automatic and not _adds_up(payout):
        found = list(account_activity.list_lines_of_payout(payout.provider_id))
        _store_lines(found)
        BalanceMovement.objects.filter(provider_id__in=[line.line_id for line in found]).update(payout=payout)
    return is_new


def _adds_up(payout: Payout) -> bool:
    """Return whether the lines of a payout are all there, its own among them. The provider lists some while it still
    sorts the others out."""
    lines = payout.movements.aggregate(left=Sum(F("amount") - F("fee")))
    return lines["left"] is not None and not quantize(lines["left"])


def _since() -> datetime | None:
    last: datetime | None = BalanceMovement.objects.aggregate(last=Max("occurred_at"))["last"]
    if last is not None:
        return last - LOOK_BACK
    first = LedgerEntry.objects.order_by("occurred_at").values_list("occurred_at", flat=True).first()
    return first - timedelta(days=1) if first is not None else None


def _first_on_its_way() -> datetime | None:
    """Return when the oldest payout was begun that has not ended yet: the first one of a new account takes weeks."""
    waiting = Payout.objects.filter(state__in=(PayoutState.PENDING, PayoutState.IN_TRANSIT))
    first: datetime | None = waiting.aggregate(first=Min("created_at"))["first"]
    return first


def _store_lines(lines: Iterable[BalanceLine]) -> int:
    before = BalanceMovement.objects.count()
    BalanceMovement.objects.bulk_create(
        (
            BalanceMovement(
                provider_id=line.line_id,
                kind=line.kind[:60],
                amount=from_cents(line.amount_cents),
                fee=from_cents(line.fee_cents),
                source_id=line.source_id,
                occurred_at=line.created_at,
                available_at=line.available_at,
            )
            for line in lines
            if line.currency == CURRENCY
        ),
        batch_size=500,
        ignore_conflicts=True,
    )
    return BalanceMovement.objects.count() - before


def _store_payout(facts: PayoutFacts) -> tuple[Payout, bool]:
    state = facts.status if facts.status in PayoutState.values else PayoutState.PENDING
    with transaction.atomic():
        return Payout.objects.update_or_create(
            provider_id=facts.payout_id,
            defaults={
                "amount": from_cents(facts.amount_cents),
                "state": state,
                "is_automatic": facts.is_automatic,
                "reference": facts.reference,
                "created_at": facts.created_at,
                "arrives_on": facts.arrives_on,
            },
        )
