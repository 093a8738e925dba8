"""`manage.py check --deploy` says what a shop that is open to visitors lacks."""

import pytest
from django.core import checks

from shop.core import deploy_checks

LOCAL = {"ENGINE": "shop.core.postgresql", "NAME": "shop", "HOST": "/var/run/postgresql"}
REMOTE = {**LOCAL, "HOST": "db.example"}
S3 = "https://key:secret@s3.example.com/pictures"


@pytest.fixture
def server(production, tmp_path, monkeypatch):
    """A small server behind its proxy, with nothing missing."""
    production.TRUSTED_PROXIES = 1
    production.DEFAULT_FROM_EMAIL = "boutique@shop.example"
    production.STATIC_ROOT = tmp_path
    production.ASSET_MANIFEST = tmp_path / "manifest.json"
    for name in ("manifest.json", "staticfiles.json"):
        (tmp_path / name).touch()
    monkeypatch.setitem(production.DATABASES, "default", LOCAL)
    production.REDIS_URL = "redis://127.0.0.1:6379/0"
    return production


def found() -> list[str]:
    registered = (
        deploy_checks.check_media_settings,
        deploy_checks.check_proxy,
        deploy_checks.check_engines,
        deploy_checks.check_metrics_token,
        deploy_checks.check_sender_and_files,
    )
    assert all(
        check in checks.registry.registry.get_checks(include_deployment_checks=True) for check in registered
    )
    return [message.id for check in registered for message in check()]


def test_a_small_server_with_everything_set_lacks_nothing(server):
    assert found() == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"TRUSTED_PROXIES": 0}, ["shop.W042"]),
        ({"DEFAULT_FROM_EMAIL": "boutique@example.com"}, ["shop.W046"]),
        ({"METRICS_TOKEN": "x"}, ["shop.W049"]),
        ({"METRICS_TOKEN": "x" * 31}, ["shop.W049"]),
        ({"METRICS_TOKEN": "x" * 32}, []),
        ({"REDIS_URL": "redis://redis.example:6379/0"}, ["shop.W045"]),
        ({"DATABASE": REMOTE}, ["shop.W045"]),
        ({"DATABASE": {"ENGINE": "django.db.backends.sqlite3", "NAME": "a"}}, ["shop.I048"]),
        ({"DATABASE": REMOTE, "REDIS_URL": ""}, ["shop.W044", "shop.W045"]),
        (
            {
                "DATABASE": {"ENGINE": "django.db.backends.sqlite3", "NAME": "a"},
                "REDIS_URL": "redis://redis.example:6379/0",
                "MEDIA_S3_URL": S3,
                "MEDIA_S3_PRIVATE_BUCKET": "letters",
                "MEDIA_PUBLIC_URL": "https://media.shop.example",
            },
            ["shop.W043"],
        ),
        (
            {
                "MEDIA_S3_URL": S3,
                "MEDIA_S3_PRIVATE_BUCKET": "",
                "MEDIA_PUBLIC_URL": "http://s3.example.com/pictures",
            },
            ["shop.E040", "shop.E041"],
        ),
        (
            {
                "MEDIA_S3_URL": S3,
                "MEDIA_S3_PRIVATE_BUCKET": "pictures",
                "MEDIA_PUBLIC_URL": "https://media.shop.example",
                "STORAGES": {"default": {"BACKEND": "", "OPTIONS": {"url": S3}}},
            },
            ["shop.E040"],
        ),
    ],
)
def test_what_a_server_lacks_is_named(server, monkeypatch, changes, expected):
    monkeypatch.setitem(server.DATABASES, "default", changes.get("DATABASE", LOCAL))
    for name, value in changes.items():
        if name != "DATABASE":
            setattr(server, name, value)
    assert found() == expected


def test_files_that_were_not_made_are_named_with_their_commands(server, tmp_path):
    (tmp_path / "staticfiles.json").unlink()
    (message,) = deploy_checks.check_sender_and_files()
    assert (message.id, message.hint) == ("shop.I047", "Run manage.py collectstatic.")


def test_development_is_asked_for_nothing_of_it(server):
    server.DEBUG = True
    server.TRUSTED_PROXIES = 0
    assert found() == []
