"""The ledger against the provider's account, movement by movement, in both directions."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from orders.books.audit.faults import Fault
from orders.services.reconciliation import comparison
from orders.stripe import statement


def check_provider(now: datetime) -> Iterator[Fault]:
    """Every charge, refund and dispute since the ledger's first entry. Raises what `gateway` raises.

    Movements of other sites on the same account are left alone.
    """
    entries = comparison.movements_of_provider()
    first = entries.order_by("occurred_at").values_list("occurred_at", flat=True).first()
    if first is None:
        return
    since, until = first - timedelta(days=1), now - comparison.SETTLED_AFTER
    charges = list(statement.list_charges(since, until))
    refunds = list(statement.list_refunds(since, until))
    disputes = list(statement.list_disputes(since, until))
    ledger = comparison.read_ledger(charges, refunds, disputes)
    found = [
        *(
            comparison.charge_difference(charge, ledger)
            for charge in charges
            if ledger.owns(charge.intent_id, charge.metadata)
        ),
        *(comparison.refund_difference(refund, ledger) for refund in refunds),
        *(comparison.dispute_difference(dispute, ledger) for dispute in disputes),
    ]
    for difference in found:
        if difference is not None:
            yield Fault("provider", difference.provider_id, difference.detail)
    listed = {
        *(charge.charge_id for charge in charges),
        *(refund.refund_id for refund in refunds),
        *(dispute.dispute_id for dispute in disputes),
    }
    for entry in entries.filter(created_at__lte=until).order_by("pk").iterator():
        if entry.provider_id not in listed:
            yield Fault("provider", entry.provider_id, _("Au grand livre, inconnu de Stripe."))
