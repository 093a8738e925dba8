"""Numbers of documents that were sent and lost: what a backup does not have, and nobody may be given again.

Art. 242 nonies A CGI ann. II wants a number given once. That of a lost document is on paper at a customer's: the series
goes on behind it, and the audit knows why it jumps.
"""

from django.db import transaction
from django.db.models import Max

from orders.invoices.series import lock_series
from orders.models import Invoice, InvoiceGap, InvoiceSeries
from shop.core.audit import record_audit


def skip_lost_numbers(*, year: int, last_number: int, backup: str) -> InvoiceGap | None:
    """Have the series go on after `last_number`, and record what is skipped; None when it is past it already.

    Safe to repeat.
    """
    with transaction.atomic():
        series = lock_series(year)
        if series.last_number >= last_number:
            return None
        gap = InvoiceGap.objects.create(
            year=year, first_number=series.last_number + 1, last_number=last_number, backup=backup
        )
        series.last_number = last_number
        series.save(update_fields=["last_number"])
        record_audit(
            "invoice_series.skipped", series, actor=None, after={"numbers": str(gap), "backup": backup}
        )
        return gap


def last_known_number(year: int) -> int:
    """Return the highest number of the year that the shop has a document of; 0 for none. One query."""
    return Invoice.objects.filter(year=year).aggregate(last=Max("sequence"))["last"] or 0


def issued_numbers() -> dict[str, int]:
    """Return the last number of each year, as it is stored beside the backups. One query."""
    return {str(year): number for year, number in InvoiceSeries.objects.values_list("year", "last_number")}
