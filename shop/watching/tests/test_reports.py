"""Errors and traces leave over HTTP, and nothing of a person with them."""

import gzip
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import brotli
import pytest

ROOT = Path(__file__).resolve().parents[3]

# Both in a process of their own: they are started once, when the applications are.
FAIL = """
import os, sys
import django
django.setup()
from django.test import RequestFactory
from django.core.handlers.wsgi import WSGIHandler
from shop import urls

def fail(request, key):
    name = sys.argv[1]
    raise RuntimeError("zelie@example.com is not liked at 203.0.113.7")

# Its call comes without a form.
fail.csrf_exempt = True

from django.urls import path
urls.urlpatterns.insert(0, path("fails/<str:key>", fail, name="fails"))
environ = RequestFactory(REMOTE_ADDR="203.0.113.7").post(
    "/fails/" + "k" * 43 + "?email=zelie@example.com",
    {"name": "Quentin"},
    headers={"cookie": "sessionid=cookie-value", "host": "localhost"},
).environ
answer = []
WSGIHandler()(environ, lambda status, headers: answer.append(status))
# What a stranger sends is no error of the shop.
WSGIHandler()({**environ, "HTTP_HOST": "evil.example"}, lambda status, headers: answer.append(status))
assert answer[1].startswith("400"), answer
print(answer[0])
print([name for name in ("sentry_sdk", "opentelemetry.sdk.trace", "redis") if name in sys.modules])
if os.environ.get("SENTRY_DSN"):
    import sentry_sdk
    sentry_sdk.flush(5)
if os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT"):
    from opentelemetry import trace
    trace.get_tracer_provider().force_flush(5000)
"""


@pytest.fixture
def collector():
    """A server that takes whatever is posted: `(url, bodies)`."""
    bodies = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            read = {"gzip": gzip.decompress, "br": brotli.decompress}.get(
                self.headers["Content-Encoding"], bytes
            )
            bodies.append((self.path, read(body)))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}", bodies
    server.shutdown()
    server.server_close()


def run(tmp_path, **settings):
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG")}
    shop = {
        "DATA_DIR": str(tmp_path),
        "DEBUG": "true",
        "DJANGO_SETTINGS_MODULE": "shop.settings",
        "SECRET_KEY": "s" * 50,
        "SITE_URL": "http://localhost",
        "ALLOWED_HOSTS": "localhost",
        "TRACES_SAMPLE_RATE": "1",
    }
    ended = subprocess.run(
        # Not in the program: source lines are reported, and Python 3.13 knows those of `-c`.
        [sys.executable, "-c", FAIL, "Zélie Quentin"],
        cwd=ROOT,
        env={**kept, **shop, **settings},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    return ended.stdout.splitlines()


PERSONAL = ("zelie@example.com", "Zélie", "Z\\u00e9lie", "Quentin", "203.0.113.7", "cookie-value", "k" * 43)


def test_an_error_is_reported_without_a_word_of_a_person(tmp_path, collector):
    address, bodies = collector
    assert run(tmp_path, SENTRY_DSN=f"http://public@{address}/7") == [
        "500 Internal Server Error",
        "['sentry_sdk']",
    ]
    events = [
        json.loads(line)
        for _path, body in bodies
        for line in body.decode().splitlines()
        if '"exception"' in line
    ]
    assert [event["exception"]["values"][0]["value"] for event in events] == [
        "[e-mail] is not liked at [address]"
    ]
    assert len(events[0]["tags"]["request_id"]) == 32
    sent = b"".join(body for _path, body in bodies).decode()
    assert [word for word in PERSONAL if word in sent] == []


def test_a_request_is_traced_without_a_word_of_a_person(tmp_path, collector):
    address, bodies = collector
    assert run(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=f"http://{address}") == [
        "500 Internal Server Error",
        "['opentelemetry.sdk.trace']",
    ]
    assert {path for path, _body in bodies} == {"/v1/traces"}
    sent = b"".join(body for _path, body in bodies)
    assert b"fails/<str:key>" in sent
    assert [word for word in PERSONAL if word.encode() in sent] == []


def test_without_settings_no_library_of_theirs_is_loaded(tmp_path):
    assert run(tmp_path) == ["500 Internal Server Error", "[]"]
