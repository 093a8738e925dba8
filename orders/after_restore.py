"""After a backup was brought back: numbers that were given, and money that moved since."""

from orders.invoices.lost_numbers import last_known_number, skip_lost_numbers
from orders.services.reconciliation.since_backup import ask_since_backup
from shop.core.dates import shop_day
from shop.core.restored import Restored, after_restore


@after_restore("invoice numbers")
def skip_numbers_that_were_sent(restored: Restored) -> None:
    """The counter goes past the highest number that anybody received."""
    for year, number in sorted(restored.highest_invoices.items()):
        _skip(restored, year, number)


@after_restore("Stripe", asks_others=True)
def ask_provider(restored: Restored) -> None:
    """Each charge and refund that the shop does not know had a document: as many numbers are skipped at least."""
    found = ask_since_backup(restored.made_at, restored.now)
    restored.notes.append(f"Stripe: {found.healed} movements booked, {found.lost} of orders that are lost.")
    if found.paused:
        restored.notes.append(
            f"{found.paused} orders have a charge that the shop lost: their later installments are suspended "
            "(/admin, Échéances suspendues) until somebody has looked at Stripe."
        )
    if found.lost:
        year = shop_day(restored.now).year
        _skip(restored, year, last_known_number(year) + found.lost)


def _skip(restored: Restored, year: int, number: int) -> None:
    gap = skip_lost_numbers(year=year, last_number=number, backup=restored.name)
    if gap is not None:
        restored.notes.append(f"Numbers of documents that are lost, never given again: {gap}.")
