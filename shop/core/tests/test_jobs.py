"""Scheduled jobs: once a period, whoever asks and however often."""

from datetime import UTC, datetime, time, timedelta
from io import StringIO
from zoneinfo import ZoneInfo

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from shop.core import jobs
from shop.core.jobs import Outcome, RegisteredJob, UnknownJobError, scheduled_job
from shop.core.models import ScheduledJob
from shop.core.tasks import run_due_jobs

pytestmark = pytest.mark.both_engines

PARIS = ZoneInfo("Europe/Paris")
NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.fixture
def calls(monkeypatch):
    """A registry that holds one job, run every hour; the list is the moments that it received."""
    received = []
    monkeypatch.setattr(jobs, "_registry", {})
    monkeypatch.setattr(jobs, "autodiscover_modules", lambda *names: None)
    scheduled_job("hourly", every=timedelta(hours=1))(received.append)
    return received


@pytest.fixture
def clock(monkeypatch):
    """The real clock, under the test's hand."""

    class Clock:
        now = NOON

        def advance(self, **delta):
            self.now += timedelta(**delta)

    clock = Clock()
    monkeypatch.setattr(timezone, "now", lambda: clock.now)
    return clock


def job(every, at=time(0)):
    return RegisteredJob(name="any", run=print, every=every, at=at)


class TestPeriods:
    def test_short_periods_are_cut_from_a_fixed_origin(self):
        assert job(timedelta(minutes=5)).period_start(
            datetime(2026, 11, 21, 12, 7, 30, tzinfo=UTC)
        ) == datetime(2026, 11, 21, 12, 5, tzinfo=UTC)

    def test_a_daily_job_follows_the_shops_clock(self):
        daily = job(timedelta(days=1), at=time(9))
        # 9 o'clock in Paris is 7:00 UTC in summer, 8:00 UTC in winter.
        assert daily.period_start(datetime(2026, 7, 1, 6, 59, tzinfo=UTC)) == datetime(
            2026, 6, 30, 9, tzinfo=PARIS
        )
        assert daily.period_start(datetime(2026, 7, 1, 7, 0, tzinfo=UTC)) == datetime(
            2026, 7, 1, 9, tzinfo=PARIS
        )
        assert daily.period_start(datetime(2026, 12, 1, 7, 59, tzinfo=UTC)) == datetime(
            2026, 11, 30, 9, tzinfo=PARIS
        )
        assert daily.period_start(datetime(2026, 12, 1, 8, 0, tzinfo=UTC)) == datetime(
            2026, 12, 1, 9, tzinfo=PARIS
        )

    def test_a_short_period_goes_on_through_the_hour_that_comes_twice(self):
        # On 25 October 2026 the clock of Paris shows 2:00 to 3:00 twice, from 0:00 and from 1:00 UTC.
        every = job(timedelta(minutes=5))
        starts = {every.period_start(datetime(2026, 10, 25, hour, 30, tzinfo=UTC)) for hour in (0, 1)}
        assert starts == {
            datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
            datetime(2026, 10, 25, 1, 30, tzinfo=UTC),
        }


class TestRegistration:
    def test_two_jobs_of_one_name_are_refused(self, calls):
        def other(now):
            """Another function."""

        with pytest.raises(ValueError, match="Two jobs are named 'hourly'"):
            scheduled_job("hourly", every=timedelta(hours=1))(other)

    def test_a_period_must_be_positive(self):
        with pytest.raises(ValueError, match="must be positive"):
            scheduled_job("never", every=timedelta(0))


