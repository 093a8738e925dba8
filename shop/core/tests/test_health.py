"""Liveness asks nothing; readiness names what is missing and nothing more."""

from datetime import timedelta
from time import monotonic, sleep

import pytest
from django.test import RequestFactory
from django.utils import timezone

from shop.core import health
from shop.core.models import ScheduledJob


def refuse():
    raise ConnectionError("redis://secret@10.0.0.7:6379 version 8.1 refused")


def hang():
    sleep(5)


@pytest.fixture
def checks(monkeypatch):
    """Three dependencies that answer."""
    working = dict.fromkeys(("database", "cache", "broker"), lambda: None)
    monkeypatch.setattr(health, "CHECKS", working)
    monkeypatch.setattr(health, "_background_is_late", lambda: False)
    return working


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
    assert (response.status_code, response.content) == (200, b'{"status": "ready", "background": "running"}')
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
    assert (response.status_code, response.json()) == (200, {"status": "ready", "background": "late"})


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("age", "expected"), [(170, "running"), (190, "late")])
def test_readyz_after_the_last_sweep_tells_whether_background_work_runs(client, age, expected):
    ScheduledJob.objects.create(name="mail-sweep", last_finished_at=timezone.now() - timedelta(seconds=age))
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (200, {"status": "ready", "background": expected})


def test_readyz_with_late_background_work_logs_one_error_and_stays_200(checks, monkeypatch, caplog):
    monkeypatch.setattr(health, "_background_is_late", lambda: True)
    monkeypatch.setattr(health, "_next_alarm", monotonic() - 1)
    ready()
    response = ready()
    assert (response.status_code, response.content) == (200, b'{"status": "ready", "background": "late"}')
    assert [(record.levelname, record.message) for record in caplog.records] == [
        ("ERROR", "Background work is late: look at the workers, the beat and the broker.")
    ]


@pytest.mark.parametrize("fault", [refuse, hang])
def test_readyz_when_nobody_tells_of_background_work_still_answers(checks, monkeypatch, fault):
    monkeypatch.setattr(health, "_background_is_late", fault)
    started = monotonic()
    assert ready().content == b'{"status": "ready", "background": "unknown"}'
    assert monotonic() - started < 2


def test_a_cache_that_forgets_is_down(settings):
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}
    with pytest.raises(ConnectionError):
        health.check_cache()


def test_a_queue_that_cannot_be_written_is_down(settings, tmp_path):
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"data_folder_out": str(tmp_path / "gone")}
    with pytest.raises(ConnectionError):
        health.check_broker()
