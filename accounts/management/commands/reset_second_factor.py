"""Takes the second factor of somebody who lost theirs."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from accounts.services.second_factor import reset_second_factor
from shop.core.email_addresses import normalise_email


class Command(BaseCommand):
    help = (
        "Removes every second factor of EMAIL, recovery codes included, and tells its owner by mail. Make sure first "
        "that it is the owner who asks. Staff must add another one before they can do anything."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")

    def handle(self, *args: Any, **options: Any) -> None:
        # A blocked one, too.
        user = User.objects.filter(email=normalise_email(options["email"])).first()
        if user is None:
            raise CommandError(f"No account has the address {options['email']}.")
        removed = reset_second_factor(user)
        self.stdout.write(f"{removed} removed from {user.email}." if removed else f"{user.email} had none.")
