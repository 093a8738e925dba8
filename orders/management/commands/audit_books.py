"""``manage.py audit_books``: prove that invoices, orders, ledger and Stripe agree. Exit code 1 when they don't."""

import re
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone, translation

from orders.books.audit import audit_books
from orders.books.chain import is_head


class Command(BaseCommand):
    help = "Checks the invoice series, its hash chain, every PDF, and the ledger against orders and Stripe."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--without-stripe", action="store_true", help="compare the shop's own books only")

        parser.add_argument(
            "--head", metavar="POSITION:HASH", help="also look for a monthly code, as it was mailed"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["head"] and not re.fullmatch(r"[0-9]{1,18}:[0-9a-f]{64}", options["head"]):
            raise CommandError("--head takes a code as it was mailed: a number, a colon and 64 characters.")
        with translation.override("en"):
            report = audit_books(timezone.now(), with_provider=not options["without_stripe"])
        if options["head"]:
            if not is_head(options["head"]):
                raise CommandError(
                    "The chain does not hold this code: the books were rewritten.", returncode=1
                )
            self.stdout.write("The chain holds this code.")
        self.stdout.write(
            f"{report.documents} documents, {report.orders} orders, {report.movements} movements of money; "
            f"Stripe: {report.provider}."
        )
        for numbers in report.lost_numbers:
            self.stdout.write(f"lost numbers, recorded: {numbers}")
        for fault in report.faults:
            self.stdout.write(f"{fault.check}: {fault.subject} {fault.detail}")
        if not report.is_whole:
            raise CommandError(f"{len(report.faults)} differences.", returncode=1)
        self.stdout.write("No gap, no broken link, no difference.")
