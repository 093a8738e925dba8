"""Celery tasks of the kernel: thin calls of services, safe to run twice."""

from datetime import datetime, time, timedelta

from celery import shared_task

from shop.core import file_storage, jobs, limits, mail_delivery
from shop.core.enqueue import publish

# A job that waited longer than this in the queue has been asked for again by later ticks.
JOB_EXPIRES_SECONDS = 60


@shared_task
def run_due_jobs() -> None:
    """The beat's tick: ask a worker for every job that is due."""
    for name in jobs.due_jobs():
        run_scheduled_job.apply_async(args=(name,), expires=JOB_EXPIRES_SECONDS)


@shared_task
def run_scheduled_job(name: str) -> None:
    """Run one job if it is still due."""
    jobs.run_job(name)


@shared_task
def answer_pulse(queue: str) -> None:
    """Whoever runs this shows that a queue has a worker."""
    jobs.note_pulse(f"{jobs.QUEUE_PULSE}{queue}")


@jobs.scheduled_job("queue-pulses", every=timedelta(minutes=1), lease=timedelta(seconds=30))
def ask_queues(now: datetime) -> None:
    """Ask the workers of every other queue for a sign of life; one question a queue at a time."""
    for queue in jobs.other_queues():
        if jobs.may_ask_queue(queue, now):
            publish(answer_pulse, queue, queue=queue)


@shared_task
def deliver_mail(mail_id: int) -> None:
    """Deliver one mail; nothing happens when it was delivered already or is in another worker's hands."""
    mail_delivery.deliver(mail_id)


@jobs.scheduled_job(jobs.PULSE_JOB, every=timedelta(seconds=20), lease=timedelta(seconds=30))
def sweep_mails(now: datetime) -> None:
    """Find the mails whose message or worker was lost."""
    mail_delivery.sweep(now)


@jobs.scheduled_job("purge-attempt-counters", every=timedelta(days=1), at=time(4))
def purge_attempt_counters(now: datetime) -> None:
    """Delete the counts of attempts whose window is over."""
    limits.purge_expired(now)


@shared_task
def delete_discarded_files() -> None:
    """Delete the files that a change gave up."""
    file_storage.delete_discarded_files()


@jobs.scheduled_job("discarded-files", every=timedelta(minutes=5))
def sweep_discarded_files(now: datetime) -> None:
    """Find the files that are due: a day after they were stored or given up, or when their storage was away."""
    file_storage.delete_discarded_files(now)
