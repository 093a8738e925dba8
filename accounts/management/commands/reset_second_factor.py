"""Takes the second factor of somebody who lost theirs."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.selectors import find_user
from accounts.services.second_factor import reset_second_factor


class Command(BaseCommand):
    help = (
        "Removes every second factor of EMAIL, recovery codes included, and tells its owner by mail. Make sure first "
        "that it is the owner who asks. Staff must add another one before they can do anything."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")

    def handle(self, *args: Any, **options: Any) -> None:
        user = find_user(options["email"])
        if user is None:
            raise CommandError(f"No account has the address {options['email']}.")
        removed = reset_second_factor(user)
        self.stdout.write(f"{removed} removed from {user.email}." if removed else f"{user.email} had none.")
