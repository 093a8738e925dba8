"""``manage.py create_admin EMAIL``: the first administrator, or one more."""

from __future__ import annotations

import getpass
import sys
from argparse import ArgumentParser
from typing import Any

from allauth.account.models import EmailAddress
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from accounts.models import Role, User
from accounts.passwords import password_faults
from accounts.selectors import find_user, has_account, is_email_confirmed
from accounts.services import create_member, grant_role
from accounts.services.members import clean_email, random_password
from shop.core.problems import Problem


class Command(BaseCommand):
    help = (
        "Makes EMAIL an administrator of the shop. A new account gets the password that you type, or a "
        "random one that is printed once when no terminal is there to ask."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            email = clean_email(options["email"])
        except Problem as problem:
            raise CommandError(problem.detail) from problem
        known = find_user(email)
        if known is None and has_account(email):
            raise CommandError(f"The account of {email} is blocked: unblock it first.")
        # The password of an account whose address nobody proved is anybody's.
        password = None if known and is_email_confirmed(known) else self._ask_password(email)
        with transaction.atomic():
            user = known or create_member(email=email, password=password)
            if known and password is not None:
                user.set_password(password)
                user.save(update_fields=["password"])
            EmailAddress.objects.update_or_create(
                user=user, email=user.email, defaults={"verified": True, "primary": True}
            )
            grant_role(user=user, role=Role.ADMIN)
        self.stdout.write(f"{email} is an administrator.")

    def _ask_password(self, email: str) -> str:
        if not sys.stdin.isatty():
            password = random_password()
            self.stdout.write(f"Password of {email} (shown once): {password}")
            return password
        while True:
            password = getpass.getpass("Password: ")
            faults = password_faults(password, User(email=email, is_staff=True))
            if not faults and password == getpass.getpass("Password (again): "):
                return password
            self.stderr.write("\n".join(faults) or "The two passwords differ.")
