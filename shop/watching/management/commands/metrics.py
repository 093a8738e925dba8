"""``manage.py metrics``: what `/metrics` says, for a machine without a web process."""

from typing import Any

from django.core.management.base import BaseCommand

from shop.watching.scrape import metrics_text


class Command(BaseCommand):
    help = "Prints the metrics of this machine, for the textfile collector of Prometheus' node exporter."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(metrics_text().decode(), ending="")
