"""What a shop that is open to visitors still lacks (`manage.py check --deploy`), each in a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks

from shop.core.checks import TAG
from shop.loopback import is_loopback

METRICS_TOKEN_MIN_LENGTH = 32


def _is_elsewhere(host: str) -> bool:
    """Return whether a server of this name or address is another machine; "" and a path are a socket of this one."""
    return bool(host) and not host.startswith("/") and not is_loopback(host)


def uses_several_machines() -> bool:
    """Return whether database or Redis stand elsewhere, as they do where there is more than one web node."""
    hosts = (str(settings.DATABASES["default"].get("HOST", "")), urlsplit(settings.REDIS_URL).hostname or "")
    return any(_is_elsewhere(host) for host in hosts)


@checks.register(TAG)
def check_media_settings(**kwargs: Any) -> list[checks.CheckMessage]:
    """Private files never in the bucket that everybody reads."""
    if not settings.MEDIA_S3_URL:
        return []
    found: list[checks.CheckMessage] = []
    public = settings.STORAGES["default"].get("OPTIONS", {}).get("url", "")
    if settings.MEDIA_S3_PRIVATE_BUCKET in ("", urlsplit(public).path.strip("/")):
        found.append(
            checks.Error(
                "MEDIA_S3_PRIVATE_BUCKET names no bucket of its own.",
                hint="What visitors send must not lie in the bucket of MEDIA_S3_URL, which everybody reads.",
                id="shop.E040",
            )
        )
    if not settings.DEBUG and urlsplit(settings.MEDIA_PUBLIC_URL).scheme != "https":
        found.append(
            checks.Error(
                "MEDIA_PUBLIC_URL is no https address: browsers show no pictures of it.",
                hint="MEDIA_PUBLIC_URL=https://media.shop.example",
                id="shop.E041",
            )
        )
    return found


@checks.register(TAG, deploy=True)
def check_proxy(**kwargs: Any) -> list[checks.CheckMessage]:
    """The shop speaks plain http to the proxy that has the certificate."""
    if settings.DEBUG or settings.TRUSTED_PROXIES:
        return []
    return [
        checks.Warning(
            "TRUSTED_PROXIES is 0: behind a proxy every page leads to itself without end, and all visitors share one "
            "limit of attempts.",
            hint="Count the proxies before the shop: TRUSTED_PROXIES=1. The proxy sets X-Forwarded-Proto and "
            "X-Forwarded-For (deploy/nginx/shop.conf).",
            id="shop.W042",
        )
    ]


@checks.register(TAG, deploy=True)
def check_engines(**kwargs: Any) -> list[checks.CheckMessage]:
    """What several machines must share."""
    if settings.DEBUG:
        return []
    found: list[checks.CheckMessage] = []
    several = uses_several_machines()
    sqlite = "sqlite3" in settings.DATABASES["default"]["ENGINE"]
    if sqlite and not several:
        found.append(
            checks.Info(
                f"DATABASE_URL is empty or names SQLite: the rows are in {settings.DATABASES['default']['NAME']}.",
                hint="Right on one machine with few pieces; else DATABASE_URL=postgresql:///shop.",
                id="shop.I048",
            )
        )
    if several and sqlite:
        found.append(
            checks.Warning(
                "REDIS_URL is another machine and DATABASE_URL is empty: a SQLite file serves one machine only.",
                hint="DATABASE_URL=postgresql://user:password@db.example:5432/shop",
                id="shop.W043",
            )
        )
    if several and not settings.REDIS_URL:
        found.append(
            checks.Warning(
                "DATABASE_URL is another machine and REDIS_URL is empty: web nodes would not see each other's changes, "
                "and workers elsewhere no task.",
                hint="REDIS_URL=redis://redis.example:6379/0, unless there is one machine beside the database's.",
                id="shop.W044",
            )
        )
    if several and not settings.MEDIA_S3_URL:
        found.append(
            checks.Warning(
                "Pictures are in DATA_DIR of this machine: another web node would not have them.",
                hint="Set MEDIA_S3_URL and MEDIA_S3_PRIVATE_BUCKET, unless there is one machine beside the database's.",
                id="shop.W045",
            )
        )
    return found


@checks.register(TAG, deploy=True)
def check_metrics_token(**kwargs: Any) -> list[checks.CheckMessage]:
    """A token that can be guessed opens the figures of sales to everybody."""
    token = settings.METRICS_TOKEN
    if settings.DEBUG or not token or len(token) >= METRICS_TOKEN_MIN_LENGTH:
        return []
    return [
        checks.Warning(
            f"METRICS_TOKEN has {len(token)} characters: it can be guessed, and /metrics tells sales and stock.",
            hint=f"At least {METRICS_TOKEN_MIN_LENGTH}, by chance: openssl rand -hex 32",
            id="shop.W049",
        )
    ]


@checks.register(TAG, deploy=True)
def check_sender_and_files(**kwargs: Any) -> list[checks.CheckMessage]:
    """Mails with the shop's own sender, and the files that pages name."""
    if settings.DEBUG:
        return []
    found: list[checks.CheckMessage] = []
    if settings.DEFAULT_FROM_EMAIL.endswith("@example.com"):
        found.append(
            checks.Warning(
                f"DEFAULT_FROM_EMAIL is {settings.DEFAULT_FROM_EMAIL}: mail servers refuse a domain that is not yours.",
                hint="DEFAULT_FROM_EMAIL=boutique@shop.example; its domain names your mail server (SPF, DKIM).",
                id="shop.W046",
            )
        )
    missing = [
        name
        for name, path in (
            ("npm run build", settings.ASSET_MANIFEST),
            ("manage.py collectstatic", Path(settings.STATIC_ROOT) / "staticfiles.json"),
        )
        if not Path(path).is_file()
    ]
    if missing:
        found.append(
            checks.Info(
                "Scripts, styles and static files are not made: pages can't be drawn.",
                hint=f"Run {' and '.join(missing)}.",
                id="shop.I047",
            )
        )
    return found
