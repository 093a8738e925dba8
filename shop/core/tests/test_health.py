"""Liveness asks nothing; readiness names what is missing and nothing more."""

import json
from datetime import timedelta
from threading import Event
from time import monotonic, sleep

import pytest
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import RequestFactory
from django.utils import timezone

from shop.core import health
from shop.core.models import ScheduledJob
from shop.core.readings import Age, Reading


@pytest.fixture(autouse=True)
def fresh_readings(monkeypatch):
    monkeypatch.setattr(health, "_last_readings", (0.0, []))
    # A process of tests is older than a start is given: no alert leaves but where a test asks for it.
    monkeypatch.setattr(health, "_next_alarm", monotonic() + health.ALARM_SECONDS)


def refuse():
    raise ConnectionError("redis://secret@10.0.0.7:6379 version 8.1 refused")


def hang():
    sleep(5)


@pytest.fixture
def checks(monkeypatch):
    """Three dependencies that answer."""
    working = dict.fromkeys(("database", "cache", "broker"), lambda: None)
    monkeypatch.setattr(health, "CHECKS", working)
    monkeypatch.setattr(health, "_readings", lambda: [reading(seconds=4)])
    return working


def reading(*, seconds):
    age = Age("workers", "Travail de fond", timedelta(minutes=3), "Prévenez.", lambda now: None)
    passed = timedelta(seconds=seconds)
    return Reading(age, timezone.now() - passed, passed, is_late=passed > age.limit)


AGES = b'{"workers": {"seconds": 4, "limit": 180, "late": false}}'
READY = b'{"status": "ready", "background": "running", "ages": %s}' % AGES


def ready():
    return health.readyz(RequestFactory().get("/readyz"))


def test_alive_asks_nobody(checks):
    checks.update(database=refuse, cache=refuse, broker=refuse)
    response = health.healthz(RequestFactory().get("/healthz"))
    assert (response.status_code, response.content) == (200, b"ok")
    assert "no-store" in response["Cache-Control"]


def test_alive_makes_no_query(client):
    # Without the database mark a query would be an error.
    response = client.get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok")


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_a_prober_may_call_by_address_and_over_plain_http(client, checks, settings, path):
    settings.ALLOWED_HOSTS = ["shop.example"]
    settings.SECURE_SSL_REDIRECT = True
    assert client.get(path, headers={"host": "10.0.0.7:8000"}).status_code == 200


def test_ready(checks):
    response = ready()
    assert (response.status_code, response.content) == (200, READY)
    assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize("name", ["database", "cache", "broker"])
def test_names_the_one_that_fails_and_nothing_else(checks, name):
    checks[name] = refuse
    response = ready()
    assert response.status_code == 503
    assert response.content.decode() == f'{{"status": "unavailable", "unavailable": ["{name}"]}}'


def test_answers_within_two_seconds_when_everything_hangs(checks):
    checks.update(database=hang, cache=hang, broker=hang)
    started = monotonic()
    response = ready()
    assert monotonic() - started < 2
    assert response.status_code == 503
    assert response.content == b'{"status": "unavailable", "unavailable": ["database", "cache", "broker"]}'


@pytest.mark.django_db(transaction=True)
def test_the_real_checks_pass_here(client):
    response = client.get("/readyz")
    assert response.status_code == 200
    never, none = {"seconds": None, "late": True}, {"seconds": None, "late": False}
    assert response.json() == {
        "status": "ready",
        "background": "late",
        "ages": {
            "scheduler": {**never, "limit": 180},
            "workers": {**never, "limit": 180},
            "queue-images": {**none, "limit": 1800},
            "queue-webhooks": {**none, "limit": 1800},
            "jobs": {**none, "limit": 7200},
            "mails": {**none, "limit": 7200},
            "mail-refusals": {**none, "limit": 600},
            "disk": {**never, "limit": 600},
            "provider-events": {**none, "limit": 1800},
        },
    }


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("age", "expected"), [(170, "running"), (190, "late")])
def test_readyz_after_the_last_sweep_tells_whether_background_work_runs(client, age, expected):
    ScheduledJob.objects.create(name="mail-sweep", last_finished_at=timezone.now() - timedelta(seconds=age))
    response = client.get("/readyz")
    assert (response.status_code, response.json()["background"]) == (200, expected)
    workers = response.json()["ages"]["workers"]
    assert (workers["limit"], workers["late"]) == (180, expected == "late")
    assert age <= workers["seconds"] <= age + 5


