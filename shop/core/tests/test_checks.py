"""Settings that contradict each other are found before the first request."""

import os

import pytest
from django.core.exceptions import ImproperlyConfigured

from shop.core import checks
from shop.core.tests.conftest import STRONG


@pytest.fixture
def development(settings):
    """Settings of a machine with nothing on it, payments through the stand-in."""
    settings.DEBUG = True
    settings.STRIPE_SECRET_KEY = "sk_test_1"
    settings.STRIPE_WEBHOOK_SECRET = "whsec_1"
    settings.STRIPE_API_BASE = "http://localhost:8010"
    return settings


def found():
    return [message.id for message in [*checks.check_payment_settings(), *checks.check_host_settings()]]


def test_a_proper_production_server_has_nothing_wrong(production):
    assert found() == []
    checks.refuse_unsafe_settings()


def test_a_proper_development_machine_has_nothing_wrong(development):
    assert found() == []


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("STRIPE_API_BASE", "http://localhost:8010", ["shop.E001", "shop.E002"]),
        ("STRIPE_API_BASE", "https://api.stripe.com", []),
        ("STRIPE_WEBHOOK_SECRET", "", ["shop.E004"]),
        ("STRIPE_SECRET_KEY", "", ["shop.W005"]),
        ("STRIPE_SECRET_KEY", "sk_test_1", ["shop.W006"]),
        ("STRIPE_SECRET_KEY", "rk_live_1", []),
        ("STRIPE_SECRET_KEY", "pk_live_1", ["shop.E007", "shop.W006"]),
        ("STRIPE_SECRET_KEY", "key", ["shop.E007", "shop.W006"]),
        ("STRIPE_WEBHOOK_SECRET", "sk_live_1", ["shop.E007"]),
        ("STRIPE_WEBHOOK_SECRET", "we_1", ["shop.E007"]),
        ("STRIPE_WEBHOOK_SECRET_OLD", "we_1", ["shop.E007"]),
        ("SECRET_KEY", "", ["shop.E010"]),
        ("SECRET_KEY", "short", ["shop.E010"]),
        ("SECRET_KEY", "abab" * 20, ["shop.E010"]),
        ("SECRET_KEY", f"django-insecure-{STRONG}", ["shop.E010"]),
        ("ALLOWED_HOSTS", [], ["shop.E011"]),
        ("ALLOWED_HOSTS", ["*"], ["shop.E011"]),
        ("ALLOWED_HOSTS", ["shop.example", "*"], ["shop.E011"]),
        ("SITE_URL", "", ["shop.E012"]),
        ("SITE_URL", "http://shop.example", ["shop.E012"]),
        ("SITE_URL", "https://", ["shop.E012"]),
        ("SITE_URL", "https://shop.example/fr", ["shop.E015"]),
        ("SITE_URL", "https://shop.example:44e", ["shop.E015"]),
        ("SITE_URL", "https://user:word@shop.example", ["shop.E015"]),
        ("SITE_URL", "https://shop.example:8443", []),
        ("SITE_URL", "https://www.shop.example", ["shop.E015"]),
        ("ALLOWED_HOSTS", ["https://shop.example"], ["shop.E015"]),
        ("ALLOWED_HOSTS", [".shop.example"], []),
        ("EMAIL_URL", "", ["shop.W013"]),
        ("EMAIL_BACKEND", "django.core.mail.backends.console.EmailBackend", ["shop.W018"]),
        (
            "ALERT_EMAIL_SERVER",
            {"EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"},
            ["shop.W018"],
        ),
    ],
)
def test_each_fault_of_a_production_server_is_named(production, name, value, expected):
    setattr(production, name, value)
    assert found() == expected


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("STRIPE_SECRET_KEY", "sk_live_1", ["shop.E002", "shop.E003"]),
        ("STRIPE_WEBHOOK_SECRET", "", ["shop.W004"]),
        ("STRIPE_SECRET_KEY", "", []),
        ("SECRET_KEY", "short", []),
        ("ALLOWED_HOSTS", ["*"], []),
    ],
)
def test_each_fault_of_a_development_machine_is_named(development, name, value, expected):
    setattr(development, name, value)
    assert found() == expected


def test_a_live_key_never_meets_debug_even_without_a_stand_in(development):
    development.STRIPE_API_BASE = ""
    development.STRIPE_SECRET_KEY = "sk_live_1"
    assert found() == ["shop.E003"]


def test_the_server_does_not_start_with_an_error_and_says_all_of_them(production):
    production.STRIPE_API_BASE = "http://localhost:8010"
    production.STRIPE_SECRET_KEY = "sk_test_1"
    production.ALLOWED_HOSTS = ["*"]
    with pytest.raises(ImproperlyConfigured) as refused:
        checks.refuse_unsafe_settings()
    assert [line.split(":")[0] for line in str(refused.value).splitlines()] == ["shop.E001", "shop.E011"]


def test_the_server_starts_with_warnings(production):
    production.EMAIL_URL = ""
    checks.refuse_unsafe_settings()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("gestion/", []),
        ("outils/rangees/", []),
        *(
            (path, ["shop.E032"])
            for path in ("admin/", "Admin/x/", "panier/", "de/", "api/", "a b/", "<int:a>/")
        ),
    ],
)
def test_operators_rows_share_no_address_with_another_page(settings, path, expected):
    settings.ADMIN_PATH = path
    assert [message.id for message in checks.check_admin_path()] == expected


@pytest.mark.parametrize(
    ("limits", "wrong"),
    [
        ({}, ""),
        ({"checkout-network": 60}, ""),
        ({"checkout-network": 0, "chekout": 5, "contact-mail": 4}, "checkout-network, chekout"),
    ],
)
def test_limits_that_do_not_exist_are_refused(settings, limits, wrong):
    settings.LIMITS = limits
    messages = [message.msg for message in checks.check_limits()]

    assert messages == ([f"LIMITS sets what is no limit, or not one attempt: {wrong}."] if wrong else [])


@pytest.mark.parametrize(
    ("mode", "expected"), [(0o700, []), (0o710, []), (0o711, ["shop.W014"]), (0o750, ["shop.W014"])]
)
def test_check_of_a_data_dir_that_others_can_read_warns(production, tmp_path, mode, expected):
    tmp_path.chmod(mode)
    production.DATA_DIR = tmp_path
    assert found() == expected
    checks.refuse_unsafe_settings()


def test_root_in_the_data_dir_of_an_ordinary_user_is_refused(production, tmp_path, monkeypatch):
    production.DATA_DIR = tmp_path
    if os.geteuid() == 0:
        os.chown(tmp_path, 65534, -1)
    tmp_path.chmod(0o700)
    assert found() == (["shop.E016"] if os.geteuid() == 0 else [])
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert found() == ["shop.E016"]
    monkeypatch.setattr(os, "geteuid", lambda: 65534)
    assert found() == []
