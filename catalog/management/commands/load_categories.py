"""`manage.py load_categories`: the categories that a new shop starts with, without any demonstration product."""

from typing import Any

from django.core.management.base import BaseCommand

from catalog.demo.loader import load_categories


class Command(BaseCommand):
    help = "Add the categories that the shop ships with; those that exist are left as they are."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{load_categories()} categories added.")
