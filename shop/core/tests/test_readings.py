"""Ages: how long ago something went well, or since when the oldest of something waits."""

from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone

from shop.core import jobs, readings, tasks
from shop.core.mail_delivery import oldest_waiting_mail, refused_since
from shop.core.models import OutgoingMail, ScheduledJob
from shop.core.readings import Age

NOW = timezone.now()


@pytest.fixture
def ages(monkeypatch):
    """No age but those of the test."""
    monkeypatch.setattr(readings, "_ages", {})

    def add(since, *, never_is_late=False):
        readings.register_age(
            Age("backup", "Sauvegarde", timedelta(days=1), "Prévenez.", since, never_is_late=never_is_late)
        )

    return add


def read_one():
    [reading] = readings.read_ages(NOW)
    return reading.age, reading.is_late, reading.failed


@pytest.mark.parametrize(
    ("ago", "late"),
    [(timedelta(days=1), False), (timedelta(days=1, seconds=1), True), (-timedelta(hours=1), False)],
)
def test_an_age_is_late_past_its_limit(ages, ago, late):
    ages(lambda now: now - ago)
    assert read_one() == (max(ago, timedelta(0)), late, False)


@pytest.mark.parametrize(
    ("ahead", "never_is_late", "reading"),
    [
        (timedelta(minutes=10), True, (timedelta(0), False, False)),
        (timedelta(minutes=10, seconds=1), True, (None, True, False)),
        (timedelta(minutes=10, seconds=1), False, (timedelta(0), False, False)),
    ],
)
def test_what_went_well_by_a_wrong_clock_says_nothing_of_now(ages, ahead, never_is_late, reading):
    ages(lambda now: now + ahead, never_is_late=never_is_late)
    assert read_one() == reading


@pytest.mark.parametrize("never_is_late", [True, False])
def test_without_a_moment_nothing_waits_or_nothing_ever_went_well(ages, never_is_late):
    ages(lambda now: None, never_is_late=never_is_late)
    assert read_one() == (None, never_is_late, False)


def test_an_age_that_cannot_be_read_is_late_and_leaves_the_others(ages, caplog):
    ages(lambda now: 1 / 0)
    assert read_one() == (None, True, True)
    assert [record.message for record in caplog.records] == ["the age backup could not be read"]


def test_a_database_that_is_away_is_told_to_the_caller(ages):
    def away(now):
        raise OperationalError

    ages(away)
    with pytest.raises(OperationalError):
        readings.read_ages(NOW)


def make_mail(**fields):
    return OutgoingMail.objects.create(kind="order_confirmation", to="lea@example.com", **fields)


@pytest.mark.django_db
def test_the_oldest_mail_counts_from_when_it_could_go_not_from_its_next_try():
    minute = timedelta(minutes=1)
    make_mail(next_attempt_at=NOW + minute)
    assert oldest_waiting_mail(NOW) is None
    make_mail(next_attempt_at=NOW - 2 * minute)
    # Tried twice, after 1 and 5 minutes, and again in four: it is 2 minutes old.
    make_mail(next_attempt_at=NOW + 4 * minute, attempts=2)
    assert oldest_waiting_mail(NOW) == NOW - 2 * minute
    # Under way for the second time: the first delay is over.
    make_mail(next_attempt_at=NOW - 9 * minute, attempts=2, state="sending")
    make_mail(next_attempt_at=NOW - 90 * minute, is_bulk=True)
    make_mail(next_attempt_at=NOW - 90 * minute, state="failed")
    assert oldest_waiting_mail(NOW) == NOW - 10 * minute


@pytest.mark.django_db
def test_a_server_that_refuses_three_recipients_and_took_nothing_since_refuses_all():
    hour = timedelta(hours=1)

    def refused(name, hours, **fields):
        error = fields.pop("last_error", "MailRefusedError: SMTPSenderRefused: (550, b'quota')")
        OutgoingMail.objects.create(
            kind="notice",
            to=f"{name}@example.com",
            state="failed",
            created_at=NOW - hours * hour,
            last_error=error,
            **fields,
        )

    refused("lea", 3, last_error="NoSuchMailboxError: SMTPRecipientsRefused")
    refused("lea", 2)
    refused("max", 2)
    refused("ada", 2, is_bulk=True)
    refused("eve", 2, last_error="ConnectionRefusedError: [Errno 111]")
    assert refused_since(NOW) is None
    refused("zoe", 1)
    assert refused_since(NOW) == NOW - 3 * hour
    OutgoingMail.objects.create(
        kind="notice", to="tom@example.com", state="sent", created_at=NOW - 1.5 * hour
    )
    assert refused_since(NOW) is None


@pytest.mark.django_db
def test_a_job_is_missed_from_the_period_in_which_it_did_not_end():
    ScheduledJob.objects.create(name="never-ran")
    ScheduledJob.objects.create(name="mail-sweep", last_finished_at=NOW)
    assert jobs.first_missed(NOW) is None
    job = jobs.registered_jobs()["purge-attempt-counters"]
    ended = job.period_start(NOW) - timedelta(hours=30)
    ScheduledJob.objects.create(name=job.name, last_finished_at=ended)
    assert jobs.first_missed(NOW) == job.period_start(NOW) - timedelta(days=1)


@pytest.mark.django_db
def test_a_queue_is_asked_once_until_it_answers_or_two_minutes_are_over(monkeypatch):
    asked = []
    monkeypatch.setattr(
        tasks, "publish", lambda task, *args, **options: asked.append((task.name, *args, options))
    )
    tasks.ask_queues(NOW)
    questions = [
        ("shop.core.tasks.answer_pulse", queue, {"queue": queue}) for queue in ("images", "webhooks")
    ]
    assert asked == questions
    tasks.ask_queues(NOW + timedelta(minutes=1))
    assert asked == questions
    tasks.ask_queues(NOW + timedelta(minutes=2))
    assert len(asked) == 4
    # Without an answer a question waits from the first on.
    assert [jobs.oldest_question(queue) for queue in ("images", "webhooks")] == [NOW, NOW]
    tasks.answer_pulse("images")
    ScheduledJob.objects.filter(name="queue-images").update(last_started_at=NOW)
    assert [jobs.oldest_question(queue) for queue in ("images", "webhooks")] == [None, NOW]
    tasks.ask_queues(NOW + timedelta(minutes=3))
    assert asked[4:] == questions[:1]
    assert jobs.last_pulse("queue-images") >= NOW


@pytest.mark.django_db
def test_a_question_of_a_wrong_clock_is_put_again_and_waits_from_now():
    assert jobs.may_ask_queue("images", NOW + timedelta(days=400))
    assert jobs.may_ask_queue("images", NOW)
    assert jobs.oldest_question("images") == NOW


@pytest.mark.django_db
def test_a_pulse_makes_its_row_and_moves_it():
    jobs.note_pulse("scheduler")
    first = jobs.last_pulse("scheduler")
    jobs.note_pulse("scheduler")
    assert jobs.last_pulse("scheduler") > first
    assert ScheduledJob.objects.filter(name="scheduler").count() == 1
