"""The test cards: Stripe's own numbers, named by their last four digits, and what the bank says to each."""

from __future__ import annotations

from dataclasses import dataclass

from orders.stripe_sandbox.errors import Document


@dataclass(frozen=True, slots=True)
class Decline:
    """A bank's no. `advice_code` tells the shop whether trying again makes sense."""

    code: str
    decline_code: str | None
    message: str
    advice_code: str | None
    network_decline_code: str | None = None
    param: str | None = None

    def as_error(self) -> Document:
        """The error's fields, as they stand in an answer and in `last_payment_error`."""
        error: Document = {
            "type": "card_error",
            "code": self.code,
            "doc_url": f"https://stripe.com/docs/error-codes/{self.code.replace('_', '-')}",
            "message": self.message,
        }
        for name in ("decline_code", "advice_code", "network_decline_code", "param"):
            if value := getattr(self, name):
                error[name] = value
        return error


@dataclass(frozen=True, slots=True)
class Card:
    """`decline` None: the bank pays. `asks_every_time`: it wants the cardholder at each payment."""

    name: str
    number: str
    decline: Decline | None = None
    asks_every_time: bool = False


NOT_AUTHENTICATED = Decline(
    "payment_intent_authentication_failure",
    None,
    "We are unable to authenticate your payment method. Please choose a different payment method and try again.",
    None,
)
SETUP_NOT_AUTHENTICATED = Decline(
    "setup_intent_authentication_failure",
    None,
    "The latest attempt to set up the payment method has failed because authentication failed.",
    None,
)
AUTHENTICATION_REQUIRED = Decline(
    "authentication_required",
    "authentication_required",
    "Your card was declined. This transaction requires authentication.",
    "try_again_later",
)
GENERIC = Decline("card_declined", "generic_decline", "Your card was declined.", "try_again_later", "01")

CARDS = {
    card.name: card
    for card in (
        Card("4242", "4242424242424242"),
        Card("0002", "4000000000000002", GENERIC),
        Card(
            "9995",
            "4000000000009995",
            Decline(
                "card_declined",
                "insufficient_funds",
                "Your card has insufficient funds.",
                "try_again_later",
                "51",
            ),
        ),
        Card(
            "9979",
            "4000000000009979",
            Decline("card_declined", "stolen_card", "Your card was declined.", "do_not_try_again", "43"),
        ),
        Card(
            "9987",
            "4000000000009987",
            Decline("card_declined", "lost_card", "Your card was declined.", "do_not_try_again", "41"),
        ),
        Card("3184", "4000002760003184", asks_every_time=True),
        Card(
            "0069",
            "4000000000000069",
            Decline("expired_card", None, "Your card has expired.", "confirm_card_data", "54", "exp_month"),
        ),
        Card(
            "0119",
            "4000000000000119",
            Decline(
                "processing_error",
                None,
                "An error occurred while processing your card. Try again in a little bit.",
                "try_again_later",
            ),
        ),
    )
}
GOOD_CARD = "4242"


def decline_off_session(behaviour: str) -> Decline | None:
    """The bank's answer when the cardholder is away; None when it pays."""
    card = CARDS[behaviour]
    return AUTHENTICATION_REQUIRED if card.asks_every_time else card.decline
