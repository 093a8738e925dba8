"""`/metrics`: what all processes counted, what the database says, for who may read it."""

import errno
import gc
import re
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from prometheus_client.mmap_dict import MmapedDict, mmap_key

from shop.core import jobs
from shop.core.jobs import Outcome
from shop.core.models import OutgoingMail, ScheduledJob
from shop.watching import metrics, scrape

pytestmark = pytest.mark.django_db


@pytest.fixture
def client():
    """A browser whose process has counted a request."""
    browser = Client()
    browser.get("/healthz")
    return browser


def read(client):
    response = client.get("/metrics")
    assert response.status_code == 200
    return dict(re.findall(r"^([^#\s]\S*(?:\{.*\})?) (\S+)$", response.content.decode(), re.MULTILINE))


def requests_to(found, route, method, status):
    return float(
        found.get(f'shop_request_seconds_count{{method="{method}",route="{route}",status="{status}"}}', 0)
    )


def test_methods_that_visitors_invent_take_no_memory(client):
    client.generic("INVENTED", "/contact")
    before = len(gc.get_objects())
    for number in range(2000):
        metrics.request_seconds("contact", f"INVENTED{number}", 405)
    assert len(gc.get_objects()) - before < 500


def test_requests_are_counted_by_route_never_by_address(client):
    before = read(client)
    client.get("/contact")
    client.get("/no-such-page-1?email=lea@example.com")
    client.get("/healthz")
    client.generic("INVENTED", "/contact")
    after = read(client)
    counted = {
        name: requests_to(after, *name) - requests_to(before, *name)
        for name in (("contact", "GET", 200), ("(health)", "GET", 200), ("contact", "other", 405))
    }
    assert counted == {("contact", "GET", 200): 1, ("(health)", "GET", 200): 1, ("contact", "other", 405): 1}
    assert not [name for name in after if "no-such-page" in name or "INVENTED" in name or "@" in name]


def test_the_database_tells_ages_jobs_and_figures(client):
    now = timezone.now()
    OutgoingMail.objects.create(kind="x", to="a@example.com", next_attempt_at=now - timedelta(hours=3))
    ScheduledJob.objects.create(name="mail-sweep", last_finished_at=now - timedelta(minutes=10))
    ScheduledJob.objects.create(name="somebody-elses", last_finished_at=now)
    found = read(client)
    assert 10800 <= float(found['shop_age_seconds{age="mails"}']) < 10860
    assert found['shop_age_limit_seconds{age="mails"}'] == "7200.0"
    assert (found['shop_age_late{age="mails"}'], found['shop_age_late{age="provider-events"}']) == (
        "1.0",
        "0.0",
    )
    assert found['shop_mails{state="queued"}'] == "1.0"
    assert 600 <= float(found['shop_job_age_seconds{job="mail-sweep"}']) < 660
    assert 'shop_job_age_seconds{job="somebody-elses"}' not in found
    assert found["shop_database_answers"] == "1.0"
    assert {
        found[name]
        for name in ("shop_unprocessed_events", "shop_orders_paid_last_hour", "shop_stock_held_units")
    } == {"0.0"}


def test_without_a_database_what_was_counted_is_told(client, monkeypatch):
    def away(now):
        raise OperationalError

    monkeypatch.setattr(scrape, "read_ages", away)
    found = read(client)
    assert found["shop_database_answers"] == "0.0"
    assert not [name for name in found if name.startswith("shop_age")]
    assert [name for name in found if name.startswith("shop_request_seconds_count")]


