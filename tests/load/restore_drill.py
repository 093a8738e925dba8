"""A shop of many orders is backed up, lost and brought back into an empty database; minutes are printed.

    python tests/load/restore_drill.py [--orders 100000] [--pdf-kb 40] [--server postgresql://…/postgres]

Without a server, from SQLite to SQLite; with one, in two databases of its own there. The backup is encrypted. Each
order has two lines, a payment, a movement, an invoice with its place in the series, and a PDF of random bytes, which no
compression makes smaller. At the end the books are audited, and what was sent after the backup is looked for: the next
invoice has a number that nobody received, nobody is signed in, a used link is dead.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import resource
import subprocess
import sys
import tempfile
import time
import uuid
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BATCH = 500
LOST = 7
"""Invoices that were sent after the backup."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--orders", type=int, default=100_000)
    parser.add_argument("--pdf-kb", type=int, default=40)
    parser.add_argument("--server", default="", metavar="URL", help="a PostgreSQL that may create databases")
    parser.add_argument("--part", choices=("seed", "look"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        return run_part(options)
    import pyrage

    with tempfile.TemporaryDirectory(prefix="drill-") as folder:
        work = Path(folder)
        key = pyrage.x25519.Identity.generate()
        (work / "secret").write_text(str(key))
        shared = {
            "DEBUG": "true",
            "SECRET_KEY": "of-the-drill-and-of-nothing-else-0123456789",
            "DATABASE_STATEMENT_SECONDS": "3600",
            "BACKUP_URL": str(work / "target"),
            "BACKUP_RECIPIENTS": str(key.to_public()),
            "STRIPE_SECRET_KEY": "",
        }
        before = {
            **shared,
            "DATA_DIR": str(work / "before"),
            "DATABASE_URL": database(options, "drill_before"),
        }
        after = {**shared, "DATA_DIR": str(work / "after"), "DATABASE_URL": database(options, "drill_after")}
        manage = [sys.executable, str(ROOT / "manage.py")]
        this = [sys.executable, __file__, "--orders", str(options.orders), "--pdf-kb", str(options.pdf_kb)]
        step("tables", [*manage, "migrate", "-v0"], before)
        step("orders written", [*this, "--part", "seed"], before)
        step("backup", [*manage, "backup"], before)
        size = sum(path.stat().st_size for path in (work / "target").rglob("*"))
        print(f"target: {size / 1e6:.0f} MB", flush=True)
        highest = f"F-{time.localtime().tm_year}-{options.orders + LOST:05d}"
        restore = ["restore", "--identity", str(work / "secret"), "--highest-invoice", highest]
        step("restore", [*manage, *restore], after)
        step("audit", [*manage, "audit_books", "--without-stripe"], after)
        step("what was sent since", [*this, "--part", "look"], after)
    return 0


def database(options: argparse.Namespace, name: str) -> str:
    """The address of an empty database; "" is SQLite in DATA_DIR."""
    if not options.server:
        return ""
    import psycopg

    with psycopg.connect(options.server, autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {name}")
        server.execute(f"CREATE DATABASE {name}")
    head, _slash, tail = options.server.rpartition("/postgres")
    return f"{head}/{name}{tail}"


def step(name: str, command: list[str], environment: dict[str, str]) -> None:
    """Run a command, print how long it took and the last of what it said. Ends the drill where it fails."""
    began, used = time.perf_counter(), _cpu()
    ended = subprocess.run(
        command, env={**os.environ, **environment}, cwd=ROOT, capture_output=True, text=True, check=False
    )
    minutes, seconds = divmod(time.perf_counter() - began, 60)
    said = (ended.stdout.strip().splitlines() or [""])[-1]
    print(
        f"{name:20} {minutes:3.0f} min {seconds:4.1f} s   {_cpu() - used:6.1f} s of work   {said}", flush=True
    )
    if ended.returncode:
        raise SystemExit(ended.stdout[-2000:] + ended.stderr[-2000:])


def _cpu() -> float:
    """Processor time of the commands so far, without the database's server: another program's load does not count."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_part(options: argparse.Namespace) -> int:
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")
    import django

    django.setup()
    if options.part == "seed":
        seed(options.orders, options.pdf_kb)
    else:
        look(options.orders)
    return 0


def seed(count: int, pdf_kb: int) -> None:
    from django.contrib.sessions.backends.db import SessionStore
    from django.utils import timezone

    from accounts.models import User
    from orders.invoices.series import chain_hash
    from orders.invoices.tests.samples import sample
    from orders.models import Invoice, InvoiceDocument, InvoiceSeries, LedgerEntry, Order, OrderItem, Payment

    User.objects.create_user("a@example.com", "figurine-atelier-2026")
    SessionStore().create()
    now = timezone.now() - timedelta(hours=2)
    previous, year = "", timezone.localtime(now).year
    for first in range(0, count, BATCH):
        orders, items, payments, entries, invoices, documents = [], [], [], [], [], []
        for number in range(first + 1, min(first + BATCH, count) + 1):
            key = uuid.uuid4()
            data = {**sample(), "number": f"F-{year}-{number:05d}"}
            total = Decimal(data["total"])
            order = Order(
                id=key, reference=f"D{number:07d}", email=f"a{number}@example.com", first_name="Léa",
                last_name="Martin", address="3 rue des Carmes", postal_code="69003", city="Lyon", country="FR",
                original_total=total, promotion_savings=Decimal(0), subtotal=total, shipping_zone="france-europe",
                shipping_cost=Decimal(0), total=total, promised_by=now.date(), terms_version="1",
                terms_accepted_at=now, idempotency_key=key.hex, request_fingerprint="drill", created_at=now,
                paid_at=now, status="delivered",
            )  # fmt: skip
            orders.append(order)
            items += [
                OrderItem(order=order, position=position, product_name="Golem", quantity=1, unit_price=total / 2,
                          line_total=total / 2, variation_name="18 cm", finish="painted", sku="SKU")
                for position in (0, 1)
            ]  # fmt: skip
            payment = Payment(order=order, position=1, count=1, amount=total, due_on=now.date(), state="paid")
            payments.append(payment)
            digest = chain_hash(number=data["number"], data=data, previous_hash=previous)
            invoice = Invoice(
                kind="invoice", number=data["number"], year=year, sequence=number, order=order, issued_at=now,
                country=data["delivery"]["country"], total=total, vat=Decimal(data["tax"]["vat"]), data=data,
                previous_hash=previous, hash=digest,
            )  # fmt: skip
            previous = digest
            invoices.append(invoice)
            pdf = os.urandom(pdf_kb * 1024)
            documents.append((invoice, pdf))
            entries.append((order, payment, f"ch_{number}"))
        Order.objects.bulk_create(orders)
        OrderItem.objects.bulk_create(items)
        Payment.objects.bulk_create(payments)
        LedgerEntry.objects.bulk_create(
            LedgerEntry(
                order=order,
                payment=payment,
                kind="charge",
                amount=order.total,
                provider_id=name,
                occurred_at=now,
            )
            for order, payment, name in entries
        )
        Invoice.objects.bulk_create(invoices)
        InvoiceDocument.objects.bulk_create(
            InvoiceDocument(invoice=invoice, pdf=pdf, sha256=hashlib.sha256(pdf).hexdigest())
            for invoice, pdf in documents
        )
    InvoiceSeries.objects.create(year=year, last_number=count, last_hash=previous)


def look(count: int) -> None:
    """Fails where the shop would give a number twice or let somebody in."""
    from allauth.account.forms import EmailAwarePasswordResetTokenGenerator
    from django.contrib.sessions.models import Session
    from django.db import transaction

    from accounts.models import User
    from accounts.passwords import ResetTokens
    from orders.invoices.series import reserve_number
    from orders.models import Order

    with transaction.atomic():
        number = reserve_number().sequence
    assert number == count + LOST + 1, number
    assert Order.objects.count() == count
    assert not Session.objects.exists()
    user = User.objects.get()
    earlier = EmailAwarePasswordResetTokenGenerator().make_token(user)
    assert not ResetTokens().check_token(user, earlier)
    print(f"next invoice {number}, nobody signed in, earlier links dead")


if __name__ == "__main__":
    sys.exit(main())
