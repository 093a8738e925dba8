"""What the webhook endpoint asks Stripe to send: each fact by one kind of event.

The operator enters these kinds at Stripe (docs/operator.md). Others are accepted, too, and not
needed: `charge.succeeded`, `charge.updated` and `charge.refunded` tell once more what a session, a payment intent or a
refund tells.
"""

WEBHOOK_KINDS = (
    "charge.dispute.closed",
    "charge.dispute.created",
    "charge.dispute.funds_reinstated",
    "charge.dispute.funds_withdrawn",
    "charge.dispute.updated",
    "checkout.session.async_payment_failed",
    "checkout.session.async_payment_succeeded",
    "checkout.session.completed",
    "checkout.session.expired",
    "payment_intent.canceled",
    "payment_intent.payment_failed",
    "payment_intent.processing",
    "payment_intent.succeeded",
    "refund.created",
    "refund.failed",
    "refund.updated",
    "setup_intent.setup_failed",
)
"""At most 20: so many one call of Stripe's list of events takes."""
