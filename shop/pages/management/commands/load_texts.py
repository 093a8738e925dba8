"""`manage.py load_texts`: the page texts and the questions that a new shop starts with."""

from typing import Any

from django.core.management.base import BaseCommand

from shop.pages.services.content import load_texts


class Command(BaseCommand):
    help = "Add the texts and questions that the shop ships with; those that exist are left as they are."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{load_texts()} texts added.")
