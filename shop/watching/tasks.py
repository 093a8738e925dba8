"""The job that looks after all others."""

from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from shop.core.health import ALERTS_JOB
from shop.core.jobs import LATE_AFTER, last_pulse, scheduled_job
from shop.core.mail_delivery import LEASE
from shop.watching.disk import look_at_disk
from shop.watching.incidents import check_incidents


# A slow mail server takes longer than the job's period: another run would send the same again.
@scheduled_job(ALERTS_JOB, every=timedelta(minutes=1), lease=LEASE)
def send_alerts(now: datetime) -> None:
    """Mail the operator what is over its limit, once, and that it is well again."""
    look_at_disk()
    last = last_pulse(ALERTS_JOB)
    check_incidents(now, after_a_stop=last is not None and timezone.now() - last > LATE_AFTER)


@scheduled_job("ended-counters", every=timedelta(minutes=10))
def add_up_ended_counters(now: datetime) -> None:
    """Take away the files of processes that ended, a megabyte each, also where nobody reads `/metrics`."""
    from shop.watching import metrics

    with metrics.alone():
        metrics.add_up_ended(settings.METRICS_DIR)
