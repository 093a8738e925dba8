"""``manage.py run_due [JOB …] [--at ISO-DATETIME]``: run what is due, for cron where no beat runs."""

from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from shop.core.jobs import (
    SCHEDULER_PULSE,
    Outcome,
    UnknownJobError,
    note_pulse,
    registered_jobs,
    run_due_jobs,
)


class Command(BaseCommand):
    help = "Runs every scheduled job that is due (all, or only those named)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("jobs", nargs="*", metavar="JOB", help="only these jobs; all when none is named")
        parser.add_argument(
            "--at",
            metavar="ISO-DATETIME",
            help="pretend to be at this moment (in DEBUG only), e.g. 2027-01-15T09:00",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        now = self._moment(options["at"])
        try:
            outcomes = run_due_jobs(options["jobs"], now=now)
        except UnknownJobError as error:
            known = ", ".join(registered_jobs()) or "none"
            raise CommandError(f"No job is named {error}. Jobs: {known}.") from error
        if not options["jobs"]:
            note_pulse(SCHEDULER_PULSE)
        for name, outcome in outcomes.items():
            self.stdout.write(f"{name}: {outcome}")
        if not outcomes:
            self.stdout.write("Nothing is due.")
        failed = [name for name, outcome in outcomes.items() if outcome is Outcome.FAILED]
        if failed:
            raise CommandError(f"Failed: {', '.join(failed)}. The error is on the job's row and in the log.")

    def _moment(self, text: str | None) -> datetime | None:
        if text is None:
            return None
        if not settings.DEBUG:
            raise CommandError("--at tries the future out and only works with DEBUG on.")
        try:
            moment = parse_datetime(text)
        except ValueError:
            moment = None
        if moment is None:
            raise CommandError(f"{text!r} is not a date and time such as 2027-01-15T09:00.")
        return moment if timezone.is_aware(moment) else timezone.make_aware(moment)