@pytest.mark.django_db
class TestRunning:
    def test_runs_once_a_period(self, calls, clock):
        assert jobs.run_due_jobs() == {"hourly": Outcome.DONE}
        clock.advance(minutes=59, seconds=59)
        assert jobs.run_due_jobs() == {}
        clock.advance(seconds=1)
        assert jobs.run_due_jobs() == {"hourly": Outcome.DONE}
        assert calls == [NOON, NOON + timedelta(hours=1)]

    def test_catches_up_once_after_a_pause(self, calls, clock):
        jobs.run_due_jobs()
        clock.advance(days=2)
        assert jobs.run_due_jobs() == {"hourly": Outcome.DONE}
        assert jobs.run_due_jobs() == {}
        assert len(calls) == 2

    def test_a_rival_that_also_saw_it_due_finds_it_taken(self, calls, clock):
        assert jobs.due_jobs() == ["hourly"]
        assert jobs.run_job("hourly") is Outcome.DONE
        assert jobs.run_job("hourly") is Outcome.NOT_DUE
        assert calls == [NOON]

    def test_nobody_starts_it_while_it_runs(self, calls, clock):
        def long(now):
            clock.advance(minutes=5)
            assert jobs.run_job("long") is Outcome.NOT_DUE
            calls.append(now)

        scheduled_job("long", every=timedelta(minutes=1))(long)
        assert jobs.run_job("long") is Outcome.DONE
        assert calls == [NOON]

    def test_a_failure_is_kept_and_tried_again_after_five_minutes(self, calls, clock):
        def failing(now):
            raise RuntimeError("the provider is down")

        scheduled_job("failing", every=timedelta(days=1))(failing)
        assert jobs.run_job("failing") is Outcome.FAILED
        row = ScheduledJob.objects.get(name="failing")
        assert row.last_error.endswith("RuntimeError: the provider is down\n")
        assert row.last_finished_at is None
        clock.advance(minutes=4, seconds=59)
        assert jobs.run_job("failing") is Outcome.NOT_DUE
        clock.advance(seconds=1)
        assert jobs.run_job("failing") is Outcome.FAILED

    def test_success_clears_the_error(self, calls, clock):
        ScheduledJob.objects.create(name="hourly", last_error="earlier")
        jobs.run_due_jobs()
        row = ScheduledJob.objects.get(name="hourly")
        assert (row.last_error, row.locked_until, row.last_finished_at) == ("", None, NOON)

    def test_one_failing_job_does_not_keep_the_others_from_running(self, calls, clock):
        def broken(now):
            raise RuntimeError

        scheduled_job("a-broken", every=timedelta(hours=1))(broken)
        assert jobs.run_due_jobs() == {"a-broken": Outcome.FAILED, "hourly": Outcome.DONE}

    def test_a_killed_run_is_tried_again_when_its_reservation_ends(self, calls, clock):
        ScheduledJob.objects.create(name="hourly", last_started_at=NOON, locked_until=NOON + jobs.LEASE)
        clock.advance(seconds=jobs.LEASE.total_seconds() - 1)
        assert jobs.run_due_jobs() == {}
        clock.advance(seconds=1)
        assert jobs.run_due_jobs() == {"hourly": Outcome.DONE}

    def test_a_short_lease_brings_a_killed_run_back_sooner(self, calls, clock):
        def killed(now):
            raise KeyboardInterrupt  # nothing after it runs, as when the process is killed

        scheduled_job("killed", every=timedelta(days=1), lease=timedelta(seconds=30))(killed)
        with pytest.raises(KeyboardInterrupt):
            jobs.run_job("killed")
        clock.advance(seconds=29)
        assert jobs.due_jobs(["killed"]) == []
        clock.advance(seconds=1)
        assert jobs.due_jobs(["killed"]) == ["killed"]

    def test_trying_the_future_leaves_the_real_clock_alone(self, calls, clock):
        jobs.run_due_jobs()
        future = NOON + timedelta(days=40)
        assert jobs.run_due_jobs(now=future) == {"hourly": Outcome.DONE}
        assert calls == [NOON, future]
        assert ScheduledJob.objects.get(name="hourly").last_started_at == NOON
        clock.advance(hours=1)
        assert jobs.run_due_jobs() == {"hourly": Outcome.DONE}

    @pytest.mark.parametrize("ended", [True, False], ids=["ended", "killed"])
    def test_a_clock_that_was_years_ahead_stops_no_job(self, calls, clock, ended):
        clock.advance(days=800)
        if ended:
            assert jobs.run_due_jobs() == {"hourly": Outcome.DONE}
        else:
            jobs.due_jobs()
            ScheduledJob.objects.update(last_started_at=clock.now, locked_until=clock.now + jobs.LEASE)
        clock.now = NOON
        assert jobs.due_jobs() == ["hourly"]
        assert jobs.run_due_jobs() == {"hourly": Outcome.DONE}
        assert calls[-1] == NOON
        assert ScheduledJob.objects.get(name="hourly").last_started_at == NOON
        assert jobs.due_jobs() == []

    @pytest.mark.parametrize(("minutes", "late"), [(-4, True), (-3, False), (10, False), (11, True)])
    def test_work_that_ended_on_a_date_to_come_is_no_sign_of_life(self, clock, minutes, late):
        ScheduledJob.objects.create(name=jobs.PULSE_JOB, last_finished_at=NOON + timedelta(minutes=minutes))
        assert jobs.background_work_is_late() is late

    def test_a_job_that_another_machine_has_just_run_waits_for_its_period(self, calls, clock):
        clock.advance(hours=1, minutes=9)
        jobs.run_due_jobs()
        clock.now = NOON
        assert jobs.due_jobs() == []
        assert jobs.run_job("hourly") == Outcome.NOT_DUE

    def test_an_unknown_name_runs_nothing(self, calls, clock):
        with pytest.raises(UnknownJobError, match="nightly"):
            jobs.run_due_jobs(["hourly", "nightly"])
        assert calls == []

    def test_asking_what_is_due_costs_two_queries(self, calls, clock, django_assert_num_queries):
        scheduled_job("other", every=timedelta(hours=1))(lambda now: None)
        jobs.due_jobs()
        # 1 for the rows that exist, 1 for those that are due; the first time one more makes the rows.
        with django_assert_num_queries(2):
            assert jobs.due_jobs() == ["hourly", "other"]

    def test_the_tick_queues_what_is_due(self, calls, clock, queued_tasks):
        run_due_jobs.run()
        assert [(task.name, args) for task, args, _ in queued_tasks.calls] == [
            ("shop.core.tasks.run_scheduled_job", ("hourly",))
        ]
        queued_tasks.run()
        assert calls == [NOON]


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_two_beats_at_once_run_a_job_once(calls):
    from concurrent.futures import ThreadPoolExecutor
    from threading import Barrier

    from django.db import connection

    jobs.due_jobs()
    start = Barrier(8)

    def rival(_):
        start.wait()
        try:
            return jobs.run_job("hourly")
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as rivals:
        outcomes = sorted(rivals.map(rival, range(8)))
    assert outcomes == [Outcome.DONE] + [Outcome.NOT_DUE] * 7
    assert len(calls) == 1


