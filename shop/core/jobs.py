"""Scheduled jobs: each runs once per period, however many beats, workers and cron lines ask for it.

A job is a function of one moment, registered where its app has its tasks (``<app>/tasks.py``)::

    @scheduled_job("notices", every=timedelta(minutes=5))
    def send_notices(now: datetime) -> None: ...

Celery's beat only ticks; what is due is read from the ``ScheduledJob`` rows. One guarded ``UPDATE`` both
asks "is it due?" and takes it, so that of two rivals one gets the row and the other finds nothing to do.
A job must bear to be run again: one that failed, or whose process was killed, is tried again before its
next period.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from functools import reduce
from operator import or_
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Case, F, Q, When
from django.utils import timezone
from django.utils.module_loading import autodiscover_modules

from shop.core.clocks import is_free, is_misdated, moment_is_misdated
from shop.core.models import ScheduledJob

logger = logging.getLogger(__name__)

Job = Callable[[datetime], None]

DAY = timedelta(days=1)
# A job's reservation outlives Celery's hard limit on a task, so it ends only when the job's process is gone.
LEASE = timedelta(seconds=settings.CELERY_TASK_TIME_LIMIT + 60)
RETRY_AFTER = timedelta(minutes=5)
# The job that runs most often: as long as it ends, there is a beat (or cron), a broker and a worker that work.
PULSE_JOB = "mail-sweep"
# Nine of its periods, and three of a cron line's.
LATE_AFTER = timedelta(minutes=3)
# Rows that are no jobs: the beat (or cron) asked for what is due; a worker of a queue answered.
SCHEDULER_PULSE = "scheduler"
QUEUE_PULSE = "queue-"
IMAGE_QUEUE = "images"
_IS_ANSWERED = Q(last_finished_at__gte=F("last_started_at"))
# A queue that did not answer is asked again after this; each question is a message that waits there.
ASK_QUEUE_AFTER = timedelta(minutes=2)
# What is stored of an error: enough to see where it came from.
ERROR_LENGTH = 4000


class UnknownJobError(LookupError):
    """No job of this name is registered."""


class Outcome(StrEnum):
    """What came of one attempt to run a job."""

    DONE = "done"
    FAILED = "failed"
    NOT_DUE = "not due"


@dataclass(frozen=True, slots=True)
class RegisteredJob:
    """A job, its period, for daily ones the hour of the shop's clock from which it may start, and how long
    one run holds it."""

    name: str
    run: Job
    every: timedelta
    at: time
    lease: timedelta = LEASE

    def period_start(self, now: datetime) -> datetime:
        """When the period that holds ``now`` began: the job is due if it has not started since.

        Periods are cut from a fixed origin rather than counted from the last run, so a daily job does not
        slide a little later every day. Whole days follow the shop's own clock, summer time included;
        shorter periods follow UTC, whose hours never repeat.
        """
        zone = ZoneInfo(settings.TIME_ZONE) if self.every % DAY == timedelta(0) else ZoneInfo("UTC")
        origin = datetime.combine(date(2000, 1, 3), self.at)
        wall = now.astimezone(zone).replace(tzinfo=None)
        return (origin + (wall - origin) // self.every * self.every).replace(tzinfo=zone)


_registry: dict[str, RegisteredJob] = {}


def scheduled_job(
    name: str, *, every: timedelta, at: time = time(0), lease: timedelta = LEASE
) -> Callable[[Job], Job]:
    """Register a job under a stable name (it is the key of its row).

    :param every: the period.
    :param at: for periods of whole days, the hour (shop time) at which a period begins.
    :param lease: how long a run holds the job; a run whose process was killed is tried again after it. Take
        a shorter one only for a job that surely ends within it.
    :raises ValueError: another function already has this name, or the period is not positive.
    """
    if every <= timedelta(0):
        raise ValueError(f"The period of job {name!r} must be positive.")

    def register(job: Job) -> Job:
        known = _registry.get(name)
        if known is not None and known.run.__qualname__ != job.__qualname__:
            raise ValueError(f"Two jobs are named {name!r}.")
        _registry[name] = RegisteredJob(name=name, run=job, every=every, at=at, lease=lease)
        return job

    return register


def registered_jobs() -> dict[str, RegisteredJob]:
    """Return every job of every installed app, by name in alphabetical order."""
    autodiscover_modules("tasks")
    return dict(sorted(_registry.items()))


def _find(names: Iterable[str]) -> list[RegisteredJob]:
    jobs = registered_jobs()
    wanted = list(names) or list(jobs)
    unknown = [name for name in wanted if name not in jobs]
    if unknown:
        raise UnknownJobError(", ".join(unknown))
    return [jobs[name] for name in wanted]


def _is_due(job: RegisteredJob, *, now: datetime) -> Q:
    period_over = Q(last_started_at=None) | Q(last_started_at__lt=job.period_start(now))
    # Started and never finished: it failed, or its process was killed. Its reservation says from when
    # on it may be tried again.
    unfinished = Q(last_finished_at=None) | Q(last_finished_at__lt=F("last_started_at"))
    # A clock that was wrong dated the start beyond the next period: until then the job would stand still.
    return period_over | unfinished | is_misdated("last_started_at", timezone.now(), within=job.every)


def _is_free(moment: datetime) -> Q:
    # No run holds a job for a day.
    return is_free("locked_until", moment, within=DAY)


def due_jobs(names: Iterable[str] = (), *, now: datetime | None = None) -> list[str]:
    """Return the names of the jobs that are due and that nobody is running. Two queries, one more when a job is new.

    :raises UnknownJobError: a name is not registered.
    """
    moment = timezone.now()
    jobs = _find(names)
    _create_rows(jobs)
    due = [Q(name=job.name) & _is_due(job, now=now or moment) for job in jobs]
    if not due:
        return []
    rows = ScheduledJob.objects.filter(reduce(or_, due), _is_free(moment))
    return list(rows.order_by("name").values_list("name", flat=True))


def _create_rows(jobs: Iterable[RegisteredJob]) -> None:
    known = set(ScheduledJob.objects.values_list("name", flat=True))
    missing = [ScheduledJob(name=job.name) for job in jobs if job.name not in known]
    if missing:
        ScheduledJob.objects.bulk_create(missing, ignore_conflicts=True)


def background_work_is_late() -> bool:
    """Return whether the workers, the beat or the broker between them seem to have stopped. One query."""
    ended, now = last_pulse(PULSE_JOB), timezone.now()
    return ended is None or moment_is_misdated(ended, now) or now - ended > LATE_AFTER


def first_missed(now: datetime) -> datetime | None:
    """Return the beginning of the oldest period in which a job that ran before did not end; None when all are on
    time. One query."""
    jobs = registered_jobs()
    ended = ScheduledJob.objects.filter(name__in=jobs, last_finished_at__isnull=False)
    missed = [
        start
        for name, last in ended.values_list("name", "last_finished_at")
        if last is not None and (start := jobs[name].period_start(last) + jobs[name].every) <= now
    ]
    return min(missed, default=None)


def note_pulse(name: str) -> None:
    """Store that a process was alive now, or something was well. Two queries at most."""
    now = timezone.now()
    values = {"last_started_at": now, "last_finished_at": now}
    if not ScheduledJob.objects.filter(name=name).update(**values):
        ScheduledJob.objects.bulk_create([ScheduledJob(name=name, **values)], ignore_conflicts=True)


def last_pulse(name: str) -> datetime | None:
    """Return when a job last ended, or a process last was alive. One query."""
    return ScheduledJob.objects.filter(name=name).values_list("last_finished_at", flat=True).first()


def other_queues() -> list[str]:
    """Return the names of the queues beside the one where jobs run."""
    return sorted({route["queue"] for route in settings.CELERY_TASK_ROUTES.values()})


def may_ask_queue(queue: str, now: datetime) -> bool:
    """Note that the workers of a queue are asked now, unless they were and did not answer yet. Two queries.

    A row keeps since when a question waits (`last_started_at`), and until when no further one is put.
    """
    name = f"{QUEUE_PULSE}{queue}"
    row = ScheduledJob.objects.filter(name=name)
    asked = row.filter(_IS_ANSWERED | _is_free(now)).update(
        last_started_at=Case(
            When(_IS_ANSWERED | is_misdated("last_started_at", now), then=now), default="last_started_at"
        ),
        locked_until=now + ASK_QUEUE_AFTER,
    )
    if asked:
        return True
    created = not row.exists()
    if created:
        fields = {"last_started_at": now, "locked_until": now + ASK_QUEUE_AFTER}
        ScheduledJob.objects.bulk_create([ScheduledJob(name=name, **fields)], ignore_conflicts=True)
    return created


def oldest_question(queue: str) -> datetime | None:
    """Return since when the workers of a queue owe an answer; None when they owe none. One query."""
    row = ScheduledJob.objects.filter(name=f"{QUEUE_PULSE}{queue}").exclude(_IS_ANSWERED)
    return row.values_list("last_started_at", flat=True).first()


def queue_answers(queue: str) -> bool:
    """Return whether a worker of another queue answered in the last minutes. Where none did, what was put into it still
    waits there: a job that puts the same again every 20 s would fill Redis, or the disk. One query."""
    answered = last_pulse(f"{QUEUE_PULSE}{queue}")
    return answered is not None and timezone.now() - answered <= LATE_AFTER


def run_job(name: str, *, now: datetime | None = None) -> Outcome:
    """Run one job if it is due and free; its errors are logged and stored on its row, never raised.

    :param now: the moment to pretend; the job receives it, and the rows keep the real one, so that trying
        the future out does not stop the real clock.
    :raises UnknownJobError: no job has this name.
    """
    [job] = _find([name])
    started = timezone.now()
    _create_rows([job])
    row = ScheduledJob.objects.filter(name=name)
    taken = row.filter(_is_due(job, now=now or started), _is_free(started)).update(
        last_started_at=started, locked_until=started + job.lease
    )
    if not taken:
        return Outcome.NOT_DUE
    try:
        job.run(now or started)
    except Exception:
        logger.exception("Scheduled job %s failed", name)
        row.update(
            last_error=traceback.format_exc()[-ERROR_LENGTH:],
            locked_until=started + min(RETRY_AFTER, job.every),
        )
        return Outcome.FAILED
    row.update(last_finished_at=timezone.now(), last_error="", locked_until=None)
    return Outcome.DONE


def run_due_jobs(names: Iterable[str] = (), *, now: datetime | None = None) -> dict[str, Outcome]:
    """Run every due job, one after the other in alphabetical order: for cron, where no beat runs.

    :raises UnknownJobError: a name is not registered.
    """
    return {name: run_job(name, now=now) for name in due_jobs(names, now=now)}
