"""The flags of every cookie that signing in sets, as the server sends them behind TLS."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from django.conf import settings
from django.test import Client

from accounts.tests.people import make_member, post

READ = """
import json, django
from django.conf import settings
print(json.dumps({name: getattr(settings, name) for name in (
    "SESSION_COOKIE_NAME", "SESSION_COOKIE_SECURE", "SESSION_COOKIE_HTTPONLY", "SESSION_COOKIE_SAMESITE",
    "SESSION_COOKIE_DOMAIN", "SESSION_COOKIE_PATH", "CSRF_COOKIE_NAME", "CSRF_COOKIE_SECURE", "CSRF_COOKIE_SAMESITE",
    "CSRF_COOKIE_DOMAIN", "DEVICE_COOKIE_NAME", "SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS",
    "SECURE_HSTS_INCLUDE_SUBDOMAINS", "SECURE_HSTS_PRELOAD")}))
"""


def test_production_names_its_cookies_for_this_host_and_tls_alone(tmp_path):
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "shop.settings",
        "DEBUG": "false",
        "DATA_DIR": str(tmp_path),
        "SECRET_KEY": "x7" * 40,
        "ALLOWED_HOSTS": "shop.example",
        "SITE_URL": "https://shop.example",
    }
    made = subprocess.run(
        [sys.executable, "-c", READ],
        env=environment,
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(made.stdout) == {
        "SESSION_COOKIE_NAME": "__Host-sessionid",
        "SESSION_COOKIE_SECURE": True,
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "SESSION_COOKIE_DOMAIN": None,
        "SESSION_COOKIE_PATH": "/",
        "CSRF_COOKIE_NAME": "__Host-csrftoken",
        "CSRF_COOKIE_SECURE": True,
        "CSRF_COOKIE_SAMESITE": "Lax",
        "CSRF_COOKIE_DOMAIN": None,
        "DEVICE_COOKIE_NAME": "__Host-device",
        "SECURE_SSL_REDIRECT": True,
        "SECURE_HSTS_SECONDS": 63072000,
        "SECURE_HSTS_INCLUDE_SUBDOMAINS": True,
        "SECURE_HSTS_PRELOAD": True,
    }


@pytest.mark.django_db
def test_cookies_of_a_sign_in_are_for_this_site_and_tls_and_the_session_is_out_of_scripts_reach(settings):
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    make_member()
    browser = Client()
    cookies = {**browser.get("/auth").cookies, **post(browser, "signin").cookies}
    cookies |= browser.get("/api/me").cookies

    assert {
        name: (bool(one["secure"]), bool(one["httponly"]), one["samesite"]) for name, one in cookies.items()
    } == {
        "sessionid": (True, True, "Lax"),
        "device": (True, True, "Lax"),
        "csrftoken": (True, True, "Lax"),
        # What scripts of the page must read, and grants nothing.
        "member": (True, False, "Lax"),
        "notice": (True, False, "Lax"),
    }
