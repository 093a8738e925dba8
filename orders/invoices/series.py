"""The numbers of a year's series and the chain of hashes over it (art. 242 nonies A CGI ann. II).

The counter is a row, never a database sequence: a sequence uses up the number of a transaction that rolled back,
which leaves a gap. Whoever issues holds the row's lock until the end of its transaction, so numbers are given in
the order in which invoices are committed.
"""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.utils import timezone

from orders.mails import alert_clock
from orders.models import Invoice, InvoiceSeries
from shop.core.dates import shop_day

ALERT_BEYOND = timedelta(minutes=1)
"""A clock that is behind the last document by more is told to the workshop."""
STEPS_BACK = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ReservedNumber:
    """The next number of a series, reserved for the transaction that asked."""

    series: InvoiceSeries
    sequence: int
    issued_at: datetime

    @property
    def number(self) -> str:
        return f"F-{self.series.year}-{self.sequence:05d}"


def reserve_number() -> ReservedNumber:
    """Lock the series of the current year, made when it is the first of the year, and return its next number.

    Runs in the caller's transaction and is the last lock that it takes. The moment of issue is read under the
    lock: a transaction that waited past midnight on New Year's Eve issues in the new year. Dates never decrease within
    a series: with a clock that stepped back the moment of the last document is taken, and the workshop receives a mail.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("A number is taken in the transaction that issues the invoice.")
    year = _year_at(timezone.now())
    while True:
        series = lock_series(year)
        now = timezone.now()
        current = _year_at(now)
        if current == year:
            return ReservedNumber(series, series.last_number + 1, _moment(series, now))
        year = current


def _moment(series: InvoiceSeries, now: datetime) -> datetime:
    """When the next document of a locked series is issued."""
    issued = Invoice.objects.filter(year=series.year, sequence=series.last_number)
    last = issued.values_list("issued_at", flat=True).first()
    if last is None or last <= now:
        return now
    if last - now > ALERT_BEYOND:
        alert_clock("invoice", seconds=round((last - now).total_seconds()))
    return last


def assign_number(reserved: ReservedNumber, *, digest: str) -> None:
    """Move the counter past a number whose row has been written, and remember its hash for the next."""
    reserved.series.last_number = reserved.sequence
    reserved.series.last_hash = digest
    reserved.series.save(update_fields=["last_number", "last_hash"])


def chain_hash(*, number: str, data: dict[str, Any], previous_hash: str) -> str:
    """Return the SHA-256 over number, content and the hash before it, in a form that no database reorders."""
    text = json.dumps(
        [number, previous_hash, data], ensure_ascii=False, sort_keys=True, separators=(",", ":")
    )
    return hashlib.sha256(text.encode()).hexdigest()


def _year_at(now: datetime) -> int:
    """The year whose series goes on: that of the day, or the next one when it began before the clock stepped back over
    midnight. A clock that had been wrong by more than a day is not followed."""
    year, soon = shop_day(now).year, now + STEPS_BACK
    if shop_day(soon).year > year and Invoice.objects.filter(year=year + 1, issued_at__lte=soon).exists():
        return year + 1
    return year


def lock_series(year: int) -> InvoiceSeries:
    """Return the series of a year, made when there is none, locked until the end of the caller's transaction."""
    rows = InvoiceSeries.objects.select_for_update().filter(year=year)
    series = rows.first()
    if series is None:
        # Two firsts of a year: the second waits on the unique year, then finds the row of the first.
        InvoiceSeries.objects.bulk_create([InvoiceSeries(year=year)], ignore_conflicts=True)
        series = rows.get()
    return series
