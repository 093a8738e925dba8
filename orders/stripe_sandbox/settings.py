"""Django settings of the sandbox: its own tables in its own file, no session, no cookie, no app of the shop."""

from typing import Any
from urllib.parse import urlsplit

from orders.stripe_sandbox.configuration import configuration
from shop.data_dir import open_data_dir

_configuration = configuration()
open_data_dir(_configuration.data_dir)

DEBUG = False
# Nothing is signed with it: there are no cookies and no links to protect.
SECRET_KEY = _configuration.secret_key
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", _configuration.host]
if _public_host := urlsplit(_configuration.public_url).hostname:
    ALLOWED_HOSTS.append(_public_host)
ROOT_URLCONF = "orders.stripe_sandbox.urls"
INSTALLED_APPS = ["orders.stripe_sandbox"]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    # Checks the Host header, so that no foreign page reaches in under a name of its own.
    "django.middleware.common.CommonMiddleware",
]
APPEND_SLASH = False
USE_TZ = True
TIME_ZONE = "Europe/Paris"
LANGUAGE_CODE = "fr"
USE_I18N = False
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024

DATABASES: dict[str, dict[str, Any]] = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": _configuration.data_dir / "stripe-sandbox.sqlite3",
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
    }
}

TEMPLATES: list[dict[str, Any]] = [
    {"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True, "OPTIONS": {}}
]

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} stripe-sandbox {levelname} {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "INFO"},
    # A refused call is an answer here, not an incident.
    "loggers": {"django.server": {"level": "ERROR"}, "django.request": {"level": "ERROR"}},
}