@pytest.mark.parametrize(
    ("token", "headers", "address", "status"),
    [
        ("", {}, "127.0.0.1", 200),
        ("", {}, "::1", 200),
        ("", {}, "203.0.113.7", 403),
        ("", {}, "", 403),
        ("", {"x-forwarded-for": "127.0.0.1"}, "127.0.0.1", 403),
        ("secret-token", {}, "127.0.0.1", 403),
        ("secret-token", {"authorization": "Bearer wrong"}, "127.0.0.1", 403),
        ("secret-token", {"authorization": "Bearer secret-token"}, "203.0.113.7", 200),
    ],
)
def test_metrics_are_read_with_the_token_or_from_this_machine(
    client, settings, token, headers, address, status
):
    settings.METRICS_TOKEN = token
    response = client.get("/metrics", headers=headers, REMOTE_ADDR=address)
    assert (response.status_code, response["Cache-Control"]) == (status, "no-store")
    assert (b"shop_request_seconds" in response.content) is (status == 200)


def test_pages_from_the_cache_are_counted_once_a_second(monkeypatch):
    written = []
    monkeypatch.setattr(metrics, "_hits", metrics.count(1))
    monkeypatch.setattr(metrics, "_hits_written", 0)
    monkeypatch.setattr(metrics, "_hits_written_at", 0.0)
    monkeypatch.setattr(
        type(metrics._cached_pages.labels("page")), "inc", lambda self, number: written.append(number)
    )
    for moment in (100.0, 100.1, 100.9, 101.2, 101.3):
        metrics.count_cached_page(moment)
    assert written == [1, 3]


def write(folder, process, value):
    file = MmapedDict(str(folder / f"histogram_{metrics.HOST}-{process}.db"))
    file.write_value(KEY, value, 0.0)
    file.close()


KEY = mmap_key("shop_task_seconds", "shop_task_seconds_sum", ("task",), ("a",), "Tasks")


def test_what_ended_processes_counted_is_kept_in_one_file(tmp_path, monkeypatch):
    monkeypatch.setattr(metrics, "_is_alive", lambda process: process == 3)
    for process, value in ((1, 5.0), (2, 7.0), (3, 11.0)):
        write(tmp_path, process, value)
    for _time in range(2):
        metrics.add_up_ended(tmp_path)
        assert {path.name for path in tmp_path.iterdir()} == {
            f"histogram_{metrics.HOST}-3.db",
            f"histogram_{metrics.HOST}-ended.db",
        }
        [(key, value, _at, _pos)] = MmapedDict.read_all_values_from_file(
            str(tmp_path / f"histogram_{metrics.HOST}-ended.db")
        )
        assert (key, value) == (KEY, 12.0)


def test_files_of_ended_processes_go_where_nobody_reads_the_metrics(tmp_path, monkeypatch, settings):
    settings.METRICS_DIR = tmp_path
    monkeypatch.setattr(metrics, "_is_alive", lambda process: process == 3)
    for process in (1, 2, 3):
        write(tmp_path, process, 5.0)
    assert jobs.run_job("ended-counters") == Outcome.DONE
    assert {path.name for path in tmp_path.glob("*.db")} == {
        f"histogram_{metrics.HOST}-3.db",
        f"histogram_{metrics.HOST}-ended.db",
    }


def test_answers_name_their_request_but_pages_for_everybody(client, settings):
    settings.TRUSTED_PROXIES = 1
    headers = {"x-request-id": "proxy-0123456789"}
    assert client.get("/auth", headers=headers)["X-Request-ID"] == "proxy-0123456789"
    assert len(client.get("/auth")["X-Request-ID"]) == 32
    assert "X-Request-ID" not in client.get("/", headers=headers)


def test_a_file_of_counters_has_its_blocks_before_it_is_written_to(tmp_path):
    file = tmp_path / "counter_host-1.db"
    counters = metrics.ReservedDict(str(file))
    counters.write_value("visits", 3.0, 0.0)
    counters.close()
    assert file.stat().st_blocks * 512 >= metrics.RESERVED_BYTES
    again = metrics.ReservedDict(str(file))
    assert again.read_value("visits")[0] == 3.0
    again.close()


def test_what_a_full_disk_cannot_count_does_not_cost_the_answer(monkeypatch):
    def full(*_arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("shop.watching.middleware.request_seconds", full)
    monkeypatch.setattr("shop.watching.middleware.count_cached_page", full)
    assert Client().get("/healthz").content == b"ok"