@pytest.mark.django_db
class TestCommand:
    def run(self, *arguments):
        output = StringIO()
        call_command("run_due", *arguments, stdout=output)
        return output.getvalue()

    def test_says_what_it_ran(self, calls, clock):
        assert self.run() == "hourly: done\n"
        assert self.run() == "Nothing is due.\n"

    def test_takes_a_moment_of_the_future_in_debug(self, calls, clock, settings):
        settings.DEBUG = True
        self.run()
        assert self.run("hourly", "--at", "2027-01-15T09:00") == "hourly: done\n"
        assert calls[1] == datetime(2027, 1, 15, 9, tzinfo=PARIS)

    def test_refuses_the_future_in_production(self, calls, clock, settings):
        settings.DEBUG = False
        with pytest.raises(CommandError, match="only works with DEBUG on"):
            self.run("--at", "2027-01-15T09:00")
        assert calls == []

    @pytest.mark.parametrize("text", ["tomorrow", "2027-13-45T09:00", ""])
    def test_refuses_what_is_no_moment(self, calls, clock, settings, text):
        settings.DEBUG = True
        with pytest.raises(CommandError, match="is not a date and time such as 2027-01-15T09:00"):
            self.run("--at", text)
        assert calls == []

    def test_names_the_jobs_when_one_is_unknown(self, calls, clock):
        with pytest.raises(CommandError, match=r"No job is named nightly\. Jobs: hourly\."):
            self.run("nightly")

    def test_ends_with_an_error_when_a_job_failed(self, calls, clock):
        def broken(now):
            raise RuntimeError

        scheduled_job("broken", every=timedelta(hours=1))(broken)
        with pytest.raises(CommandError, match=r"Failed: broken\."):
            self.run()
