"""What is no value of a setting stops the start with a sentence, and no password in it."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from shop.setting_values import SettingValues

NAME = "SETTING_OF_A_TEST"
Read = Callable[[SettingValues], object]


@pytest.fixture
def env(tmp_path: Path) -> SettingValues:
    return SettingValues(tmp_path / "none.env")


@pytest.mark.parametrize(
    ("value", "read", "words"),
    [
        ("flase", lambda env: env.flag(NAME, default=True), "flase says neither true nor false"),
        ("one", lambda env: env.number(NAME, default=0), "one is no whole number, such as 0"),
        ("-1", lambda env: env.number(NAME, default=0), "-1 is less than 0"),
        ("70000", lambda env: env.number(NAME, default=1, most=65535), "70000 is more than 65535"),
        ("5", lambda env: env.share(NAME, default=0.05), "5 is no number from 0 to 1, such as 0.05"),
        ("nan", lambda env: env.share(NAME, default=0.05), "nan is no number from 0 to 1"),
        ("xml", lambda env: env.choice(NAME, ("text", "json"), default="text"), "xml is none of text, json"),
        ("checkout", lambda env: env.numbers(NAME), "checkout is no name and number"),
        ("a=many", lambda env: env.numbers(NAME), "a=many is no name and number"),
        ("host:4318", lambda env: env.address(NAME, example="http://x"), "is no address such as http://x"),
        ("http://redis:6379", lambda env: env.redis(NAME), "is no address such as redis://"),
        ("redis://redis:port", lambda env: env.redis(NAME), "is no address such as redis://"),
        ("https://sentry.example/7", lambda env: env.sentry(NAME), "is no address such as https://KEY@"),
        ("secret", lambda env: env.database(NAME), "is no address such as postgresql://"),
        ("mysql://u:secret@h/shop", lambda env: env.database(NAME), "is no address such as postgresql://"),
        ("postgresql://u:secret/x@h/shop", lambda env: env.database(NAME), "is no address such as"),
        ("postgresql://u:12/secret@h/shop", lambda env: env.database(NAME), "is no address such as"),
        ("postgresql://u:secret@h", lambda env: env.database(NAME), "is no address such as postgresql://"),
        ("mail.example:587", lambda env: env.mail_server(NAME), "is no address of a mail server"),
        ("smtp://u:secret@", lambda env: env.mail_server(NAME), "is no address of a mail server"),
        ("operator", lambda env: env.mailboxes(NAME), "operator is no e-mail address"),
        ("a@b.fr;c@d.fr", lambda env: env.mailboxes(NAME), "a@b.fr;c@d.fr is no e-mail address"),
        ("Shop <shop>", lambda env: env.mailbox(NAME, default=""), "Shop <shop> is no e-mail address"),
    ],
)
def test_value_that_is_none_is_refused_in_a_sentence(
    env: SettingValues, monkeypatch: pytest.MonkeyPatch, value: str, read: Read, words: str
) -> None:
    monkeypatch.setenv(NAME, value)
    with pytest.raises(ImproperlyConfigured, match=re.escape(words)) as refused:
        read(env)
    assert str(refused.value).startswith(NAME)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("value", "read", "expected"),
    [
        # An empty line closes what is closed by default, and opens nothing.
        ("", lambda env: env.flag(NAME, default=True), True),
        (" Off ", lambda env: env.flag(NAME, default=True), False),
        ("yes", lambda env: env.flag(NAME, default=False), True),
        ("", lambda env: env.number(NAME, default=8000), 8000),
        ("", lambda env: env.text(NAME, default="production"), "production"),
        (" whsec_1 ", lambda env: env.text(NAME), "whsec_1"),
        ("info", lambda env: env.choice(NAME, ("INFO", "ERROR"), default="ERROR"), "INFO"),
        ("0.5", lambda env: env.share(NAME, default=0.05), 0.5),
        ("a=60;b=10", lambda env: env.numbers(NAME), {"a": 60, "b": 10}),
        (
            "shop.example, www.shop.example,",
            lambda env: env.texts(NAME),
            ["shop.example", "www.shop.example"],
        ),
        (" ", lambda env: env.texts(NAME, default=["a"]), ["a"]),
        ("", lambda env: env.database(NAME), {}),
        ("Shop <a@shop.example>", lambda env: env.mailbox(NAME, default=""), "Shop <a@shop.example>"),
        ("https://key@sentry.example/7", lambda env: env.sentry(NAME), "https://key@sentry.example/7"),
        ("rediss://:word@redis:6379/0", lambda env: env.redis(NAME), "rediss://:word@redis:6379/0"),
    ],
)
def test_value_is_read(
    env: SettingValues, monkeypatch: pytest.MonkeyPatch, value: str, read: Read, expected: object
) -> None:
    monkeypatch.setenv(NAME, value)
    assert read(env) == expected


def test_file_of_settings_that_cannot_be_read_is_not_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / ".env").symlink_to(tmp_path / "shop.env")
    with pytest.raises(
        ImproperlyConfigured, match=r"\.env leads to no file, or to one that this user can't read"
    ):
        SettingValues(tmp_path / ".env")
    (tmp_path / "shop.env").touch()
    SettingValues(tmp_path / ".env")


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("METRICS_DIR", "/etc/passwd", "METRICS_DIR=/etc/passwd can't be made: File exists.\n"),
        # Nobody could order: an order that is being paid is one that is unpaid.
        ("UNPAID_ORDERS_LIMIT", "0", "UNPAID_ORDERS_LIMIT=0 is less than 1.\n"),
    ],
)
def test_a_command_with_a_value_that_is_none_ends_with_its_sentence_alone(
    tmp_path: Path, name: str, value: str, sentence: str
) -> None:
    ended = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DATA_DIR": str(tmp_path), name: value},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (1, sentence)


def test_database_of_a_socket_needs_no_host(env: SettingValues, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "postgresql:///shop")
    assert env.database(NAME)["NAME"] == "shop"


def test_sqlite_file_that_an_address_names_has_the_options_of_the_shop_s_own(tmp_path: Path) -> None:
    shown = subprocess.run(
        [sys.executable, "-c", "from shop.settings import DATABASES; print(DATABASES['default'])"],
        cwd=settings.BASE_DIR,
        env={
            **os.environ,
            "DATA_DIR": str(tmp_path),
            "DATABASE_URL": f"sqlite:///{tmp_path}/moved back.sqlite3",
        },
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert f"'NAME': '{tmp_path}/moved back.sqlite3'" in shown
    # Writers queue; without it two at once are « database is locked ».
    assert "'transaction_mode': 'IMMEDIATE'" in shown


def test_the_level_of_the_log_goes_for_loggers_with_a_level_of_their_own(tmp_path: Path) -> None:
    script = (
        "import logging.config; from shop.settings import LOGGING; logging.config.dictConfig(LOGGING);"
        "[logging.getLogger(name).log(level, name) for name, level in"
        " (('stripe', 20), ('celery.app.trace', 30), ('shop', 30), ('stripe', 40))]"
    )
    written = subprocess.run(
        [sys.executable, "-c", script],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DATA_DIR": str(tmp_path), "LOG_LEVEL": "ERROR"},
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    assert [line.split()[2:] for line in written.splitlines()] == [["ERROR", "stripe:", "stripe"]]


@pytest.mark.parametrize("name", ["celery.beat", "celery.app.trace", "celery.worker.strategy"])
def test_neither_ticks_nor_tasks_that_went_well_are_lines_of_the_log(name: str) -> None:
    logger = logging.getLogger(name)
    assert (logger.isEnabledFor(logging.INFO), logger.isEnabledFor(logging.WARNING)) == (False, True)
