"""Another e-mail address for somebody who lost the mailbox of theirs."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.selectors import find_user
from accounts.services.email_changes import request_email_change
from shop.core.problems import Problem


class Command(BaseCommand):
    help = (
        "Asks for the address NEW for the account of OLD, whose mailbox is lost. Make sure first that it is its owner "
        "who asks. The address changes once the link in the mail to NEW was opened, within a day; OLD is written to as "
        "well, and can refuse until then. Password and second factor stay."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("old")
        parser.add_argument("new")

    def handle(self, *args: Any, **options: Any) -> None:
        user = find_user(options["old"])
        if user is None:
            raise CommandError(f"No open account has the address {options['old']}.")
        try:
            change = request_email_change(
                user=user, email=options["new"], language=user.language, by_operator=True
            )
        except Problem as problem:
            raise CommandError(problem.detail) from problem
        self.stdout.write(
            f"{user.email} becomes {change.new_email} once the link in the mail to it is opened."
        )
