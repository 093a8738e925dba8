"""The machine, the applications, languages, static files, the API, limits and what the law sets."""

from pathlib import Path
from typing import Any

import django_stubs_ext
from django.utils.translation import gettext_lazy as _

from shop.core.law import HOME_COUNTRY
from shop.data_dir import open_data_dir, stored_secret
from shop.loopback import refuse_public_debug
from shop.media_address import public_bucket_url
from shop.setting_values import SettingValues

# Lets Django's generic classes be written with their type at run time, as the type checker reads them.
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent.parent
env = SettingValues(BASE_DIR / ".env")

# --- Where things are kept -------------------------------------------------------------------------
DATA_DIR = open_data_dir(Path(env.text("DATA_DIR") or str(BASE_DIR / "var")).resolve())
QUEUE_DIR = DATA_DIR / "queue"

# --- The machine -----------------------------------------------------------------------------------
# A development machine or the demonstration, which `manage.py` sets where nothing says otherwise. Never a public shop.
DEBUG = env.flag("DEBUG", default=False)
PORT = env.number("PORT", default=8000, least=1, most=65535)
# Production must name its secret: with DEBUG off an empty one stops the start.
SECRET_KEY = env.text("SECRET_KEY", default="") or (stored_secret(DATA_DIR / "secret-key") if DEBUG else "")
SECRET_KEY_FALLBACKS = env.texts("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS = env.texts("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"] if DEBUG else [])
SITE_URL = env.text("SITE_URL", default=f"http://localhost:{PORT}" if DEBUG else "").rstrip("/")
if DEBUG:
    refuse_public_debug(allowed_hosts=ALLOWED_HOSTS, site_url=SITE_URL)
CSRF_TRUSTED_ORIGINS = env.texts("CSRF_TRUSTED_ORIGINS", default=[SITE_URL] if SITE_URL else [])
ADMIN_PATH = (env.text("ADMIN_PATH").strip("/") or "gestion") + "/"
# How many reverse proxies stand before the shop: client addresses are read from X-Forwarded-For only then.
TRUSTED_PROXIES = env.number("TRUSTED_PROXIES", default=0)
APPEND_SLASH = False
# With DEBUG too, visitors see the shop's own error pages; the traceback is in the log.
DEFAULT_EXCEPTION_REPORTER = "shop.core.errors.PageReporter"
ROOT_URLCONF = "shop.urls"
WSGI_APPLICATION = "shop.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# SQLite makes its indexes without the columns that PostgreSQL has in them beside the key.
SILENCED_SYSTEM_CHECKS = ["models.W040"]

INSTALLED_APPS = [
    "modeltranslation",
    # Before the admin, whose forms are made as it starts: texts have their rule by then.
    "shop.core",
    "shop.apps.ShopAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "django_countries",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "shop.integrations",
    "shop.statistics",
    "shop.consent",
    "shop.terms",
    "shop.backups",
    "shop.watching",
    "accounts",
    "catalog",
    "orders",
    "blog",
    "shop.pages",
]

MIDDLEWARE = [
    "shop.watching.middleware.WatchMiddleware",
    "shop.core.health.HealthMiddleware",
    "shop.statistics.middleware.BeaconMiddleware",
    "shop.core.deadlines.DeadlineMiddleware",
    "shop.core.public_pages.PublicPageMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "shop.consent.middleware.ConsentPolicyMiddleware",
    "django_permissions_policy.PermissionsPolicyMiddleware",
    "shop.core.middleware.TrailingSlashMiddleware",
    "shop.pages.middleware.RedirectMiddleware",
    "shop.core.middleware.OutageSessionMiddleware",
    "shop.core.middleware.LanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.middleware.StaffSessionMiddleware",
    "accounts.middleware.MemberCookieMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "shop.core.middleware.NotFoundMiddleware",
    "shop.core.middleware.OutageMiddleware",
    "shop.core.middleware.NulMiddleware",
]

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "shop.core.context_processors.shop",
                "shop.pages.context_processors.menu",
                "shop.pages.context_processors.navigation",
            ],
            # Django's date filter, with French ordinals.
            "builtins": ["shop.core.templatetags.dates"],
        },
    },
]

# --- Time limits -----------------------------------------------------------------------------------
# What all calls of other servers within one request may take together, in seconds; docs/operator.md lists them.
REQUEST_SECONDS: dict[str, float] = {"page": 1.5, "request": 11.0}

