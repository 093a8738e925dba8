"""Contradictory or unsafe settings, found before the first request.

Django runs these with every management command; ``shop.wsgi`` runs them too, so a server with an error
here does not start. Errors are combinations that lose money or open the shop; warnings are things that
a production server should have and that a staging server may do without.
"""

from __future__ import annotations

import os
import re
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError
from django.http.request import validate_host

from shop.data_dir import is_of_another_user, is_open_to_others
from shop.loopback import is_loopback

STRIPE_HOST = "api.stripe.com"
# Django's own thresholds for a secret that cannot be guessed (security.W009).
SECRET_MIN_LENGTH = 50
SECRET_MIN_DISTINCT = 5
INSECURE_PREFIX = "django-insecure-"

TAG = "shop"
SMTP = "django.core.mail.backends.smtp.EmailBackend"


def uses_stand_in() -> bool:
    """Return whether payments go somewhere else than to Stripe itself."""
    base: str = settings.STRIPE_API_BASE
    return bool(base) and urlsplit(base).hostname != STRIPE_HOST


@checks.register(TAG)
def check_payment_settings(**kwargs: Any) -> list[checks.CheckMessage]:
    """Never a stand-in for Stripe in production, never real money in development."""
    key: str = settings.STRIPE_SECRET_KEY
    live = key.startswith(("sk_live_", "rk_live_"))
    found: list[checks.CheckMessage] = []
    if uses_stand_in() and not settings.DEBUG:
        found.append(
            checks.Error(
                "STRIPE_API_BASE names a stand-in for Stripe while DEBUG is off.",
                hint="Remove STRIPE_API_BASE: orders would be confirmed without being paid.",
                id="shop.E001",
            )
        )
    if uses_stand_in() and live:
        found.append(
            checks.Error(
                "A live Stripe key would be sent to a stand-in for Stripe.",
                hint="Use a key that begins with sk_test_, or remove STRIPE_API_BASE.",
                id="shop.E002",
            )
        )
    if live and settings.DEBUG:
        found.append(
            checks.Error(
                "A live Stripe key is set while DEBUG is on.",
                hint="Development would charge real cards. Use a key that begins with sk_test_.",
                id="shop.E003",
            )
        )
    secrets = (settings.STRIPE_WEBHOOK_SECRET, settings.STRIPE_WEBHOOK_SECRET_OLD)
    if (key and not key.startswith(("sk_", "rk_"))) or any(
        secret and not secret.startswith("whsec_") for secret in secrets
    ):
        found.append(
            checks.Error(
                "STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET (or _OLD) are exchanged, or are none of Stripe's.",
                hint="The first begins with sk_live_ or rk_live_, the others with whsec_.",
                id="shop.E007",
            )
        )
    if key and not settings.STRIPE_WEBHOOK_SECRET:
        kind = checks.Warning if settings.DEBUG else checks.Error
        found.append(
            kind(
                "STRIPE_SECRET_KEY is set without STRIPE_WEBHOOK_SECRET.",
                hint="Without it no message from Stripe can be verified, and all are refused.",
                id="shop.W004" if settings.DEBUG else "shop.E004",
            )
        )
    if not settings.DEBUG and not key:
        found.append(
            checks.Warning(
                "STRIPE_SECRET_KEY is empty: nobody can pay.",
                hint="Set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET.",
                id="shop.W005",
            )
        )
    if not settings.DEBUG and key and not live:
        found.append(
            checks.Warning(
                "STRIPE_SECRET_KEY is a test key while DEBUG is off: orders are not really paid.",
                hint="Set the live key, unless this is a staging server.",
                id="shop.W006",
            )
        )
    return found


