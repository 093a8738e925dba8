"""What the payment provider says, as small frozen facts. Amounts are whole cents of euros."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class PageLine:
    """A row of the payment page. `amount_cents` is the price of one unit; 0 for offered units."""

    name: str
    amount_cents: int
    quantity: int


@dataclass(frozen=True, slots=True)
class ChargeFacts:
    """`moved_at` is when the money came in; None when the provider does not say, as for a bank debit."""

    charge_id: str
    amount_cents: int
    currency: str
    refunded_cents: int
    disputed: bool
    moved_at: datetime | None


@dataclass(frozen=True, slots=True)
class CardFacts:
    """A card that the provider has saved for later charges."""

    customer_id: str
    payment_method_id: str
    brand: str
    last4: str
    expiry_month: int | None
    expiry_year: int | None


@dataclass(frozen=True, slots=True)
class CheckoutSessionFacts:
    """A Checkout Session in payment mode as the provider knows it now.

    `status` is open, complete or expired; `payment_status` is paid, unpaid or no_payment_required. `card` is the one
    that was saved for later charges, None when there is none.
    """

    checkout_session_id: str
    url: str
    status: str
    payment_status: str
    mode: str
    livemode: bool
    currency: str
    amount_cents: int
    client_reference_id: str
    metadata: dict[str, str]
    intent_id: str | None
    intent_status: str
    error_code: str
    charge: ChargeFacts | None
    card: CardFacts | None = None


@dataclass(frozen=True, slots=True)
class SetupSessionFacts:
    """A Checkout Session in setup mode, which only stores a card, as the provider knows it now.

    `status` is open, complete or expired. `card` is the one that its bank let the customer leave, None before.
    """

    checkout_session_id: str
    url: str
    status: str
    mode: str
    livemode: bool
    client_reference_id: str
    metadata: dict[str, str]
    customer_id: str
    card: CardFacts | None


@dataclass(frozen=True, slots=True)
class IntentFacts:
    """A charge without a page as the provider knows it now.

    `status` is succeeded, processing, requires_payment_method (refused), requires_action or `"canceled"`. `error_code`
    is the bank's reason (its decline code where there is one), `advice_code` what it advises to do.
    """

    intent_id: str
    status: str
    livemode: bool
    currency: str
    amount_cents: int
    metadata: dict[str, str]
    error_code: str
    advice_code: str
    charge: ChargeFacts | None


@dataclass(frozen=True, slots=True)
class RefundFacts:
    """`status` is pending, requires_action, succeeded, failed or `"canceled"`.

    `moved_at` is when the money left the shop, `returned_at` when that of a failed one was back, if that is known.
    """

    refund_id: str
    amount_cents: int
    status: str
    failure: str
    charge_id: str
    intent_id: str
    metadata: dict[str, str]
    moved_at: datetime
    returned_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class DisputeFacts:
    """`status` is needs_response, under_review, won or lost; one that begins with `warning_` moves no money.

    `answer_by` is when the bank closes the case without an answer. `moved_at` is when the bank took the money,
    `returned_at` when that of a won one was back, if that is known.
    """

    dispute_id: str
    amount_cents: int
    status: str
    reason: str
    answer_by: datetime | None
    opened_at: datetime
    moved_at: datetime
    returned_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class EventFacts:
    """A message of the provider. `body` is the whole event as it was sent."""

    event_id: str
    kind: str
    livemode: bool
    body: dict[str, Any]