# --- Language --------------------------------------------------------------------------------------
LANGUAGE_CODE = "fr"
LANGUAGES = [("fr", "Français"), ("en", "English"), ("es", "Español"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = "shop.formats"
TIME_ZONE = "Europe/Paris"
MODELTRANSLATION_DEFAULT_LANGUAGE = LANGUAGE_CODE
MODELTRANSLATION_LANGUAGES = tuple(code for code, _name in LANGUAGES)
MODELTRANSLATION_FALLBACK_LANGUAGES = (LANGUAGE_CODE,)
_LANGUAGE_WORDS = {"fr": _("français"), "en": _("anglais"), "es": _("espagnol"), "de": _("allemand")}


def _in_language(label: str, code: str) -> str:
    return f"{label} ({_LANGUAGE_WORDS[code]})"


MODELTRANSLATION_BUILD_LOCALIZED_VERBOSE_NAME = _in_language
COUNTRIES_FIRST = [HOME_COUNTRY, "BE", "CH", "LU"]
# As people write them: the library's are those of the ISO list (« Réunion, La », « Santa Sede »).
COUNTRIES_OVERRIDE = {
    "AD": _("Andorre"),
    "BL": _("Saint-Barthélemy"),
    "CY": _("Chypre"),
    "MF": _("Saint-Martin"),
    "RE": _("La Réunion"),
    "US": _("États-Unis"),
    "VA": _("Vatican"),
}

# --- Static files and media ------------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
ASSET_MANIFEST = BASE_DIR / "static" / "build" / "manifest.json"
MEDIA_URL = "/media/"
MEDIA_ROOT = DATA_DIR / "media"
# Media and static files are public: a web server of another user may hand them out.
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o755
# S3 compatible storage instead of the two folders, for several machines.
MEDIA_S3_URL = env.text("MEDIA_S3_URL", default="")
MEDIA_S3_PRIVATE_BUCKET = env.text("MEDIA_S3_PRIVATE_BUCKET", default="")
# Where browsers read the public bucket; without one at the storage itself.
MEDIA_PUBLIC_URL = (env.text("MEDIA_PUBLIC_URL", default="") or public_bucket_url(MEDIA_S3_URL)).rstrip("/")
FOLDER_STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "shop.core.folder_media.FolderMediaStorage"},
    # What visitors send to the workshop alone: no address leads there.
    "private": {
        "BACKEND": "shop.core.folder_media.FolderMediaStorage",
        "OPTIONS": {
            "location": str(DATA_DIR / "private"),
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
        },
    },
}
S3_STORAGES: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "shop.core.s3_media.S3MediaStorage",
        "OPTIONS": {"url": MEDIA_S3_URL, "public_url": MEDIA_PUBLIC_URL},
    },
    "private": {
        "BACKEND": "shop.core.s3_media.S3MediaStorage",
        "OPTIONS": {"url": MEDIA_S3_URL, "bucket": MEDIA_S3_PRIVATE_BUCKET},
    },
}
STORAGES: dict[str, dict[str, Any]] = {
    **(S3_STORAGES if MEDIA_S3_URL else FOLDER_STORAGES),
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "shop.core.staticfiles.ShopStaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = DEBUG
# Bundles that are built while the development server runs are served at once.
WHITENOISE_AUTOREFRESH = DEBUG
# Names that carry their content's hash: the front-end build's (8 capitals or digits) and Django's (12 hex digits).
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/static/(build/.*-[A-Z0-9]{8}|.*\.[0-9a-f]{12})\.[a-z0-9]+$"

# --- API -------------------------------------------------------------------------------------------
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["shop.core.authentication.CsrfSessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    # The calls speak JSON and nothing else: `?format=` chooses nothing.
    "URL_FORMAT_OVERRIDE": None,
    "DEFAULT_PARSER_CLASSES": ["shop.core.parsers.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "shop.core.problems.exception_handler",
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Shop API",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {
        "ArticleCategoryEnum": "blog.models.ArticleCategory",
        "ArticleStateEnum": "blog.models.ArticleState",
        "FinishEnum": "catalog.models.Finish",
        "PaymentModeEnum": "orders.models.PaymentMode",
        "PromotionTypeEnum": "catalog.models.PromotionType",
    },
    "WEBHOOKS": [
        "catalog.api.automation_documents.PRODUCT_WEBHOOK",
        "catalog.api.automation_documents.STOCK_WEBHOOK",
        "orders.api.automation.ORDER_WEBHOOK",
    ],
    "POSTPROCESSING_HOOKS": [
        # Adds schemas whose choices the second hook names.
        "shop.core.islands.add_island_schemas",
        "drf_spectacular.hooks.postprocess_schema_enums",
        "shop.core.api_schema.describe_refusals",
    ],
}

# The description of the API at /api/schema, for everybody; without it, for staff who see to API keys alone.
API_SCHEMA_PUBLIC = env.flag("API_SCHEMA_PUBLIC", default=DEBUG)

# --- Limits ----------------------------------------------------------------------------------------
# Attempts a window by the name of a limit, where they differ from the table in shop/core/limits.py.
LIMITS: dict[str, int] = env.numbers("LIMITS")
# How much stock one network address, or one e-mail address, may keep from others without having paid.
UNPAID_ORDERS_LIMIT = env.number("UNPAID_ORDERS_LIMIT", default=5, least=1)
UNPAID_SCARCE_LIMIT = env.number("UNPAID_SCARCE_LIMIT", default=5, least=1)

# --- Personal data: how long it is kept. The privacy page, the processing register and the mails print these figures,
# the jobs follow them. The end of a name is its unit.
RETENTION: dict[str, int] = {
    # Code de commerce L123-22: accounting documents.
    "invoices_years": 10,
    "inactive_years": 3,
    # Between the mail that announces it and the erasure of an inactive account.
    "inactive_notice_days": 30,
    "contact_years": 3,
    "quote_picture_months": 12,
    "unpaid_days": 90,
    # As long as a lack of conformity can be claimed (Code de la consommation L217-3).
    "piece_photo_years": 2,
    # A day or two more than the link of the mail is good for.
    "sign_up_days": 5,
    # As long as its links are good.
    "email_change_days": 1,
    # SESSION_COOKIE_AGE is made from it.
    "session_days": 14,
    "notice_days": 30,
    # Somebody who never confirmed, and the newsletter's mails.
    "newsletter_days": 30,
    # After the end of a subscription: the proof that there was one (GDPR art. 7(1)).
    "consent_proof_years": 3,
    "account_mail_days": 30,
    "mail_years": 3,
    "review_years": 3,
    "provider_event_days": 90,
    "export_days": 7,
    # What was reported to programs of others, and what they answered.
    "webhook_days": 30,
    # GDPR art. 12(3): one month.
    "erasure_days": 30,
    "log_months": 12,
    # What distinguishes the visits of a day; then sums, for as long as audiences may be measured without consent.
    "visit_days": 1,
    "statistics_months": 25,
    # Loi n° 78-17, art. 20: what is older is no longer pursued.
    "consent_years": 3,
}

# --- Statistics ------------------------------------------------------------------------------------
# How often what was counted in memory is written; 0: only when asked to.
STATISTICS_WRITE_SECONDS = 1.0

# --- Measurement (for a shop whose sheet of settings names no id) -----------------------------------
ANALYTICS_ID = env.text("ANALYTICS_ID", default="")
PIXEL_ID = env.text("PIXEL_ID", default="")

# --- Log -------------------------------------------------------------------------------------------
LOG_FORMAT = env.choice("LOG_FORMAT", ("text", "json"), default="text" if DEBUG else "json")
LOG_LEVEL = env.choice("LOG_LEVEL", ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"), default="INFO")
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"()": "shop.core.log_lines.TextLine"},
        "json": {"()": "shop.core.log_lines.JsonLine"},
    },
    "filters": {
        "refused": {"()": "shop.core.log_lines.RefusedRequests"},
        "outages": {"()": "shop.core.errors.Outages"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            # Loggers with a level of their own do not ask the root's.
            "level": LOG_LEVEL,
            "filters": ["refused", "outages"],
            "formatter": LOG_FORMAT,
        }
    },
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        "django.server": {"level": "WARNING"},
        # At DEBUG these write whole template contexts and statements, with the keys of links and sessions in them.
        "django.template": {"level": "INFO"},
        "django.db.backends": {"level": "INFO"},
        # At DEBUG what is sent to Stripe and what it answers: names and addresses of customers.
        "stripe": {"level": "INFO"},
        # Every tick of the clock, three a minute.
        "celery.beat": {"level": "WARNING"},
        # Each task that comes and ends, with what it was given.
        "celery.worker.strategy": {"level": "WARNING"},
        "celery.app.trace": {"level": "WARNING"},
        # It brings a handler of its own.
        "gunicorn.error": {"handlers": ["console"], "propagate": False},
    },
}
