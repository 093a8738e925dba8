"""A line of the log: what it belongs to, and what is hidden in it."""

import json
import logging
import sys

import pytest
from django.conf import settings
from django.db import InternalError, OperationalError
from django.test import RequestFactory
from django.utils.module_loading import import_string

from shop.core.log_lines import JsonLine, TextLine, bind, given_request_id, hide, note_order, unbind


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("no mail to lea.martin+x@mail.example.com.", "no mail to [e-mail]."),
        ("refused from 203.0.113.7:443", "refused from [address]:443"),
        ("from 2001:db8::7 and ::1", "from [address] and [address]"),
        ("at 12:30:45, 3.11.7, 1.2.3.4.5", "at 12:30:45, 3.11.7, 1.2.3.4.5"),
        ("redis://user:secret@cache.example:6379/0", "redis://[password]@cache.example:6379/0"),
        ("postgresql://shop:p%40ss@10.0.0.7/shop", "postgresql://[password]@[address]/shop"),
        ("Authorization: Bearer abcdefgh12345", "Authorization: Bearer [key]"),
        ("key sk_live_51Habc and whsec_abc", "key [key] and [key]"),
        ("/auth/lien/" + "a" * 40, "/auth/lien/[key]"),
        (
            'violates "x"\nDETAIL:  Key (email)=(Léa) exists.\nLINE 1',
            'violates "x"\nDETAIL: [values]\nLINE 1',
        ),
        ("order 3f0d5b0c-8a39-4e3b-9f0e-9d3b6a7c1e11", "order 3f0d5b0c-8a39-4e3b-9f0e-9d3b6a7c1e11"),
    ],
)
def test_what_is_personal_or_opens_something_is_hidden(text, hidden):
    assert hide(text) == hidden


def record(message="paid", **extra):
    try:
        raise RuntimeError("lea@example.com is taken")
    except RuntimeError:
        info = sys.exc_info() if extra.pop("fails", False) else None
    made = logging.LogRecord("shop.orders", logging.ERROR, "x.py", 1, message, (), info)
    made.__dict__.update(extra)
    return made


def test_a_json_line_holds_its_fields_and_nothing_that_a_caller_added():
    token = bind({"task": "orders.tasks.collect", "task_id": "t-1", "request_id": "abc"})
    note_order("o-1")
    try:
        fields = json.loads(
            JsonLine().format(record(fails=True, email="lea@example.com", data={"args": "Léa"}))
        )
    finally:
        unbind(token)
    assert fields.pop("time").endswith("+00:00")
    traceback = fields.pop("exception")
    assert traceback.endswith("RuntimeError: [e-mail] is taken")
    assert fields == {
        "level": "ERROR",
        "logger": "shop.orders",
        "message": "paid",
        "task": "orders.tasks.collect",
        "task_id": "t-1",
        "request_id": "abc",
        "order": "o-1",
    }


@pytest.mark.parametrize(
    ("logger", "error", "end"),
    [
        ("celery.app.trace", OperationalError("away"), "raised OperationalError('away')"),
        ("shop.core.each_row", OperationalError("away"), "raised OperationalError('away')"),
        (
            "shop.core.jobs",
            OperationalError("gone"),
            "raised OperationalError('away'): OperationalError: gone",
        ),
        (
            "shop.core.jobs",
            InternalError("a bug"),
            "raised OperationalError('away')\ndjango.db.utils.InternalError: a bug",
        ),
        (
            "shop.orders",
            OperationalError("away"),
            "raised OperationalError('away')\ndjango.db.utils.OperationalError: away",
        ),
    ],
)
def test_a_task_that_an_outage_ended_is_one_line(logger, error, end):
    handler = logging.StreamHandler()
    handler.setFormatter(TextLine())
    for name in settings.LOGGING["handlers"]["console"]["filters"]:
        handler.addFilter(import_string(settings.LOGGING["filters"][name]["()"])())
    message = "raised OperationalError('away')"
    made = logging.LogRecord(logger, logging.ERROR, "x.py", 1, message, (), (type(error), error, None))
    handler.filter(made)
    assert handler.format(made).endswith(f"ERROR {logger}: {end}")


def test_a_text_line_hides_in_its_traceback_too():
    assert (
        TextLine().format(record("no mail to a@b.fr", fails=True)).endswith("RuntimeError: [e-mail] is taken")
    )


def test_a_text_line_stays_one_line_whatever_a_stranger_sent():
    line = TextLine().format(record("GET /x\n2026-01-01 ERROR shop: paid\r\x1b[31m\u2028é"))
    assert line.endswith(r"GET /x\n2026-01-01 ERROR shop: paid\r\x1b[31m\u2028é")


def test_outside_of_requests_a_line_belongs_to_nothing():
    note_order("o-1")
    assert json.loads(JsonLine().format(record())).keys() == {"time", "level", "logger", "message"}


def test_lines_of_one_request_have_one_id_that_is_made_when_a_line_needs_it():
    request = RequestFactory().get("/")
    token = bind(request)
    try:
        assert not hasattr(request, "log_context")
        ids = {json.loads(JsonLine().format(record()))["request_id"] for _line in range(2)}
    finally:
        unbind(token)
    # As those are that Django writes when the middleware has ended.
    ids.add(json.loads(JsonLine().format(record(request=request)))["request_id"])
    assert ids == {request.log_context["request_id"]}


@pytest.mark.parametrize(
    ("proxies", "given", "taken"),
    [
        (1, "0123456789abcdef", "0123456789abcdef"),
        (0, "0123456789abcdef", ""),
        (1, "short", ""),
        (1, "x" * 65, ""),
        (1, "with space and\nline", ""),
        (1, "détourné-123", ""),
    ],
)
def test_a_request_id_is_a_trusted_proxys_plain_word(settings, proxies, given, taken):
    settings.TRUSTED_PROXIES = proxies
    assert given_request_id(RequestFactory().get("/", headers={"x-request-id": given})) == taken


def test_settings_with_secrets_are_not_shown_by_their_reprs(settings):
    assert settings.SECRET_KEY not in repr(settings)
    from django.views.debug import SafeExceptionReporterFilter

    settings.STRIPE_SECRET_KEY, settings.METRICS_TOKEN = "sk_live_shown", "token-shown"
    settings.EMAIL_URL = "smtp://user:password-shown@mail.example"
    shown = str(SafeExceptionReporterFilter().get_safe_settings())
    assert [word for word in (settings.SECRET_KEY, "sk_live_shown", "token-shown") if word in shown] == []
