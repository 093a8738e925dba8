"""Time and queries of the accounts over a year of many movements.

    python tests/load/books_bench.py [--movements 10000]

It works in a database of its own (Django's test database), made and dropped by the script. Each movement is an order
with its invoice, a charge in the ledger and a line of the provider's account.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
YEAR, BATCH = 2026, 1000


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--movements", type=int, default=10_000)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")
    os.environ.setdefault("DEBUG", "true")
    import django

    django.setup()
    from django.conf import settings
    from django.db import connection

    settings.DEBUG = False
    name = settings.DATABASES["default"]["NAME"]
    # A database that an ended run left is replaced: nobody is there to be asked.
    connection.creation.create_test_db(verbosity=0, autoclobber=True)
    try:
        seed(options.movements)
        for line in measure():
            print(line, flush=True)
    finally:
        connection.creation.destroy_test_db(name, verbosity=0)
    return 0


def seed(count: int) -> None:
    """Orders over a year; every tenth is taxed in Germany, every fiftieth is a line of a payout."""
    from orders.invoices.content import tax_data
    from orders.invoices.tests.samples import sample
    from orders.models import BalanceMovement, Invoice, LedgerEntry, Order, Payment, Payout
    from orders.pricing.vat import Treatment, tax_lines, untaxed

    total = Decimal("59.50")
    german = tax_data(tax_lines(Treatment.DESTINATION, [(total, Decimal(19))], shipping=Decimal(0)))
    french = tax_data(untaxed(Treatment.FRANCHISE, total))
    start = datetime(YEAR, 1, 1, 12, tzinfo=UTC)
    for first in range(0, count, BATCH):
        orders, payments, entries, invoices, lines = [], [], [], [], []
        payout = Payout.objects.create(
            provider_id=f"po_{first}", amount=total * BATCH, state="paid", created_at=start,
            arrives_on=start.date() + timedelta(days=first * 360 // count),
        )  # fmt: skip
        for number in range(first, min(first + BATCH, count)):
            key, day = uuid.uuid4(), start + timedelta(days=number * 360 // count)
            order = Order(
                id=key, reference=key.hex[-8:].upper(), email="a@example.com", first_name="Léa", last_name="Martin",
                address="3 rue des Carmes", postal_code="69003", city="Lyon", country="FR", original_total=total,
                promotion_savings=Decimal(0), subtotal=total, shipping_zone="france-europe", shipping_cost=Decimal(0),
                total=total, promised_by=day.date(), terms_version="1", terms_accepted_at=day, idempotency_key=key.hex,
                request_fingerprint="bench", created_at=day, paid_at=day, status="delivered",
            )  # fmt: skip
            payment = Payment(order=order, position=1, count=1, amount=total, due_on=day.date(), state="paid")
            is_german = number % 10 == 0
            data = {
                **sample(),
                "number": f"F-{YEAR}-{number + 1:05d}",
                "tax": german if is_german else french,
            }
            orders.append(order)
            payments.append(payment)
            entries.append((order, payment, day, f"ch_{number}"))
            invoices.append(
                Invoice(
                    kind="invoice", number=data["number"], year=YEAR, sequence=number + 1, order=order, issued_at=day,
                    country="DE" if is_german else "FR", total=total, vat=Decimal(data["tax"]["vat"]), data=data,
                    hash="x",
                )
            )  # fmt: skip
            lines.append(
                BalanceMovement(
                    provider_id=f"txn_{number}", kind="charge", amount=total, fee=Decimal("1.14"),
                    source_id=f"ch_{number}", occurred_at=day, available_at=day, payout=payout,
                )
            )  # fmt: skip
        Order.objects.bulk_create(orders)
        Payment.objects.bulk_create(payments)
        LedgerEntry.objects.bulk_create(
            LedgerEntry(
                order=order, payment=payment, kind="charge", amount=total, provider_id=name, occurred_at=day
            )
            for order, payment, day, name in entries
        )
        Invoice.objects.bulk_create(invoices)
        BalanceMovement.objects.bulk_create(lines)


def measure() -> Iterator[str]:
    """Yield a line for each case: seconds, queries, what came out."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from orders.books import fec, oss, payouts, urssaf
    from orders.books.days import year
    from orders.books.entries import entries
    from orders.books.reporting import Reading, Step, report
    from orders.books.staff_tasks import staff_tasks
    from orders.models import Payout

    cases = {
        "OSS return, a quarter": lambda: len(oss.oss_return(2, YEAR).lines),
        "URSSAF, a year": lambda: len(urssaf.declarations(YEAR)),
        "e-reporting by documents, a year": lambda: len(report(year(YEAR), Step.MONTH)),
        "e-reporting by payments, a year": lambda: len(report(year(YEAR), Step.MONTH, Reading.PAYMENTS)),
        "payouts page": lambda: len(
            payouts.describe_payouts(list(payouts.with_bank_lines(Payout.objects.all())[:50]))
        ),
        "fees, a year": lambda: len(payouts.fees_of(YEAR)),
        "FEC, a year (bytes)": lambda: sum(map(len, fec.fec_lines(entries(YEAR)))),
        "what waits": lambda: len(staff_tasks(date(YEAR, 12, 31))),
    }
    for name, run in cases.items():
        with CaptureQueriesContext(connection) as queries:
            began = time.perf_counter()
            result = run()
            seconds = time.perf_counter() - began
        yield f"{name:36} {seconds:6.2f} s  {len(queries):4} queries  {result}"


if __name__ == "__main__":
    raise SystemExit(main())
