"""What follows a refused charge: the bank's reason decides, and the calendar is the same for everybody.

Pure: no database, no clock.
"""

from datetime import date, timedelta
from enum import StrEnum

STEP_DAYS = (3, 7, 14)
"""Days after the first refusal on which the card is tried again, or the customer is reminded of the link."""
MAX_TRIES = 4
"""Charges of one payment without the customer. Card networks allow more; a customer's patience does not."""

AUTHENTICATION_REQUIRED = "authentication_required"
RESUMED = "resumed"
"""No bank's word: the agreed day passed while a withdrawal had stopped the payment, so that its customer pays it."""
# Trying these again can't succeed, and networks fine shops that do.
_NEVER_AGAIN = frozenset(
    {
        "card_not_supported", "currency_not_supported", "expired_card", "fraudulent", "highest_risk_level",
        "incorrect_cvc", "incorrect_number", "invalid_account", "invalid_amount", "invalid_cvc", "invalid_expiry_month",
        "invalid_expiry_year", "invalid_number", "lost_card", "merchant_blacklist", "new_account_information_available",
        "no_action_taken", "pickup_card", "resource_missing", "restricted_card", "revocation_of_all_authorizations",
        "revocation_of_authorization", "security_violation", "service_not_allowed", "stolen_card", "stop_payment_order",
        "transaction_not_allowed",
    }
)  # fmt: skip
_ADVICE_NEVER = frozenset({"do_not_try_again", "confirm_card_data"})


class Refusal(StrEnum):
    """How a refused charge may go on."""

    RETRY = "retry"
    """The same card may pay on another day."""
    AUTHENTICATE = "authenticate"
    """The bank wants its customer's authentication: only a page can collect this payment."""
    CARD_IS_DEAD = "card_is_dead"
    """This card is never charged again."""


def classify(error_code: str, advice_code: str = "") -> Refusal:
    """Return how a refused charge may go on. An unknown reason may be tried again: the number of tries is limited."""
    if error_code == AUTHENTICATION_REQUIRED:
        return Refusal.AUTHENTICATE
    if error_code in _NEVER_AGAIN or advice_code in _ADVICE_NEVER:
        return Refusal.CARD_IS_DEAD
    return Refusal.RETRY


def next_step(*, first: date, today: date) -> date | None:
    """Return the day of the next try or reminder after `today`, counted from the first refusal; None after the last."""
    days = ((first + timedelta(days=step)) for step in STEP_DAYS)
    return next((day for day in days if day > today), None)