@pytest.mark.parametrize("down", [[], ["cache", "broker"]])
def test_readyz_with_late_background_work_logs_one_error_and_sends_the_alerts(
    checks, monkeypatch, caplog, down
):
    checks.update(dict.fromkeys(down, refuse))
    monkeypatch.setattr(health, "_readings", lambda: [reading(seconds=181)])
    monkeypatch.setattr(health, "_next_alarm", monotonic() - 1)
    ran, ended = [], Event()
    monkeypatch.setattr(health, "run_job", lambda name: (ran.append(name), ended.set()))
    ready()
    response = ready()
    answer = json.loads(response.content)
    # Late work alone takes no server away from visitors.
    assert (response.status_code, answer.get("background"), answer.get("unavailable")) == (
        (503, None, down) if down else (200, "late", None)
    )
    # What no worker does.
    assert ended.wait(5)
    assert ran == ["alerts"]
    assert [(record.levelname, record.message) for record in caplog.records] == [
        ("ERROR", "Background work is late: look at the workers, the beat and the broker.")
    ]


def test_alerts_that_cannot_be_sent_from_here_are_told_in_the_log(monkeypatch, caplog):
    def locked(name):
        raise OperationalError("database is locked")

    monkeypatch.setattr(health, "run_job", locked)
    health._run_alerts()
    assert [(record.levelname, record.message) for record in caplog.records] == [
        ("ERROR", "The alerts could not be sent from here.")
    ]


def test_readyz_asked_again_and_again_reads_the_ages_once_in_five_seconds(checks, monkeypatch):
    monkeypatch.undo()
    asked = []
    monkeypatch.setattr(health, "read_ages", lambda now: asked.append(now) or [reading(seconds=1)])
    monkeypatch.setattr(health, "_last_readings", (0.0, []))
    for _time in range(3):
        health._readings()
    assert len(asked) == 1
    monkeypatch.setattr(health, "READINGS_SECONDS", 0.0)
    health._readings()
    assert len(asked) == 2


@pytest.mark.parametrize("fault", [refuse, hang])
def test_readyz_when_nobody_tells_of_background_work_still_answers(checks, monkeypatch, fault):
    monkeypatch.setattr(health, "_readings", fault)
    started = monotonic()
    assert ready().content == b'{"status": "ready", "background": "unknown"}'
    assert monotonic() - started < 2


@pytest.mark.django_db(transaction=True)
def test_a_database_that_was_not_migrated_is_not_ready_until_it_is(
    client, monkeypatch, django_assert_num_queries
):
    monkeypatch.setattr(health, "_is_migrated", False)
    recorder = MigrationRecorder(connection)
    last = max(name for app, name in health.migrations_on_disk() if app == "catalog")
    recorder.record_unapplied("catalog", last)
    try:
        for _again in range(2):
            answer = client.get("/readyz")
            assert (answer.status_code, answer.json()) == (
                503,
                {"status": "unavailable", "unavailable": ["migrations"]},
            )
    finally:
        recorder.record_applied("catalog", last)
    assert client.get("/readyz").status_code == 200
    with django_assert_num_queries(0):
        health.check_migrations()


def test_migrations_on_disk_are_those_that_django_loads():
    assert health.migrations_on_disk() == set(MigrationLoader(None).disk_migrations)


@pytest.mark.django_db(transaction=True)
def test_a_database_without_a_table_is_not_ready(monkeypatch):
    monkeypatch.setattr(health, "_is_migrated", False)
    monkeypatch.setattr(MigrationRecorder, "has_table", lambda recorder: False)
    with pytest.raises(ConnectionError, match=r"The database waits for `manage\.py migrate`\."):
        health.check_migrations()


def test_of_a_database_that_is_away_only_that_is_told(checks):
    checks.update(database=refuse, migrations=refuse)
    assert health.unavailable_services() == ["database"]


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_database_that_takes_no_writes_is_down():
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
    try:
        with pytest.raises(ConnectionError, match=r"The database is read-only\."):
            health.check_database()
    finally:
        # The pool would give this connection to another test.
        connection.close_pool()
    health.check_database()


def test_a_cache_that_forgets_is_down(settings):
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}
    with pytest.raises(ConnectionError):
        health.check_cache()


def test_a_queue_that_cannot_be_written_is_down(settings, tmp_path):
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"data_folder_out": str(tmp_path / "gone")}
    with pytest.raises(ConnectionError):
        health.check_broker()