@checks.register(TAG)
def check_host_settings(**kwargs: Any) -> list[checks.CheckMessage]:
    """What a production server must have set. Says nothing while DEBUG is on."""
    if settings.DEBUG:
        return []
    found: list[checks.CheckMessage] = []
    try:
        secret: str = settings.SECRET_KEY
    except ImproperlyConfigured:  # how Django answers when it is empty
        secret = ""
    if is_weak_secret(secret):
        found.append(
            checks.Error(
                "SECRET_KEY is missing or easy to guess.",
                hint=f"Set {SECRET_MIN_LENGTH} random characters or more: "
                "python -c 'import secrets; print(secrets.token_urlsafe(50))'",
                id="shop.E010",
            )
        )
    if not settings.ALLOWED_HOSTS or "*" in settings.ALLOWED_HOSTS:
        found.append(
            checks.Error(
                "ALLOWED_HOSTS does not name the hosts of the shop.",
                hint="List them, separated by commas: ALLOWED_HOSTS=shop.example,www.shop.example",
                id="shop.E011",
            )
        )
    site = urlsplit(settings.SITE_URL)
    if site.scheme != "https" or not site.hostname:
        found.append(
            checks.Error(
                "SITE_URL is missing or is not an https address.",
                hint="Links in mails are made from it: SITE_URL=https://shop.example",
                id="shop.E012",
            )
        )
    elif (
        site.path
        or site.query
        or not re.fullmatch(r"[\w.-]+(:\d+)?", site.netloc)
        or not validate_host(site.hostname, settings.ALLOWED_HOSTS or [site.hostname])
    ):
        found.append(
            checks.Error(
                "SITE_URL has more than a host, or one that ALLOWED_HOSTS does not name: links of mails lead nowhere.",
                hint="SITE_URL=https://shop.example and ALLOWED_HOSTS=shop.example",
                id="shop.E015",
            )
        )
    if not settings.EMAIL_URL:
        found.append(
            checks.Warning(
                "EMAIL_URL is empty: mails are kept in the database and sent to nobody.",
                hint="EMAIL_URL=smtp+tls://user:password@mail.example:587",
                id="shop.W013",
            )
        )
    elsewhere = {
        "EMAIL_URL": settings.EMAIL_BACKEND if settings.EMAIL_URL else SMTP,
        "ALERT_EMAIL_URL": settings.ALERT_EMAIL_SERVER.get("EMAIL_BACKEND", SMTP),
    }
    found += [
        checks.Warning(
            f"{name} names no mail server: what is sent reaches nobody.",
            hint=f"{name}=smtp+tls://user:password@mail.example:587",
            id="shop.W018",
        )
        for name, backend in elsewhere.items()
        if backend != SMTP
    ]
    if is_of_another_user(settings.DATA_DIR):
        found.append(
            checks.Error(
                "root runs this, and DATA_DIR is another user's: the shop could not open what is written there.",
                hint="cd /opt/shop && runuser -u shop -- .venv/bin/python manage.py …",
                id="shop.E016",
            )
        )
    if is_open_to_others(settings.DATA_DIR):
        found.append(
            checks.Warning(
                "DATA_DIR can be read by other users of the machine.",
                hint=f"chmod 700 {settings.DATA_DIR}, or 710 when a web server of its group hands out media/.",
                id="shop.W014",
            )
        )
    return found


@checks.register(checks.Tags.database)
def check_legal_mentions(**kwargs: Any) -> list[checks.CheckMessage]:
    """The mentions without which a shop may not sell (``manage.py check --database default``)."""
    if settings.DEBUG:
        return []
    from shop.core.models import ShopSettings

    try:
        missing = ShopSettings.load().missing_legal_fields()
    except DatabaseError:  # before the first migration
        return []
    if not missing:
        return []
    return [
        checks.Warning(
            f"Legal mentions are missing: {', '.join(field.name for field in missing)}. "
            "Until they are filled in nothing is sold: the checkout answers 503 payments_disabled.",
            hint="Fill in the settings of the shop: /admin/reglages.",
            id="shop.W020",
        )
    ]


@checks.register(TAG)
def check_admin_path(**kwargs: Any) -> list[checks.CheckMessage]:
    """Operators' rows have an address that nothing else of the shop has: one of the two could not be reached."""
    from shop.core.site import page_words

    word = settings.ADMIN_PATH.partition("/")[0]
    if re.fullmatch(r"[\w-]+(/[\w-]+)*/", settings.ADMIN_PATH, re.ASCII) and word.lower() not in page_words(
        without_operators=True
    ):
        return []
    return [
        checks.Error(
            f"ADMIN_PATH={settings.ADMIN_PATH} is no path of its own: the shop has pages there, or it is no address.",
            hint="Letters and digits that no page begins with: ADMIN_PATH=gestion/ (/admin is the staff area's).",
            id="shop.E032",
        )
    ]


@checks.register(TAG)
def check_limits(**kwargs: Any) -> list[checks.CheckMessage]:
    """Limits are set by names that exist, to one attempt or more."""
    # The table stands beside models, which are not loaded yet when this module is.
    from shop.core.limits import LIMITS

    known = {limit.name for limit in LIMITS}
    wrong = sorted(name for name, attempts in settings.LIMITS.items() if name not in known or attempts < 1)
    return (
        [
            checks.Error(
                f"LIMITS sets what is no limit, or not one attempt: {', '.join(wrong)}.",
                hint="docs/operator.md lists their names: LIMITS=checkout-network=60;contact-network=10.",
                id="shop.E030",
            )
        ]
        if wrong
        else []
    )


def is_weak_secret(secret: str) -> bool:
    """Return whether a signing key is empty, short, repetitive or one that Django's project template made."""
    return (
        len(secret) < SECRET_MIN_LENGTH
        or len(set(secret)) < SECRET_MIN_DISTINCT
        or secret.startswith(INSECURE_PREFIX)
    )


def refuse_unsafe_settings() -> None:
    """Stop a server whose settings contradict each other.

    :raises ImproperlyConfigured: naming every error, one a line.
    """
    found = checks.run_checks(tags=[TAG])
    errors = sorted((message for message in found if message.is_serious()), key=lambda error: error.id or "")
    if errors:
        raise ImproperlyConfigured("\n".join(f"{error.id}: {error.msg} {error.hint}" for error in errors))


def refuse_debug_server() -> None:
    """Stop a server with DEBUG that was not started by ``run_shop``, which binds it to this machine: what it answers
    must not depend on the name that a stranger calls it by.

    :raises ImproperlyConfigured: DEBUG is on and DEBUG_ADDRESS is no loopback address.
    """
    if settings.DEBUG and not is_loopback(os.environ.get("DEBUG_ADDRESS", "")):
        raise ImproperlyConfigured(
            "DEBUG is on: start the shop with make run or make dev, which bind it to this machine alone, "
            "or set DEBUG=false for a public shop."
        )
